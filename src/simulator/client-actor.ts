// A client in the simulation: submits, cancels, retries, deletes, and remembers what was
// acknowledged. What was not (the coordinator died first) may or may not have happened; both are right.

import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { JobSummary } from '../protocol/resources.ts';
import type { Result } from '../coordinator/port.ts';
import type { MemoryDisk } from '../store/memory/memory-disk.ts';
import { BrokenPromise } from './broken-promise.ts';
import { findFolder } from './disk-view.ts';
import type { Prng } from './prng.ts';
import { drawJob, type PlannedJob } from './workload.ts';

export interface AcknowledgedJob {
  readonly id: string;
  readonly plan: PlannedJob;
  /** Of its submission: whoever repeats it is answered with this job, as long as it is there. */
  readonly key: string;
  readonly taskCount: number;
  isCancelled: boolean;
  /** `gone`: its deletion was acknowledged; `asked`: it was asked for. */
  fate: 'kept' | 'asked' | 'gone';
}

export interface ClientOptions {
  readonly prng: Prng;
  readonly disk: MemoryDisk;
  readonly onBug: (error: Error) => void;
  readonly log: (line: string) => void;
}

interface Pending {
  readonly plan: PlannedJob;
  readonly key: string;
  mayBeGone: boolean;
}

export class ClientActor {
  readonly jobs: AcknowledgedJob[] = [];
  /** Jobs whose retry was asked for, acknowledged or not. */
  readonly askedRetry = new Set<string>();
  private readonly options: ClientOptions;
  /** Submissions without an answer: sent again with the same key, they are the same job. */
  private readonly pending = new Set<Pending>();
  private keys = 0;

  constructor(options: ClientOptions) {
    this.options = options;
  }

  /** Does one thing at a coordinator that is up. */
  act(coordinator: RunningCoordinator): void {
    const { prng, log } = this.options;
    const kept = this.jobs.filter(({ fate }) => fate === 'kept');
    const job = kept.length > 0 ? prng.pick(kept) : undefined;
    if (job === undefined || prng.chance(0.6)) return this.submit(coordinator);
    const { id } = job;
    switch (prng.pick(['cancel', 'retry', 'retry', 'delete', 'repeat'] as const)) {
      case 'cancel':
        return this.change(coordinator.cancelJob(id), () => {
          job.isCancelled = true;
          log(`client: cancelled ${id}`);
        });
      case 'retry':
        this.askedRetry.add(id);
        return this.change(coordinator.retryJob(id), () => {
          job.isCancelled = false;
          log(`client: retried ${id}`);
        });
      case 'delete':
        this.delete(coordinator, job);
        // Others come in the same moment: somebody who repeats it, somebody with a job of his own.
        if (prng.chance(0.3)) this.repeat(coordinator, job);
        if (prng.chance(0.3)) this.submit(coordinator);
        return;
      case 'repeat':
        return this.repeat(coordinator, job);
    }
  }

  /** Somebody clears the database: whatever is there may go. */
  clear(coordinator: RunningCoordinator): void {
    const there = [...this.jobs];
    for (const job of there) if (job.fate === 'kept') job.fate = 'asked';
    for (const each of this.pending) each.mayBeGone = true;
    this.change(coordinator.clear(), () => {
      for (const job of there) job.fate = 'gone';
      this.options.log('client: cleared the database');
    });
    const { prng } = this.options;
    for (const job of there) if (prng.chance(0.2)) this.repeat(coordinator, job);
    // Asked for behind the clear: it stays.
    if (prng.chance(0.5)) this.send(coordinator, this.draw());
  }

  mayBeGone(jobId: string): boolean {
    return this.jobs.some(({ id, fate }) => id === jobId && fate !== 'kept');
  }

  private delete(coordinator: RunningCoordinator, job: AcknowledgedJob): void {
    job.fate = 'asked';
    this.change(
      coordinator.deleteJob(job.id),
      () => {
        job.fate = 'gone';
        this.options.log(`client: deleted ${job.id}`);
      },
      () => {
        job.fate = 'kept';
      },
    );
  }

  /** The same submission once more: the same job, unless that may be gone. */
  private repeat(coordinator: RunningCoordinator, { plan, key }: AcknowledgedJob): void {
    this.send(coordinator, { plan, key, mayBeGone: false });
  }

  private submit(coordinator: RunningCoordinator): void {
    const { prng } = this.options;
    const again = this.pending.size > 0 && prng.chance(0.5);
    this.send(coordinator, again ? prng.pick([...this.pending]) : this.draw());
  }

  private send(coordinator: RunningCoordinator, pending: Pending): void {
    const { disk, log } = this.options;
    const { plan, key } = pending;
    this.pending.add(pending);
    const answer: Promise<Result<JobSummary>> = coordinator.submitJob(
      plan.submission,
      plan.inputs,
      { key, bodyHash: key },
    );
    answer.then(
      (result) => {
        if (!result.ok) return;
        this.pending.delete(pending);
        const { id, task_count: taskCount } = result.value;
        if (this.jobs.some((job) => job.id === id)) return;
        const twin = this.jobs.find((job) => job.key === key && job.fate === 'kept');
        if (twin !== undefined) {
          const what = `Job ${id} was made by the key of ${twin.id}, which is there.`;
          this.options.onBug(new BrokenPromise(what));
        }
        const fate = pending.mayBeGone ? 'asked' : 'kept';
        this.jobs.push({ id, plan, key, taskCount, isCancelled: false, fate });
        log(`client: submitted ${id}`);
        if (fate === 'kept' && findFolder(disk, id) === undefined) {
          const what = `Job ${id} is acknowledged and not on the disk.`;
          this.options.onBug(new BrokenPromise(what));
        }
      },
      // Not acknowledged: nothing was promised.
      () => undefined,
    );
  }

  private draw(): Pending {
    return { plan: drawJob(this.options.prng), key: `key ${this.keys++}`, mayBeGone: false };
  }

  private change(
    answer: Promise<{ readonly ok: boolean }>,
    accepted: () => void,
    refused: () => void = () => undefined,
  ): void {
    answer.then(
      (result) => {
        if (result.ok) accepted();
        else refused();
      },
      () => undefined,
    );
  }
}
