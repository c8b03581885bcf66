// When a member tries to become the leader. Time decides when to try; only the log decides who may write. Pure: every
// moment is handed in, in milliseconds of a clock that only rises.

/** The end of the log of commits as a member has read it. */
export interface Position {
  readonly sequence: number;
  /** Of the newest commit. */
  readonly term: string;
  /** The term has said that it has ended. */
  readonly isOver: boolean;
}

export interface ContentionSettings {
  /** For so long the log must stand still. */
  readonly takeoverMs: number;
  /** Added for each member that comes before this one. */
  readonly rankMs: number;
  /** So many reads in a row must have found it there. */
  readonly leastReads: number;
  /**
   * For so long it must stand still where the leader cannot be reached any more: one that is at work has moved on, and one
   * that lives does not trust its memory any more without a commit (`confirm`), so that the two never speak at once.
   */
  readonly refusedMs: number;
}

export const usualContention: ContentionSettings = {
  takeoverMs: 3_000,
  rankMs: 300,
  leastReads: 4,
  refusedMs: 1_000,
};

const leastRefusals = 2;
/** More terms than these in the last minute make everybody wait longer. */
const termsBeforePatience = 2;
const mostTakeoverMs = 30_000;

/** How the log was found when it is time to take over from there. */
export interface Chance {
  readonly from: Position;
  /** When that position was read first. */
  readonly readAt: number;
  readonly because: 'ended' | 'stood_still' | 'refused';
}

export interface Surroundings {
  /** Members seen alive that come before this one. */
  readonly rank: number;
  /** Terms that began in the last minute. */
  readonly recentTerms: number;
}

export class Contention {
  readonly #settings: ContentionSettings;
  #seen: { readonly position: Position; readonly since: number; reads: number } | undefined;
  /** Of a leader whose line was reset: tries to reach it that were refused since. */
  #refusals: { readonly term: string; count: number } | undefined;

  constructor(settings: ContentionSettings = usualContention) {
    this.#settings = settings;
  }

  /** A read that was asked at `askedAt` was answered at `at`. */
  saw(position: Position, at: number): void {
    const seen = this.#seen;
    if (seen !== undefined && isSame(seen.position, position)) {
      seen.reads++;
      return;
    }
    if (seen?.position.term !== position.term) this.#refusals = undefined;
    this.#seen = { position, since: at, reads: 1 };
  }

  /** A database that is away is no dead leader: the count begins anew. */
  failedToRead(): void {
    this.#seen = undefined;
  }

  /** The line to the leader of this term broke by itself. */
  lineReset(term: string): void {
    if (this.#refusals?.term !== term) this.#refusals = { term, count: 0 };
  }

  /** It was tried again, and the address refuses, or is another member's. */
  refused(term: string): void {
    if (this.#refusals?.term === term) this.#refusals.count++;
  }

  /** The line is there again, or the try has not come to an end. */
  reached(): void {
    this.#refusals = undefined;
  }

  /** Whether it is time to try. */
  chance(at: number, { rank, recentTerms }: Surroundings): Chance | null {
    const seen = this.#seen;
    if (seen === undefined) return null;
    const { position: from, since: readAt } = seen;
    const { takeoverMs, rankMs, leastReads, refusedMs } = this.#settings;
    if (from.isOver && at - readAt >= rank * rankMs) return { from, readAt, because: 'ended' };
    const isRefused = this.#refusals?.term === from.term && this.#refusals.count >= leastRefusals;
    if (isRefused && at - readAt >= refusedMs) return { from, readAt, because: 'refused' };
    const tooMany = Math.max(0, recentTerms - termsBeforePatience);
    const patience = Math.min(mostTakeoverMs, takeoverMs * 2 ** tooMany);
    const isDue = at - readAt >= patience + rank * rankMs && seen.reads >= leastReads;
    return isDue ? { from, readAt, because: 'stood_still' } : null;
  }

  /** Somebody was quicker, or lives: everything is counted anew. */
  lost(): void {
    this.#seen = undefined;
    this.#refusals = undefined;
  }
}

function isSame(a: Position, b: Position): boolean {
  return a.sequence === b.sequence && a.term === b.term && a.isOver === b.isOver;
}
