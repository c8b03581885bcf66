// Deletes from the store what nobody can see any more, and removed workers of which no job tells any more, a
// little at a time.

import type { Writing } from '../store/writing.ts';
import type { Runtime } from './runtime.ts';

/** Rows swept in one go, the pause before the next, and the one after the disk refused. */
const sweepRows = 2000;
const pruneRows = 200;
const sweepPauseMs = 20;
const sweepRetryMs = 60_000;

export interface SweeperOptions {
  readonly store: Pick<Writing, 'sweep' | 'pruneWorkers'>;
  readonly runtime: Runtime;
  readonly isReady: () => boolean;
}

export class Sweeper {
  private readonly options: SweeperOptions;
  private cancel: (() => void) | undefined;

  constructor(options: SweeperOptions) {
    this.options = options;
  }

  /** Called when there is more to sweep. */
  begin(): void {
    this.later(1);
  }

  stop(): void {
    this.cancel?.();
  }

  private later(pauseMs: number): void {
    const { runtime } = this.options;
    this.cancel?.();
    this.cancel = runtime.setTimer(runtime.now() + pauseMs, () => void this.step());
  }

  private async step(): Promise<void> {
    const { store, isReady } = this.options;
    if (!isReady()) return;
    try {
      const hasMore = (await store.sweep(sweepRows)) || (await store.pruneWorkers(pruneRows));
      if (hasMore) this.later(sweepPauseMs);
    } catch {
      // The disk refuses: rows that are not swept only take room.
      this.later(sweepRetryMs);
    }
  }
}
