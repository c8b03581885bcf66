// The programs that one sandbox child knows, as the agent keeps book of them. Bounded: before it is
// told another, the child forgets those that were longest unused. One of which it holds an attempt is
// never forgotten, so the child may know more for as long as it holds attempts of them.
//
// A child has the text of a program for as long as it knows a job that has it, and is told it once.

export interface ProgramBounds {
  readonly programs: number;
  readonly characters: number;
}

/** What the child must forget first, and whether it has the text then. */
export interface Learned {
  readonly forgotten: readonly string[];
  readonly hasText: boolean;
}

interface Known {
  readonly characters: number;
  /** Null: it shares its text with no other. */
  readonly sha256: string | null;
  /** Attempts of it that the child holds. */
  held: number;
  /** The worker has no more use for it. */
  isUnwanted: boolean;
}

export const defaultBounds: ProgramBounds = { programs: 64, characters: 8 * 1024 * 1024 };

export class ChildPrograms {
  readonly #bounds: ProgramBounds;
  /** By job; in the order of use, the longest unused first. */
  readonly #known = new Map<string, Known>();
  /** Jobs that have the same text, by its hash. */
  readonly #texts = new Map<string, number>();
  #characters = 0;
  #firstJob: string | null = null;
  #isShared = false;

  constructor(bounds = defaultBounds) {
    this.#bounds = bounds;
  }

  /** Attempts of more than one job have been handed to this child in its life. */
  get areShared(): boolean {
    return this.#isShared;
  }

  has(jobId: string): boolean {
    return this.#known.has(jobId);
  }

  learn(jobId: string, characters: number, sha256: string | null): Learned {
    const forgotten: string[] = [];
    for (const [longestUnused, { held }] of this.#known) {
      const { programs, characters: most } = this.#bounds;
      if (this.#known.size < programs && this.#characters + characters <= most) break;
      if (held > 0) continue;
      this.#remove(longestUnused);
      forgotten.push(longestUnused);
    }
    this.#known.set(jobId, { characters, sha256, held: 0, isUnwanted: false });
    this.#characters += characters;
    if (sha256 === null) return { forgotten, hasText: false };
    const jobs = this.#texts.get(sha256) ?? 0;
    this.#texts.set(sha256, jobs + 1);
    return { forgotten, hasText: jobs > 0 };
  }

  /** An attempt of a known program goes to the child. */
  hold(jobId: string): void {
    const known = this.#known.get(jobId);
    if (known === undefined) return;
    known.held += 1;
    known.isUnwanted = false;
    this.#known.delete(jobId);
    this.#known.set(jobId, known);
    this.#firstJob ??= jobId;
    if (jobId !== this.#firstJob) this.#isShared = true;
  }

  /** The child is done with an attempt; true when it must forget the program now. */
  letGo(jobId: string): boolean {
    const known = this.#known.get(jobId);
    if (known === undefined) return false;
    known.held -= 1;
    return known.held === 0 && known.isUnwanted && this.#remove(jobId);
  }

  /** True when the child must forget it now; otherwise it has none, or still holds attempts of it. */
  forget(jobId: string): boolean {
    const known = this.#known.get(jobId);
    if (known === undefined) return false;
    known.isUnwanted = true;
    return known.held === 0 && this.#remove(jobId);
  }

  #remove(jobId: string): true {
    const known = this.#known.get(jobId);
    if (known === undefined) return true;
    this.#characters -= known.characters;
    this.#known.delete(jobId);
    const { sha256 } = known;
    if (sha256 === null) return true;
    const jobs = (this.#texts.get(sha256) ?? 1) - 1;
    if (jobs === 0) this.#texts.delete(sha256);
    else this.#texts.set(sha256, jobs);
    return true;
  }
}
