// What clients do with existing jobs: each call becomes one command, answered after the commit.

import type { Command } from '../../core/commands.ts';
import type { JobRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { ErrorCode } from '../../protocol/error-codes.ts';
import type { JobSummary } from '../../protocol/resources.ts';
import type { JobPort } from '../port/jobs.ts';
import type { Rejection, Result } from '../port/rejection.ts';
import { jobSummary } from '../reads/views.ts';
import { refused } from '../refused.ts';
import type { Wanted } from '../writer/wanted.ts';
import { jobRow } from '../writer/write-batch.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import type { JobQuotas } from './job-quotas.ts';

export interface JobCommandsOptions {
  readonly state: State;
  readonly loop: WriterLoop;
  /** Called when rows wait to be swept. */
  readonly onDropped: () => void;
}

export class JobCommands implements JobPort {
  private readonly options: JobCommandsOptions;
  /** Undefined: nothing bounds what waits again. */
  private readonly quotas: JobQuotas | undefined;

  constructor(options: JobCommandsOptions, quotas?: JobQuotas) {
    this.options = options;
    this.quotas = quotas;
  }

  /** As they are for who is bounded by these. */
  of(quotas: JobQuotas | undefined): JobCommands {
    return quotas === undefined ? this : new JobCommands(this.options, quotas);
  }

  cancel(jobId: string): Promise<Result<JobSummary>> {
    return this.change(
      jobId,
      (wanted) => wanted.jobs.add(jobId),
      (at) => ({ type: 'cancel_job', jobId, at }),
    );
  }

  retry(jobId: string): Promise<Result<JobSummary>> {
    return this.change(
      jobId,
      (wanted) => wanted.retries.add(jobId),
      (at) => ({ type: 'retry_job', jobId, at }),
      (job) => (job.counts.failed === 0 ? undefined : this.quotas?.refuseRetry(job)),
    );
  }

  hold(jobId: string): Promise<Result<JobSummary>> {
    return this.change(
      jobId,
      (wanted) => wanted.jobs.add(jobId),
      (at) => ({ type: 'hold_job', jobId, at }),
    );
  }

  release(jobId: string): Promise<Result<JobSummary>> {
    return this.change(
      jobId,
      (wanted) => wanted.jobs.add(jobId),
      (at) => ({ type: 'release_job', jobId, at }),
    );
  }

  delete(jobId: string): Promise<Result<{ readonly job_id: string }>> {
    const { loop, onDropped } = this.options;
    return loop.ask<Result<{ readonly job_id: string }>>(
      (batch) => {
        const { rejection } = batch.execute({ type: 'delete_job', jobId, at: batch.at });
        if (rejection !== undefined) return () => refused(rejection);
        return () => {
          onDropped();
          return { ok: true, value: { job_id: jobId } };
        };
      },
      { wants: (wanted) => wanted.jobs.add(jobId) },
    );
  }

  private change(
    jobId: string,
    wants: (wanted: Wanted) => void,
    command: (at: number) => Command,
    whyNot?: (job: JobRecord) => Rejection<ErrorCode> | undefined,
  ): Promise<Result<JobSummary>> {
    const { state, loop } = this.options;
    return loop.ask<Result<JobSummary>>(
      (batch) => {
        const known = state.jobs.get(jobId);
        const refusal = known && whyNot?.(known);
        if (refusal !== undefined) return () => ({ ok: false, rejection: refusal });
        const { rejection } = batch.execute(command(batch.at));
        if (rejection !== undefined) return () => refused(rejection);
        // As it stands then: what others do to it in the same batch comes after this.
        const value = jobSummary(jobRow(state.jobs.get(jobId)!));
        return () => ({ ok: true, value });
      },
      { wants },
    );
  }
}
