// A state of a checkpoint between the program and the driver. The program has bytes; a checkpoint is JSON text. Bytes
// that are JSON text are kept as they are, others as `{"$base64": "…"}`. Where random numbers were drawn, the state of
// their generator goes with it, in the form that tasks in JavaScript have it in.

import { isPayloadText } from '../sandbox/payload-text.ts';
import type { RandomState } from '../sandbox/seeded-random.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { fromUtf8, toUtf8 } from './engine.ts';

export interface SavedState {
  readonly bytes: Uint8Array;
  /** Null: none was drawn. */
  readonly random: RandomState | null;
}

const randomPrefix = '{"$muster_random":';
const bytesPrefix = '{"$base64":';

export function stateJsonOf({ bytes, random }: SavedState): string {
  const text = fromUtf8(bytes);
  const isKept = text !== null && isPayloadText(text) && !text.trimStart().startsWith(bytesPrefix);
  const json = isKept ? text : `${bytesPrefix}"${toBase64(bytes)}"}`;
  if (random === null && !json.startsWith(randomPrefix)) return json;
  return `${randomPrefix}${JSON.stringify(random)},"state":${json}}`;
}

/** Null when it is none that was made here. */
export function savedStateOf(json: string): SavedState | null {
  if (!json.startsWith(randomPrefix)) return unwrapped(json, null);
  const at = json.indexOf(',"state":');
  if (at === -1 || !json.endsWith('}')) return null;
  const random = randomOf(json.slice(randomPrefix.length, at));
  if (random === undefined) return null;
  return unwrapped(json.slice(at + ',"state":'.length, -1), random);
}

function unwrapped(json: string, random: RandomState | null): SavedState | null {
  if (!json.startsWith(bytesPrefix)) return { bytes: toUtf8(json), random };
  if (!json.startsWith(`${bytesPrefix}"`) || !json.endsWith('"}')) return null;
  const bytes = fromBase64(json.slice(bytesPrefix.length + 1, -2));
  return bytes === null ? null : { bytes, random };
}

/** Undefined: it is neither a generator nor null. */
export function randomOf(json: string): RandomState | null | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (value === null) return null;
    const isState =
      Array.isArray(value) && value.length === 4 && value.every((word) => Number.isInteger(word));
    return isState ? (value as unknown as RandomState) : undefined;
  } catch {
    return undefined;
  }
}
