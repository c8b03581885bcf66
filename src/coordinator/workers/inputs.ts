// The inputs of a job as JSON texts, read back from the store. Those of a range are made from its start.

import type { JobSpec } from '../../core/records.ts';
import { RawJson } from '../../protocol/codec.ts';
import type { JobReading } from '../../store/reading.ts';

/** Inputs by index; a sentence instead says why one cannot be read. */
export type InputsOfJob = ReadonlyMap<number, RawJson | string>;

/**
 * Those with the given indices, which the job must have. `fresh` are all of its inputs, as they came with it.
 * When the job is gone, some are missing. An error of which `isOfValue` says no is thrown.
 */
export async function readInputs(
  store: Pick<JobReading, 'readInputs'>,
  spec: Pick<JobSpec, 'key' | 'rangeStart'>,
  indices: readonly number[],
  fresh: readonly string[] = [],
  isOfValue: (error: unknown) => boolean = () => true,
): Promise<InputsOfJob> {
  const known = inputsAtHand(spec, indices, fresh);
  if (known !== undefined) return known;
  try {
    return raw(indices, await store.readInputs(spec.key, indices));
  } catch (error) {
    if (!isOfValue(error)) throw error;
    if (indices.length === 1) return new Map([[indices[0]!, unreadable('input', error)]]);
    // At least one cannot be read: read alone, the others still can.
    const apart = await Promise.all(
      indices.map((index) => readInputs(store, spec, [index], [], isOfValue)),
    );
    return new Map(apart.flatMap((each) => [...each]));
  }
}

/** Those that nothing has to be read for; undefined: they are in the store alone. */
export function inputsAtHand(
  { rangeStart }: Pick<JobSpec, 'rangeStart'>,
  indices: readonly number[],
  fresh: readonly string[],
): InputsOfJob | undefined {
  const made = (textOf: (index: number) => string) => raw(indices, indices.map(textOf));
  if (rangeStart !== null) return made((index) => String(rangeStart + index));
  return fresh.length > 0 ? made((index) => fresh[index]!) : undefined;
}

export function unreadable(what: string, error: unknown): string {
  return `The ${what} cannot be read: ${(error as Error).message}`;
}

/** An input as a part of what is told of its task. */
export function toldInput(input: RawJson | string | undefined): ToldInput {
  if (input === undefined) return {};
  return typeof input === 'string' ? { input_problem: input } : { input };
}

export interface ToldInput {
  readonly input?: RawJson;
  readonly input_problem?: string;
}

/** Texts may be missing at the end when the job is gone. */
function raw(indices: readonly number[], texts: readonly string[]): InputsOfJob {
  return new Map(texts.map((text, place) => [indices[place]!, new RawJson(text)]));
}
