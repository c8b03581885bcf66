// Checks who writes where several hosts share a disk: one writer at a time, nobody shut out without need, and one leader
// when all is well again.

import { BrokenPromise } from '../broken-promise.ts';

/** A host as it was when another took over from it. */
export interface Deposed {
  readonly name: string;
  readonly isAlive: boolean;
  /** Its coordinator works, or is about to: it loads. */
  readonly isLeading: boolean;
  readonly isLoading: boolean;
  /** When something befell it last, or will be over. */
  readonly troubledAt: number;
}

export interface Takeover {
  readonly at: number;
  readonly by: string;
  /** Undefined: nobody has led before. */
  readonly before: Deposed | undefined;
  readonly hasEnded: boolean;
  /** Who takes over has heard that the one before refuses. */
  readonly wasRefused: boolean;
  /** When the database was back last, and how long it had been away. */
  readonly cameBackAt: number;
  readonly wasAwayForMs: number;
}

/** After trouble it takes so long until it shows in the log, and everybody has counted anew. */
const aftermathMs = 12_000;
/** The log must be seen to stand still for so long. */
const standstillMs = 2_900;
/** A shorter absence may fall between two looks. */
const noticedMs = 1_500;

export class WriterChecker {
  /** Term of the newest batch. */
  private writing: string | null = null;
  private readonly over = new Set<string>();
  private readonly batches = new Set<number>();

  /** A batch is on the disk. */
  wrote(sequence: number, term: string, newest: string): void {
    if (term !== newest) {
      throw new BrokenPromise(`Batch ${sequence} is of the term ${term}, after ${newest} began.`);
    }
    if (this.over.has(term)) {
      throw new BrokenPromise(`Batch ${sequence} is of the term ${term}, which was over.`);
    }
    if (this.batches.has(sequence)) {
      throw new BrokenPromise(`Batch ${sequence} is written twice, the second time by ${term}.`);
    }
    this.batches.add(sequence);
    this.writing = term;
  }

  /** A new term is in the log. */
  tookOver(takeover: Takeover): void {
    if (this.writing !== null) this.over.add(this.writing);
    this.writing = null;
    const { at, by, before, hasEnded, wasRefused, cameBackAt, wasAwayForMs } = takeover;
    if (hasEnded || wasRefused || before === undefined) return;
    if (wasAwayForMs >= noticedMs && at - cameBackAt < standstillMs) {
      const seconds = ((at - cameBackAt) / 1000).toFixed(1);
      throw new BrokenPromise(
        `${by} takes over from ${before.name} ${seconds} s after the database was back: nobody can have seen the log stand still.`,
      );
    }
    const isThere = before.isAlive && (before.isLeading || before.isLoading);
    const isWell = isThere && at - before.troubledAt > aftermathMs;
    if (!isWell || at - cameBackAt < aftermathMs) return;
    throw new BrokenPromise(`${by} takes over from ${before.name}, which leads and is well.`);
  }

  /** A term ended although nobody had taken over. */
  shutOut(name: string, code: string): void {
    throw new BrokenPromise(`${name} is told ${code}, and nobody has taken over from it.`);
  }

  /** After healing. */
  judge(leading: readonly string[], following: readonly string[], all: number): void {
    if (leading.length !== 1) {
      throw new BrokenPromise(`After healing ${leading.length} lead: ${leading.join(', ')}.`);
    }
    if (following.length === all - 1) return;
    throw new BrokenPromise(`After healing ${following.length} of ${all} hosts follow the leader.`);
  }
}
