// What one principal may still submit: counts of its owner, bounded by the quotas of the token that asks. They are
// asked in the batch that decides, where everything that was decided before is counted.

import { isFinalJob } from '../../core/job-status.ts';
import { countersOf } from '../../core/owner.ts';
import type { JobRecord, JobSpec } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { Quotas } from '../../protocol/quotas.ts';
import type { MinuteCounts } from '../access/minute-counts.ts';
import { quotaExceeded } from '../access/quota-exceeded.ts';
import type { Principal } from '../port/principal.ts';
import type { Rejection } from '../port/rejection.ts';
import type { Holding, OwnerBytes } from './owner-bytes.ts';

/** When to ask again for what ends in its own time. */
const endsSeconds = 10;
const storedSeconds = 60;

export type Quoted = Pick<Principal, 'owner' | 'tokenId' | 'quota'>;

/** What the principals of a coordinator share. */
export interface QuotaCounts {
  readonly state: State;
  readonly submissions: MinuteCounts;
  readonly bytes: OwnerBytes;
}

export class JobQuotas {
  private readonly counts: QuotaCounts;
  private readonly owner: string;
  private readonly bounds: Quotas;
  /** Of the token, for sentences. */
  private readonly token: string;

  constructor(counts: QuotaCounts, { owner, tokenId, quota = {} }: Quoted) {
    this.counts = counts;
    this.owner = owner;
    this.bounds = quota;
    this.token = `the token ${tokenId}`;
  }

  /** Undefined when nothing bounds what is kept: then nothing is read. */
  hold(): Promise<Holding> | undefined {
    const { stored_bytes: bound } = this.bounds;
    return bound === undefined ? undefined : this.counts.bytes.hold(this.owner);
  }

  /** Why this job cannot be submitted now. */
  refuseJob(
    spec: Pick<JobSpec, 'taskCount' | 'priority' | 'taskPriorities'>,
    kept: { readonly holding: Holding | undefined; readonly bytes: number },
    at: number,
  ): Rejection<'quota_exceeded' | 'forbidden'> | undefined {
    return (
      this.refusePriority(spec) ??
      this.refuseRate(at) ??
      this.refuseTasks(1, spec.taskCount) ??
      (kept.holding && this.refuseBytes(kept.holding, kept.bytes))
    );
  }

  /** Why these tasks cannot wait again. A job of another owner is for that one's quotas. */
  refuseRetry({ spec, status, counts }: JobRecord): Rejection<'quota_exceeded'> | undefined {
    if (spec.owner !== this.owner) return undefined;
    return this.refuseTasks(isFinalJob(status) ? 1 : 0, counts.failed + counts.cancelled);
  }

  /** Beside what was taken by then. */
  refuseBytes({ used }: Holding, more = 0): Rejection<'quota_exceeded'> | undefined {
    const { stored_bytes: bound = Infinity } = this.bounds;
    if (used + more <= bound) return undefined;
    const detail =
      `With this, the owner ${this.owner} would keep ${used + more} bytes, and ${this.token} may have ${bound} ` +
      '(quota stored_bytes); delete jobs that are done with. Blobs that nothing refers to any more go after ' +
      'about an hour.';
    return quotaExceeded('stored_bytes', detail, storedSeconds);
  }

  countSubmission(at: number): void {
    if (this.bounds.submissions_per_minute === undefined) return;
    this.counts.submissions.add(this.owner, at);
  }

  private refusePriority({
    priority,
    taskPriorities,
  }: Pick<JobSpec, 'priority' | 'taskPriorities'>): Rejection<'forbidden'> | undefined {
    const { highest_priority: bound = Infinity } = this.bounds;
    if (bound === Infinity) return undefined;
    let highest = priority;
    for (const each of taskPriorities ?? []) highest = Math.max(highest, each);
    if (highest <= bound) return undefined;
    // No time makes it right, so this is no 429: nobody should ask again with the same.
    const detail =
      `With ${this.token} priorities go up to ${bound} (quota highest_priority), and this job has ${highest}; ` +
      'submit it with a lower one.';
    return { code: 'forbidden', detail };
  }

  private refuseRate(at: number): Rejection<'quota_exceeded'> | undefined {
    const { submissions_per_minute: bound = Infinity } = this.bounds;
    const { submissions } = this.counts;
    if (bound === Infinity || submissions.of(this.owner, at) < bound) return undefined;
    const seconds = submissions.secondsUntilBelow(bound, this.owner, at);
    const detail =
      `Within a minute ${this.token} may submit ${bound} jobs, counted over all tokens of the owner ` +
      `${this.owner} (quota submissions_per_minute); try again in ${seconds} s.`;
    return quotaExceeded('submissions_per_minute', detail, seconds);
  }

  private refuseTasks(jobs: number, tasks: number): Rejection<'quota_exceeded'> | undefined {
    const { open_jobs: mostJobs = Infinity, queued_tasks: mostTasks = Infinity } = this.bounds;
    if (mostJobs === Infinity && mostTasks === Infinity) return undefined;
    const { pendingJobs, runningJobs, openTasks } = countersOf(this.counts.state, this.owner);
    const open = pendingJobs + runningJobs;
    if (open + jobs > mostJobs) {
      const detail =
        `The owner ${this.owner} has ${open} jobs that have not ended, and ${this.token} may have ${mostJobs} ` +
        '(quota open_jobs); try again when some have ended.';
      return quotaExceeded('open_jobs', detail, endsSeconds);
    }
    if (openTasks + tasks <= mostTasks) return undefined;
    const detail =
      `The owner ${this.owner} has ${openTasks} tasks that have not ended, and with these ${tasks} there would be ` +
      `more than the ${mostTasks} that ${this.token} may have (quota queued_tasks); ` +
      (tasks > mostTasks
        ? 'make several smaller jobs of it.'
        : 'try again when some have ended, or submit fewer.');
    return quotaExceeded('queued_tasks', detail, endsSeconds);
  }
}
