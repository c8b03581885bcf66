// The agent's list of the programs that one sandbox child knows. The list is bounded: before the
// child is told another program, it forgets those that were unused for the longest time. A program
// of which it holds an attempt is never forgotten, so it may know more while it holds attempts of
// them.
//
// The child keeps the text of a program for as long as it knows a job with that text, and is told
// the text once.

export interface ProgramBounds {
  readonly programs: number;
  readonly characters: number;
  /** Of blobs that the programs name. */
  readonly bytes: number;
}

/** Jobs that the child must forget first, and whether it still has the text after that. */
export interface Learned {
  readonly forgotten: readonly string[];
  readonly hasText: boolean;
}

interface Known {
  readonly characters: number;
  readonly bytes: number;
  /** Hash of the text; null when it is not shared with other jobs. */
  readonly sha256: string | null;
  /** Attempts of the job that the child holds. */
  held: number;
  /** The worker has forgotten the job: the child forgets it with its last attempt. */
  isUnwanted: boolean;
}

const MIB = 1024 * 1024;

export const defaultBounds: ProgramBounds = {
  programs: 64,
  characters: 8 * MIB,
  bytes: 512 * MIB,
};

export class ChildPrograms {
  readonly #bounds: ProgramBounds;
  /** By job, in the order of use: the one unused for the longest time comes first. */
  readonly #known = new Map<string, Known>();
  /** How many jobs have the same text, by its hash. */
  readonly #texts = new Map<string, number>();
  /** The one that comes last. */
  #newest: Known | null = null;
  #characters = 0;
  #bytes = 0;
  #firstJob: string | null = null;
  #isShared = false;

  constructor(bounds = defaultBounds) {
    this.#bounds = bounds;
  }

  /** True once attempts of more than one job have been handed to this child. */
  get areShared(): boolean {
    return this.#isShared;
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  has(jobId: string): boolean {
    return this.#known.has(jobId);
  }

  /**
   * Whether the child may be given an attempt of it beside those that it holds. Only blobs are weighed here: they
   * are much larger than all else.
   */
  hasRoomFor(jobId: string, bytes: number): boolean {
    if (this.#known.has(jobId)) return true;
    let heldBytes = 0;
    for (const known of this.#known.values()) if (known.held > 0) heldBytes += known.bytes;
    return heldBytes === 0 || heldBytes + bytes <= this.#bounds.bytes;
  }

  learn(jobId: string, characters: number, sha256: string | null, bytes = 0): Learned {
    const forgotten: string[] = [];
    for (const [longestUnused, { held }] of this.#known) {
      const { programs, characters: most } = this.#bounds;
      const isFree = this.#known.size < programs && this.#characters + characters <= most;
      if (isFree && this.#bytes + bytes <= this.#bounds.bytes) break;
      if (held > 0) continue;
      this.#remove(longestUnused);
      forgotten.push(longestUnused);
    }
    this.#use(jobId, { characters, bytes, sha256, held: 0, isUnwanted: false });
    this.#characters += characters;
    this.#bytes += bytes;
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
    this.#firstJob ??= jobId;
    if (known !== this.#newest) this.#use(jobId, known);
    if (jobId !== this.#firstJob) this.#isShared = true;
  }

  /** Puts it behind all others. Most attempts are of the job of the one before them, whose program is there already. */
  #use(jobId: string, known: Known): void {
    this.#known.delete(jobId);
    this.#known.set(jobId, known);
    this.#newest = known;
  }

  /** The child is done with an attempt; true when it must forget the program now. */
  letGo(jobId: string): boolean {
    const known = this.#known.get(jobId);
    if (known === undefined) return false;
    known.held -= 1;
    return known.held === 0 && known.isUnwanted && this.#remove(jobId);
  }

  /** True when the child must forget the program now: it knows it and holds no attempt of it. */
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
    this.#bytes -= known.bytes;
    this.#known.delete(jobId);
    if (known === this.#newest) this.#newest = null;
    const { sha256 } = known;
    if (sha256 === null) return true;
    const jobs = (this.#texts.get(sha256) ?? 1) - 1;
    if (jobs === 0) this.#texts.delete(sha256);
    else this.#texts.set(sha256, jobs);
    return true;
  }
}
