// How fast each open job gets on: its completions of the last minutes, fed after commits, and forgotten with the
// job's record. Nothing of it is stored, so after a restart it begins anew.

import { isInMatrix, meets } from '../../core/eligibility.ts';
import { isFinalJob, openTaskCount, pendingCount } from '../../core/job-status.ts';
import type { JobRecord, JobSpec, WorkerRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import { wholeMillionths } from '../../core/task-progress.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import type { JobEta, JobOutlook } from '../../protocol/estimates.ts';
import { CompletionRing } from './completion-ring.ts';
import {
  bucketOf,
  cannotTell,
  endedOutlook,
  estimated,
  fewestCompletions,
  type Past,
  ratePerSecond,
} from './estimate.ts';

export interface JobRatesOptions {
  readonly state: Pick<State, 'workers'>;
  readonly now: () => number;
  /** The same without jumps when the clock is set. */
  readonly steadyNow: () => number;
}

export class JobRates {
  private readonly options: JobRatesOptions;
  private readonly began: number;
  /** The key is there as long as the job's record. */
  private readonly rings = new WeakMap<JobSpec, CompletionRing>();

  constructor(options: JobRatesOptions) {
    this.options = options;
    this.began = options.steadyNow();
  }

  /** Events of a commit. Of a completed task there is one addition. */
  observe(events: readonly ToldEvent[]): void {
    const at = this.options.steadyNow();
    const bucket = bucketOf(at);
    let newest: JobSpec | undefined;
    let ring: CompletionRing | undefined;
    for (const event of events) {
      if (event.type === 'task_completed') {
        const { spec } = event.task.job;
        // The job ends with it, and nobody asks any more.
        if (spec.taskCount === 1) continue;
        if (spec !== newest || ring === undefined) {
          newest = spec;
          ring = this.ringOf(spec, bucket);
        }
        ring.add(bucket);
      } else if (event.type === 'job_released' || event.type === 'job_retried') {
        this.ringOf(event.job.spec, bucket).beganAt = at;
      }
    }
  }

  /** To be asked when the writer has settled. */
  outlookOf(job: JobRecord): JobOutlook {
    if (isFinalJob(job.status)) return endedOutlook;
    const past = this.pastOf(job);
    return {
      rate_per_second: job.startedAt === null ? null : ratePerSecond(past),
      eta: this.etaOf(job, past),
    };
  }

  private etaOf(job: JobRecord, past: Past): JobEta {
    const { completed } = job.counts;
    if (job.heldAt !== null) return cannotTell('The job is held: nothing new of it starts.');
    if (pendingCount(job) > 0 && !this.hasWorker(job)) {
      return cannotTell('No worker that is here and takes work may run its tasks.');
    }
    if (completed < fewestCompletions) {
      const few = completed === 0 ? 'None' : `Only ${completed}`;
      return cannotTell(
        `${few} of its tasks ${completed > 1 ? 'have' : 'has'} completed: ${fewestCompletions} tell how fast they are.`,
      );
    }
    return estimated(openTaskCount(job) - job.liveMillionths / wholeMillionths, past);
  }

  private pastOf(job: JobRecord): Past {
    const { now, steadyNow } = this.options;
    const until = steadyNow();
    const ring = this.rings.get(job.spec);
    const age = job.startedAt === null ? 0 : Math.max(0, now() - job.startedAt);
    const from = Math.max(this.began, ring?.beganAt ?? -Infinity, until - age);
    return { ring, from, until };
  }

  private hasWorker({ spec }: JobRecord): boolean {
    for (const worker of this.options.state.workers.values()) {
      if (takesWork(worker) && meets(worker, spec.programKind, spec.requirements)) return true;
    }
    return false;
  }

  private ringOf(spec: JobSpec, bucket: number): CompletionRing {
    let ring = this.rings.get(spec);
    if (ring === undefined) {
      ring = new CompletionRing(bucket);
      this.rings.set(spec, ring);
    }
    return ring;
  }
}

/** Sooner or later: it may be out of reach for a moment. */
function takesWork(worker: WorkerRecord): boolean {
  return isInMatrix(worker) && !worker.leaving && worker.rest === null;
}
