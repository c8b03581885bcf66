// What was understood of the inputs, as a sentence.

import { InputFault } from '../../../../client/csv.ts';
import { payloadText } from '../../../../protocol/codec.ts';
import { counted } from '../../text/words.ts';
import type { InputFormat } from './input-format.ts';
import { readInputs } from './input-reader.ts';

export interface Understood {
  readonly count: number;
  /** The first input. */
  readonly first: unknown;
  /** False while the rest is still read. */
  readonly isWhole: boolean;
}

export interface Misunderstood {
  readonly sentence: string;
  readonly line: number | null;
}

export type Reading = Understood | Misunderstood;

const toldEvery = 20_000;
const mostShown = 96;

export function isUnderstood(reading: Reading | null): reading is Understood {
  return reading !== null && 'count' in reading;
}

/** Reads all of it, and tells how far it is. Rejects with the reason of `signal` when it is given up. */
export async function understand(
  format: Exclude<InputFormat, 'range'>,
  source: Blob,
  { signal, onRead }: { signal: AbortSignal; onRead: (understood: Understood) => void },
): Promise<Reading> {
  let count = 0;
  let first: unknown;
  try {
    for await (const { value } of readInputs(format, source)) {
      if (count === 0) first = value;
      count++;
      if (count % toldEvery !== 0) continue;
      signal.throwIfAborted();
      onRead({ count, first, isWhole: false });
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof InputFault) return { sentence: error.message, line: error.line };
    return { sentence: `The file cannot be read: ${(error as Error).message}.`, line: null };
  }
  signal.throwIfAborted();
  if (count > 0) return { count, first, isWhole: true };
  return { sentence: 'There is no input in it: a job needs at least one.', line: null };
}

/** Whole numbers from `start` on. */
export function understandRange(start: string, count: string): Reading {
  const from = Number(start.trim() === '' ? '0' : start);
  const many = Number(count);
  if (!Number.isSafeInteger(from)) {
    return { sentence: 'The first number is not a whole one.', line: null };
  }
  if (count.trim() === '' || !Number.isSafeInteger(many) || many < 1) {
    return { sentence: 'Say how many numbers: a whole number from 1 on.', line: null };
  }
  if (from > Number.MAX_SAFE_INTEGER - (many - 1)) {
    return { sentence: 'The last number is larger than any that is exact.', line: null };
  }
  return { count: many, first: from, isWhole: true };
}

export function sentenceOfInputs({ count, first, isWhole }: Understood): string {
  const text = shortText(first);
  if (!isWhole) return `${counted(count, 'input')} so far, the first is ${text}`;
  return count === 1 ? `1 input: ${text}` : `${counted(count, 'input')}, the first is ${text}`;
}

/** As JSON, cut where it is long. */
export function shortText(value: unknown): string {
  const text = payloadText(value);
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}…`;
}
