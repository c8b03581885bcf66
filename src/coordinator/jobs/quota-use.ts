// What an owner uses at this moment, as it is committed.

import { adminOwner, countersOf } from '../../core/owner.ts';
import type { QuotaPort, QuotaUse } from '../port/quota.ts';
import type { Runtime } from '../runtime.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import type { QuotaCounts } from './job-quotas.ts';

export interface QuotaUseOptions {
  readonly counts: QuotaCounts;
  readonly loop: Pick<WriterLoop, 'settled'>;
  readonly now: Runtime['now'];
}

export class OwnerUse implements QuotaPort {
  private readonly options: QuotaUseOptions;
  private readonly owner: string;

  constructor(options: QuotaUseOptions, owner: string) {
    this.options = options;
    this.owner = owner;
  }

  of(owner: string): OwnerUse {
    return new OwnerUse(this.options, owner);
  }

  async use(): Promise<QuotaUse> {
    const { counts, loop, now } = this.options;
    const { owner } = this;
    await loop.settled();
    const holding = owner === adminOwner ? undefined : await counts.bytes.hold(owner);
    const stored = holding?.used ?? null;
    holding?.leave();
    const { pendingJobs, runningJobs, openTasks } = countersOf(counts.state, owner);
    return {
      submissions_per_minute: counts.submissions.of(owner, now()),
      open_jobs: pendingJobs + runningJobs,
      queued_tasks: openTasks,
      stored_bytes: stored,
    };
  }
}
