// Programs with the blobs that they need: fetched before the first attempt of a job runs, and held as long as one runs.
// Most programs are a source and nothing else, and pass as they are.

import { payloadReferenceOf } from '../../protocol/blob-reference.ts';
import { blobsNamedBy, type Program } from '../../protocol/program.ts';
import type { AttemptKey, ExecutorProgram } from '../executor.ts';
import type { HeldBlobs } from './blob-shelf.ts';

/** A program is not what its kind says; the message is a sentence. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault';
}

interface Outfit {
  readonly coming: Promise<ExecutorProgram>;
  /** Once all has come. */
  ready: ExecutorProgram | null;
  held: HeldBlobs | null;
  /** Attempts that have it and have not ended. */
  attempts: number;
}

export class ProgramOutfits {
  readonly #hold: (names: readonly string[]) => Promise<HeldBlobs>;
  /** Of programs of which attempts have not ended. */
  readonly #outfits = new Map<ExecutorProgram, Outfit>();
  readonly #byAttempt = new Map<AttemptKey, ExecutorProgram>();

  constructor(hold: (names: readonly string[]) => Promise<HeldBlobs>) {
    this.#hold = hold;
  }

  get areNeeded(): boolean {
    return this.#byAttempt.size > 0;
  }

  /** The program as the executor gets it for these attempts, each of which is `done` later. */
  take(
    program: ExecutorProgram,
    attempts: readonly { readonly key: AttemptKey }[],
  ): ExecutorProgram | Promise<ExecutorProgram> {
    if (program.kind === 'javascript' && program.sharedJson === undefined) return program;
    let outfit = this.#outfits.get(program);
    if (outfit === undefined) this.#outfits.set(program, (outfit = this.#begin(program)));
    for (const { key } of attempts) this.#byAttempt.set(key, program);
    outfit.attempts += attempts.length;
    return outfit.ready ?? outfit.coming;
  }

  /** The attempt has ended, or was given back. */
  done(key: AttemptKey): void {
    const program = this.#byAttempt.get(key);
    if (program === undefined) return;
    this.#byAttempt.delete(key);
    const outfit = this.#outfits.get(program)!;
    outfit.attempts -= 1;
    if (outfit.attempts > 0) return;
    this.#outfits.delete(program);
    outfit.held?.release();
  }

  #begin(program: ExecutorProgram): Outfit {
    const outfit: Outfit = {
      coming: this.#fetch(program).then((held) => {
        // All that wanted it may have ended meanwhile.
        if (this.#outfits.get(program) !== outfit) held.release();
        else outfit.held = held;
        outfit.ready = held.contents.size === 0 ? program : { ...program, blobs: held.contents };
        return outfit.ready;
      }),
      ready: null,
      held: null,
      attempts: 0,
    };
    // Attempts that wait for it are told.
    outfit.coming.catch(() => undefined);
    return outfit;
  }

  async #fetch(program: ExecutorProgram): Promise<HeldBlobs> {
    return this.#hold(blobsOf(program));
  }
}

/** Throws a `ProgramFault` when a coordinator of another version, or one that lies, has sent something else. */
function blobsOf({ kind, source, sharedJson = '' }: ExecutorProgram): readonly string[] {
  const ofShared = payloadReferenceOf(sharedJson)?.sha256;
  const names = ofShared === undefined ? [] : [ofShared];
  if (kind === 'javascript') return names;
  try {
    const named = blobsNamedBy(JSON.parse(source) as Program).map(({ sha256 }) => sha256);
    const isName = (name: unknown) => typeof name === 'string' && /^[0-9a-f]{64}$/.test(name);
    if (named.every(isName)) return [...named, ...names];
  } catch {
    // Said below.
  }
  throw new ProgramFault(`The program is not what a program of the kind ${kind} looks like.`);
}
