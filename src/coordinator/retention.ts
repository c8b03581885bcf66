// Removes jobs that were kept for long enough. The core says when to look and which may go; here they are
// asked for, some at a time, read for the very batch that decides. What they leave in the store is swept.

import type { State } from '../core/state.ts';
import type { ToldEvent } from '../core/told-events.ts';
import type { ExpiringWanted } from '../store/writing.ts';
import type { WriterLoop } from './writer/writer-loop.ts';

/** Of each list: a job is one small row to write, and one to read. */
const jobsPerLook = 50;

export interface RetentionOptions {
  readonly state: State;
  readonly loop: Pick<WriterLoop, 'ask'>;
  readonly isReady: () => boolean;
  /** Something waits to be swept. */
  readonly onDropped: () => void;
  readonly onError: (error: Error) => void;
}

export class Retention {
  private readonly options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.options = options;
  }

  /** Events of a commit. */
  observe(events: readonly ToldEvent[]): void {
    if (events.some(({ type }) => type === 'retention_due')) void this.look();
    if (events.some(isForgotten)) this.options.onDropped();
  }

  private async look(): Promise<void> {
    const { loop, isReady, onDropped, onError } = this.options;
    try {
      const hasRemoved = await loop.ask(
        (batch) => {
          const candidates = batch.visitors.expiring;
          const { events } = batch.execute({ type: 'expire_jobs', candidates, at: batch.at });
          return () => events.some(({ type }) => type === 'job_deleted');
        },
        {
          wants: (wanted) => {
            wanted.expiring = this.wanted();
          },
        },
      );
      if (hasRemoved) onDropped();
    } catch (error) {
      // It is due again by itself. That the loop has ended is told elsewhere.
      if (isReady()) onError(error as Error);
    }
  }

  private wanted(): ExpiringWanted {
    const { keepMs, keepJobs } = this.options.state.settings;
    const lists: ExpiringWanted['lists'][number][] = ['own'];
    if (keepMs !== null) lists.push('others');
    if (keepJobs !== null) lists.push('all');
    return { limit: jobsPerLook, lists };
  }
}

/** What is stored of it may have to be swept. */
function isForgotten(event: ToldEvent): boolean {
  return event.type === 'worker_deregistered' && event.because === 'away';
}
