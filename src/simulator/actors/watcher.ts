// A watcher follows a job while it runs, and retries it as soon as it has failed: the stream may still be
// open then, with results that the retry makes obsolete.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { isOpenJob } from '../checkers/disk-view.ts';
import type { Clock } from '../clock.ts';
import type { Prng } from '../prng.ts';
import type { AcknowledgedJob, ClientActor } from './client-actor.ts';
import type { Reader } from './reader.ts';

export interface WatcherOptions {
  readonly prng: Prng;
  readonly disk: MemoryDisk;
  readonly clock: Pick<Clock, 'after'>;
  readonly client: ClientActor;
  readonly reader: Reader;
  /** Calls when the coordinator reads messages, if one is up. */
  readonly ask: (say: (coordinator: RunningCoordinator) => void) => void;
}

const longestLookMs = 2000;
const mostRetries = 3;

export class Watcher {
  private readonly options: WatcherOptions;
  private isOver = false;

  constructor(options: WatcherOptions) {
    this.options = options;
  }

  /** Begins to watch an open job, if there is one. */
  act(coordinator: RunningCoordinator): void {
    const { client, prng, reader } = this.options;
    const open = client.jobs.filter((job) => job.fate === 'kept' && this.isOpen(job));
    if (open.length === 0) return;
    const job = prng.pick(open);
    reader.follow(coordinator, job);
    this.look(job, mostRetries);
  }

  /** Makes no more requests. */
  stop(): void {
    this.isOver = true;
  }

  private look(job: AcknowledgedJob, retriesLeft: number): void {
    const { prng, clock, client, reader, ask } = this.options;
    clock.after(prng.spread(1, longestLookMs), () => {
      if (this.isOver || job.fate !== 'kept' || retriesLeft === 0) return;
      if (this.isOpen(job)) return this.look(job, retriesLeft);
      ask((coordinator) => {
        client.retry(coordinator, job);
        // Another reader begins together with the retry.
        if (prng.chance(0.5)) reader.follow(coordinator, job);
      });
      this.look(job, retriesLeft - 1);
    });
  }

  private isOpen({ id }: AcknowledgedJob): boolean {
    return isOpenJob(this.options.disk, id);
  }
}
