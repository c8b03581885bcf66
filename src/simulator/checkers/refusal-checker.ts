// What must hold for workers that refuse, told by committed events: a worker that has refused a task of a
// job gets none of that job before a pause is over, which doubles from offer to offer up to a longest one. It
// may be longer: the worker may also have released what it was given. One that has refused tasks of several jobs
// and completed or failed nothing since gets nothing at all before such a pause is over.

import type { ToldAs, ToldEvent } from '../../core/told-events.ts';
import { BrokenPromise } from '../broken-promise.ts';

export interface RefusalCheckerOptions {
  readonly refusalPauseMs: number;
  readonly maxRefusalPauseMs: number;
}

interface Pause {
  readonly count: number;
  until: number;
}

/** What a worker has refused in a row, of whichever jobs. */
interface Rest extends Pause {
  readonly jobs: ReadonlySet<string>;
}

/** A worker that refused so many different jobs pauses for all. */
const severalJobs = 3;

export class RefusalChecker {
  private readonly options: RefusalCheckerOptions;
  /** By job and worker. */
  private readonly pauses = new Map<string, Map<string, Pause>>();
  /** By worker. */
  private readonly rests = new Map<string, Rest>();
  /** When live attempts were assigned, by token. */
  private readonly assignedAt = new Map<string, number>();

  constructor(options: RefusalCheckerOptions) {
    this.options = options;
  }

  /** A committed event, in order. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'task_assigned':
        return this.assigned(event);
      case 'attempt_withdrawn':
        this.assignedAt.delete(event.attempt.token);
        return;
      case 'attempt_ended':
        return this.ended(event);
      case 'task_completed':
        this.assignedAt.delete(event.token);
        this.pauses.get(event.task.job.spec.id)?.delete(event.workerId);
        this.rests.delete(event.workerId);
        return;
      case 'job_finished':
      case 'job_deleted':
        this.pauses.delete(event.job.spec.id);
        return;
      case 'worker_deregistered':
        for (const ofJob of this.pauses.values()) ofJob.delete(event.worker.id);
        this.rests.delete(event.worker.id);
        return;
      case 'clock_set':
        return this.shift(event.byMs);
      case 'database_cleared':
        return this.resume();
      default:
        return;
    }
  }

  /** After a crash: no pause is stored. */
  resume(): void {
    this.pauses.clear();
    this.rests.clear();
    this.assignedAt.clear();
  }

  private assigned({ job, worker, token, at }: ToldAs<'task_assigned'>): void {
    this.assignedAt.set(token, at);
    const rest = this.rests.get(worker.id);
    if (rest !== undefined && rest.count > 0 && at < rest.until) {
      throw new BrokenPromise(
        `Worker ${worker.id} refuses one job after another and is given a task of ${job.spec.id} ` +
          `${rest.until - at} ms before its pause is over.`,
      );
    }
    const pause = this.pauses.get(job.spec.id)?.get(worker.id);
    if (pause === undefined || at >= pause.until) return;
    throw new BrokenPromise(
      `Worker ${worker.id} has refused ${pause.count} offers of job ${job.spec.id} in a row and is ` +
        `given a task of it ${pause.until - at} ms before its pause is over.`,
    );
  }

  private ended({ attempt, outcome, pause, at }: ToldAs<'attempt_ended'>): void {
    const { worker, token, task } = attempt;
    const { id, retryDelayMs } = task.job.spec;
    const assignedAt = this.assignedAt.get(token);
    this.assignedAt.delete(token);
    if (outcome === 'failed' || outcome === 'timed_out') {
      this.pauses.get(id)?.delete(worker.id);
      this.rests.delete(worker.id);
    }
    if (outcome === 'released' && pause !== null) {
      // What it was given before it released something is the same offer as that.
      const refused = this.pauses.get(id)?.get(worker.id);
      if (refused !== undefined) refused.until = Math.max(refused.until, pause.until);
      return;
    }
    if (outcome !== 'refused' || assignedAt === undefined) return;
    this.rest(worker.id, id, assignedAt, at);
    const ofJob = this.pauses.get(id) ?? new Map<string, Pause>();
    this.pauses.set(id, ofJob);
    const before = ofJob.get(worker.id) ?? { count: 0, until: at };
    const isSame = before.count > 0 && assignedAt < before.until;
    const count = before.count + (isSame ? 0 : 1);
    const { refusalPauseMs, maxRefusalPauseMs } = this.options;
    const firstMs = Math.max(refusalPauseMs, retryDelayMs);
    const longestMs = Math.max(maxRefusalPauseMs, firstMs);
    const pauseMs = Math.min(longestMs, firstMs * 2 ** (count - 1));
    ofJob.set(worker.id, { count, until: Math.max(before.until, at + pauseMs) });
  }

  private rest(workerId: string, jobId: string, assignedAt: number, at: number): void {
    const before = this.rests.get(workerId);
    const jobs = new Set(before?.jobs).add(jobId);
    if (jobs.size < severalJobs) {
      this.rests.set(workerId, { jobs, count: 0, until: at });
      return;
    }
    const { count: countBefore, until } = before!;
    const isSame = countBefore > 0 && assignedAt < until;
    const count = countBefore + (isSame ? 0 : 1);
    const { refusalPauseMs, maxRefusalPauseMs } = this.options;
    const pauseMs = Math.min(maxRefusalPauseMs, refusalPauseMs * 2 ** (count - 1));
    this.rests.set(workerId, { jobs, count, until: Math.max(until, at + pauseMs) });
  }

  private shift(byMs: number): void {
    for (const ofJob of this.pauses.values()) {
      for (const [id, { count, until }] of ofJob) ofJob.set(id, { count, until: until + byMs });
    }
    for (const [id, rest] of this.rests) {
      this.rests.set(id, { ...rest, until: rest.until + byMs });
    }
    for (const [token, at] of this.assignedAt) this.assignedAt.set(token, at + byMs);
  }
}
