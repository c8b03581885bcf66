// What is told of jobs that have ended, from the store alone. A job that has ended changes only when it is retried or
// removed, and both show in its row: what was read between two looks at which it had the same end is true.

import { isFinalJob } from '../../core/job-status.ts';
import type { JobReading } from '../../store/reading.ts';
import { elsewhere } from './elsewhere.ts';

/** How ports say that there is no such job. */
type None = undefined | 'unknown_job';

export class EndedJobs {
  private readonly store: Pick<JobReading, 'findJobHead'>;

  constructor(store: Pick<JobReading, 'findJobHead'>) {
    this.store = store;
  }

  /**
   * Of a job that is open or not there, or is not for who asks, nothing is told here. A list that `read` returns looks by
   * itself whether the job still has its end.
   */
  async about<T>(jobId: string, read: () => Promise<T | None>): Promise<T> {
    const end = await this.endOf(jobId);
    if (end === null) return elsewhere();
    const answer = await read();
    if (answer === undefined || answer === 'unknown_job') return elsewhere();
    if ((await this.endOf(jobId)) !== end) return elsewhere();
    return answer;
  }

  /** In ms; null while it has none. */
  private async endOf(jobId: string): Promise<number | null> {
    const job = await this.store.findJobHead(jobId);
    return job !== undefined && isFinalJob(job.status) ? job.completedAt : null;
  }
}
