// Deletes from the store what nobody can see any more, and removed workers of which no job tells any more, a
// little at a time.

import type { Writing } from '../store/writing.ts';
import type { Runtime } from './runtime.ts';

/** Rows swept in one go, the pause before the next, and the one after the disk refused. */
const sweepRows = 2000;
const pruneRows = 200;
const sweepPauseMs = 20;
const sweepRetryMs = 60_000;
/** How often it looks for what other members of the cluster have left, which nobody tells. */
const lookMs = 60_000;

export interface SweeperOptions {
  readonly store: Pick<Writing, 'sweep' | 'pruneWorkers'>;
  readonly runtime: Runtime;
  readonly isReady: () => boolean;
  /** Others put something into the store as well, and may drop it or be gone at any time. */
  readonly isShared: boolean;
}

export class Sweeper {
  private readonly options: SweeperOptions;
  /** Set while a step is to come. */
  private cancel: (() => void) | undefined;
  private isStepping = false;
  /** Nothing is known to be there: the step to come only looks. */
  private isLooking = false;

  constructor(options: SweeperOptions) {
    this.options = options;
  }

  /** Called when there is more to sweep. */
  begin(): void {
    this.later(1);
  }

  /** Until it has found nothing more. */
  get isBusy(): boolean {
    return this.isStepping || (this.cancel !== undefined && !this.isLooking);
  }

  stop(): void {
    this.cancel?.();
  }

  private later(pauseMs: number, isLooking = false): void {
    const { runtime } = this.options;
    this.cancel?.();
    this.isLooking = isLooking;
    this.cancel = runtime.setTimer(runtime.now() + pauseMs, () => void this.step());
  }

  private async step(): Promise<void> {
    const { store, isReady, isShared } = this.options;
    this.cancel = undefined;
    if (!isReady()) return;
    this.isStepping = true;
    try {
      const hasMore = (await store.sweep(sweepRows)) || (await store.pruneWorkers(pruneRows));
      if (hasMore) this.later(sweepPauseMs);
      else if (isShared && isReady() && this.cancel === undefined) this.later(lookMs, true);
    } catch {
      // The disk refuses: rows that are not swept only take room.
      this.later(sweepRetryMs);
    } finally {
      this.isStepping = false;
    }
  }
}
