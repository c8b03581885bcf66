// Has the store keep sums of the work of hours and days that are over, one at a time, so that evaluation need
// not go through the rows. After an upgrade, or long deletions, that may be many at first. While jobs are
// removed it waits: the sums of their time would be dropped again, and the disk has enough to do.

import type { Writing } from '../store/writing.ts';
import type { Runtime } from './runtime.ts';

/** After the start, between two sums, and between two rounds. */
const firstPauseMs = 1_000;
const pauseMs = 10;
const roundPauseMs = 600_000;
/** While jobs are removed; at most so often in a row, for where some always are. */
const removalPauseMs = 1_000;
const mostWaits = 600;
/** So many in a round are worth a word. */
const manySums = 100;

export interface PastWorkOptions {
  readonly store: Pick<Writing, 'keepSums'>;
  readonly runtime: Runtime;
  readonly isReady: () => boolean;
  /** Whether what was removed is still being swept. */
  readonly isSweeping: () => boolean;
  /** Told at the end of a long round. */
  readonly onManySummed: (sums: number) => void;
}

export class PastWork {
  private readonly options: PastWorkOptions;
  private cancel: (() => void) | undefined;
  private made = 0;
  private waits = 0;

  constructor(options: PastWorkOptions) {
    this.options = options;
  }

  begin(): void {
    this.later(firstPauseMs);
  }

  stop(): void {
    this.cancel?.();
  }

  private later(ms: number): void {
    const { runtime } = this.options;
    this.cancel = runtime.setTimer(runtime.now() + ms, () => void this.step());
  }

  private async step(): Promise<void> {
    const { store, runtime, isReady, isSweeping, onManySummed } = this.options;
    if (!isReady()) return;
    if (isSweeping() && this.waits < mostWaits) {
      this.waits++;
      this.later(removalPauseMs);
      return;
    }
    try {
      if (await store.keepSums(runtime.now())) {
        this.made++;
        if (isReady()) this.later(pauseMs);
        return;
      }
      if (this.made >= manySums) onManySummed(this.made);
    } catch {
      // The disk refuses: questions go through the rows, and the next round tries again.
    }
    this.made = 0;
    this.waits = 0;
    if (isReady()) this.later(roundPauseMs);
  }
}
