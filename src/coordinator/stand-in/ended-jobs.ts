// What is told of jobs that have ended, from the store alone. A job that has ended changes only when it is retried or
// removed, and both show in its row: what was read between two looks at which it had the same end is true.

import { isFinalJob } from '../../core/job-status.ts';
import type { JobReading } from '../../store/reading.ts';
import { JobRemoved } from '../reads/job-removed.ts';
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
    return (await this.read(jobId, read)).answer;
  }

  /**
   * Lines for who stays until the job has ended. They end in order only while it has the end that it had: nobody here would
   * hear of more, and who asks again is told by the coordinator that does.
   */
  async followed<T>(
    jobId: string,
    read: () => Promise<AsyncIterable<T> | None>,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<T>> {
    const { end, answer } = await this.read(jobId, read);
    return this.toEnd(jobId, end, answer, signal);
  }

  private async *toEnd<T>(
    jobId: string,
    end: number,
    lines: AsyncIterable<T>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<T> {
    try {
      for await (const some of lines) {
        if (signal?.aborted === true) return;
        yield some;
      }
    } catch (error) {
      // A job that was removed has no more lines, as for every follower.
      if (error instanceof JobRemoved) return;
      throw error;
    }
    const job = await this.store.findJobHead(jobId);
    if (job === undefined || job.completedAt === end) return;
    throw new Error(`The job ${jobId} was retried while its results were read.`);
  }

  private async read<T>(
    jobId: string,
    read: () => Promise<T | None>,
  ): Promise<{ readonly end: number; readonly answer: T }> {
    const end = await this.endOf(jobId);
    if (end === null) return elsewhere();
    const answer = await read();
    if (answer === undefined || answer === 'unknown_job') return elsewhere();
    if ((await this.endOf(jobId)) !== end) return elsewhere();
    return { end, answer };
  }

  /** In ms; null while it has none. */
  private async endOf(jobId: string): Promise<number | null> {
    const job = await this.store.findJobHead(jobId);
    return job !== undefined && isFinalJob(job.status) ? job.completedAt : null;
  }
}
