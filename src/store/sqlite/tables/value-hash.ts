// The hash beside a stored value: a CRC-32 of its bytes, seeded with its kind and its key. So a changed byte
// is found, and a value in a wrong place as well. It costs a quarter of a microsecond for a short text, a
// third of a cryptographic hash. Changes within 32 bits in a row are always found; of all others one in four
// billion is not. It protects against faulty disks, not against people, who can write a value with its hash.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { jobKeyOf } from '../../../core/task-key.ts';
import type { Cell } from './statement.ts';

/** What a value is. The value of a task has the code of its status, from 0 on. */
export const inputKind = 16;
export const programKind = 17;
export const chunkKind = 18;
export const dispatchKind = 19;
/** The number of the attempt is added to it. */
export const attemptKind = 32;

/** `key` is the key of the row. */
export function valueHash(kind: number, key: number, value: string | Uint8Array): number {
  return crc32(value, seedOf(kind, key));
}

/** The name of a program, which follows from its text; undefined when the two do not belong together. */
export function programName(sha256: Cell | undefined, json: Cell | undefined): string | undefined {
  if (typeof json !== 'string' || typeof sha256 !== 'string') return undefined;
  return hash('sha256', json) === sha256 ? sha256 : undefined;
}

/** Mixes every bit of kind and key. The constants are those of MurmurHash3's finalizer. */
function seedOf(kind: number, key: number): number {
  const high = Math.floor(key / 2 ** 32);
  let mixed = key ^ Math.imul(high + 1, 0x85ebca6b) ^ Math.imul(kind + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

export type Verdict = 'intact' | 'unverified' | 'damaged';

/** Compares values that were read with their hashes. */
export class ValueGuard {
  readonly #hashedFrom: number;
  readonly #onDamage: (sentence: string) => void;
  readonly #told = new Set<string>();

  /** Jobs from the key `hashedFrom` on have a hash beside every value. */
  constructor(hashedFrom: number, onDamage: (sentence: string) => void = () => undefined) {
    this.#hashedFrom = hashedFrom;
    this.#onDamage = onDamage;
  }

  /** Checks a text of a task against the hash that is stored with it. */
  checkText(
    stored: Cell | undefined,
    kind: number,
    taskKey: number,
    text: Cell | undefined,
  ): Verdict {
    return this.#check(stored, kind, taskKey, text, jobKeyOf(taskKey));
  }

  /** Checks that the job belongs to the program of this name. */
  checkProgramOf(jobKey: number, hashOfJob: Cell | undefined, sha256: string): Verdict {
    return hashOfJob === valueHash(programKind, jobKey, sha256) ? 'intact' : 'damaged';
  }

  /** A chunk without a hash counts as unverified: it is not known when it was stored. */
  checkChunk(stored: Cell | undefined, key: number, bytes: Cell | undefined): Verdict {
    if (!(bytes instanceof Uint8Array)) return 'damaged';
    if (stored === null) return 'unverified';
    return stored === valueHash(chunkKind, key, bytes) ? 'intact' : 'damaged';
  }

  /** Tells of each damaged value once, of the first thousand at least. */
  tell(sentence: string): void {
    if (this.#told.size >= 1_000 || this.#told.has(sentence)) return;
    this.#told.add(sentence);
    this.#onDamage(sentence);
  }

  #check(
    stored: Cell | undefined,
    kind: number,
    key: number,
    text: Cell | undefined,
    jobKey: number,
  ): Verdict {
    if (typeof text !== 'string') return 'damaged';
    if (stored === null) return jobKey < this.#hashedFrom ? 'unverified' : 'damaged';
    return stored === valueHash(kind, key, text) ? 'intact' : 'damaged';
  }
}
