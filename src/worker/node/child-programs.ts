// The programs that one sandbox child knows, as the agent keeps book of them. Bounded: before it is
// told another, the child forgets those that were longest unused. One of which it holds an attempt is
// never forgotten, so the child may know more for as long as it holds attempts of them.

export interface ProgramBounds {
  readonly programs: number;
  readonly characters: number;
}

interface Known {
  readonly characters: number;
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

  /** Returns the jobs whose programs the child must forget first. */
  learn(jobId: string, characters: number): string[] {
    const forgotten: string[] = [];
    for (const [longestUnused, { held }] of this.#known) {
      const { programs, characters: most } = this.#bounds;
      if (this.#known.size < programs && this.#characters + characters <= most) break;
      if (held > 0) continue;
      this.#remove(longestUnused);
      forgotten.push(longestUnused);
    }
    this.#known.set(jobId, { characters, held: 0, isUnwanted: false });
    this.#characters += characters;
    return forgotten;
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
    this.#characters -= this.#known.get(jobId)?.characters ?? 0;
    this.#known.delete(jobId);
    return true;
  }
}
