// What an owner does with its jobs. Nothing is decided about a job of somebody else.

import { unknownJob } from '../../core/rejection.ts';
import type { JobPort } from '../port/jobs.ts';
import type { Result } from '../port/rejection.ts';
import { refused } from '../refused.ts';
import type { Ownership } from './ownership.ts';

export class OwnJobs implements JobPort {
  private readonly jobs: JobPort;
  private readonly own: Ownership;

  constructor(jobs: JobPort, own: Ownership) {
    this.jobs = jobs;
    this.own = own;
  }

  cancel(jobId: string): ReturnType<JobPort['cancel']> {
    return this.change(jobId, () => this.jobs.cancel(jobId));
  }

  retry(jobId: string): ReturnType<JobPort['retry']> {
    return this.change(jobId, () => this.jobs.retry(jobId));
  }

  hold(jobId: string): ReturnType<JobPort['hold']> {
    return this.change(jobId, () => this.jobs.hold(jobId));
  }

  release(jobId: string): ReturnType<JobPort['release']> {
    return this.change(jobId, () => this.jobs.release(jobId));
  }

  delete(jobId: string): ReturnType<JobPort['delete']> {
    return this.change(jobId, () => this.jobs.delete(jobId));
  }

  private change<T>(jobId: string, act: () => Promise<Result<T>>): Promise<Result<T>> {
    return this.own.about(jobId, refused(unknownJob(jobId).rejection), act);
  }
}
