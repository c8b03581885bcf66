// The value that all tasks of a job share: read and parsed once per child and job. Tasks of the job that run in the
// same child get the same object, which is frozen all the way down: a write is a TypeError. Bytes cannot be frozen.

import { GuestFault, type GuestValue } from './guest.ts';

export interface SharedSource {
  /** JSON text; null: the job has none. */
  readonly json: string | null;
  readonly bytesOf: (sha256: string) => Uint8Array;
  readonly toText: (utf8: Uint8Array) => string;
}

const reference = /^\s*\{\s*"\$(blob|bytes)"\s*:\s*"([\da-f]{64})"\s*\}\s*$/;

/** `{"$blob": …}` stands for the JSON text in a blob, `{"$bytes": …}` for its bytes. */
export function sharedOf({ json, bytesOf, toText }: SharedSource): GuestValue | null {
  if (json === null) return null;
  const [, kind, sha256 = ''] = reference.exec(json) ?? [];
  if (kind === undefined) return { json };
  const bytes = bytesOf(sha256);
  return kind === 'bytes' ? { bytes } : { json: toText(bytes) };
}

/** For JavaScript. */
export function parseShared(shared: GuestValue | null): unknown {
  if (shared === null) return null;
  if ('bytes' in shared) return shared.bytes;
  let value: unknown;
  try {
    value = JSON.parse(shared.json);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new GuestFault('program_invalid', `the shared value is not JSON: ${why}`.slice(0, 300));
  }
  freezeAll(value);
  return value;
}

/** It was parsed from JSON: plain objects and arrays, a tree. Not by calling itself: it may be deep. */
function freezeAll(root: unknown): void {
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const item of Object.values(value)) {
      if (typeof item === 'object' && item !== null) waiting.push(item);
    }
    Object.freeze(value);
  }
}
