// Somebody who asks any host that takes itself for the leader, also one that was shut out, stands still or is cut off.
// Whatever was acknowledged before the question, by whomever, must be in the answer.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import { algorithmIds, type SchedulerConfig } from '../../core/snapshot.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { isDiskFault } from '../disk-fault.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { Prng } from '../prng.ts';
import type { AcknowledgedJob, ClientActor } from './client-actor.ts';

export interface ProberOptions {
  readonly prng: Prng;
  readonly disk: MemoryDisk;
  readonly client: Pick<ClientActor, 'jobs' | 'clearsAsked' | 'askedRetry'>;
  readonly onBug: (error: Error) => void;
}

/** One that leads, or thinks so. */
interface Asked {
  readonly name: string;
  readonly coordinator: RunningCoordinator;
}

interface Leading extends Asked {
  /** Calls as soon as its process reads messages. */
  readonly whenReading: (fn: () => void) => void;
}

const recentJobs = 5;

export class Prober {
  private readonly options: ProberOptions;
  /** How many results were told, by job. */
  private readonly told = new Map<string, number>();

  constructor(options: ProberOptions) {
    this.options = options;
  }

  /** Called with committed events, in order. */
  observe(events: readonly ToldEvent[]): void {
    for (const event of events) {
      if (event.type !== 'task_completed') continue;
      const { id } = event.task.job.spec;
      this.told.set(id, (this.told.get(id) ?? 0) + 1);
    }
  }

  /** The question is asked now; `whenReading`: when the host hears of it. */
  ask(asked: Asked, whenReading: (fn: () => void) => void): void {
    const { prng, client } = this.options;
    const kept = client.jobs.filter(({ fate }) => fate === 'kept').slice(-recentJobs);
    if (kept.length === 0) return;
    const job = prng.pick(kept);
    const isCancelled = job.isCancelled && !client.askedRetry.has(job.id);
    const known = { isCancelled, told: this.told.get(job.id) ?? 0 };
    const clears = client.clearsAsked;
    whenReading(() => {
      this.look(asked, job, known).catch((error: unknown) => {
        if (isDiskFault(error) || job.fate !== 'kept' || client.clearsAsked !== clears) return;
        this.options.onBug(error as Error);
      });
    });
  }

  /** Changes the algorithm at the one in force; as soon as that is acknowledged, all are asked for it. */
  tell(leader: Asked, all: () => readonly Leading[]): void {
    const { prng, disk, onBug } = this.options;
    const algorithm = prng.pick(algorithmIds);
    const ask = async ({ name, coordinator }: Asked, told: SchedulerConfig) => {
      const found = await coordinator.scheduler.config();
      if (disk.config !== told || found.algorithm === algorithm) return;
      throw new BrokenPromise(
        `${name} tells that ${found.algorithm} decides; it was told before that ${algorithm} does.`,
      );
    };
    leader.coordinator.scheduler.configure({ algorithm }).then(
      ({ ok }) => {
        const told = disk.config;
        if (!ok || told?.algorithm !== algorithm) return;
        for (const one of all()) {
          one.whenReading(() => {
            ask(one, told).catch((error: unknown) => {
              if (!isDiskFault(error)) onBug(error as Error);
            });
          });
        }
      },
      (error: unknown) => {
        if (!isDiskFault(error)) onBug(error as Error);
      },
    );
  }

  private async look(
    { name, coordinator }: Asked,
    job: AcknowledgedJob,
    known: { readonly isCancelled: boolean; readonly told: number },
  ): Promise<void> {
    const found = await coordinator.reads.findJob(job.id);
    const { id } = job;
    if (found === undefined) {
      throw new BrokenPromise(`${name} knows nothing of job ${id}, which was acknowledged before.`);
    }
    if (
      known.isCancelled &&
      !this.options.client.askedRetry.has(id) &&
      found.status !== 'cancelled'
    ) {
      throw new BrokenPromise(`${name} tells that job ${id} is ${found.status}; it was cancelled.`);
    }
    const { completed } = found.counts;
    if (completed >= known.told) return;
    throw new BrokenPromise(
      `${name} tells ${completed} results of job ${id}, and ${known.told} were told before it was asked.`,
    );
  }
}
