import type { RetryJob, SubmitJob } from '../commands.ts';
import type { Event } from '../events.ts';
import { isFinalJob } from '../job-status.ts';
import { reject, unknownJob } from '../rejection.ts';
import type { State } from '../state.ts';
import type { Decision } from './decision.ts';
import { revoked, revokeAll } from './outcome.ts';

export function decideSubmit(_state: State, command: SubmitJob): Decision {
  const { spec, storedBytes, presumedTaskMs, at } = command;
  return { events: [{ type: 'job_submitted', spec, storedBytes, presumedTaskMs, at }] };
}

export function decideCancel(state: State, jobId: string, at: number): Decision {
  const job = state.jobs.get(jobId);
  if (job === undefined) return unknownJob(jobId);
  if (isFinalJob(job.status)) {
    return reject('job_is_final', `The job is ${job.status}; it can no longer be cancelled.`);
  }
  return { events: [...revokeAll(job, 'cancelled', at), { type: 'job_cancelled', job, at }] };
}

export function decideRetry(state: State, command: RetryJob): Decision {
  const job = state.jobs.get(command.jobId);
  if (job === undefined) return unknownJob(command.jobId);
  if (job.counts.failed === 0) {
    return reject('nothing_to_retry', `No task of the job has failed; the job is ${job.status}.`);
  }
  const indices: number[] = [];
  for (const { status, index } of job.tasks.values()) {
    if (status === 'failed' || status === 'cancelled') indices.push(index);
  }
  return { events: [{ type: 'job_retried', job, indices, at: command.at }] };
}

export function decideDelete(state: State, jobId: string, at: number): Decision {
  const job = state.jobs.get(jobId);
  if (job === undefined) return unknownJob(jobId);
  if (!isFinalJob(job.status)) {
    return reject('job_not_final', `The job is ${job.status}; cancel it first.`);
  }
  return { events: [{ type: 'job_deleted', job, because: 'asked', at }] };
}

export function decideClear(state: State, at: number): Decision {
  const events: Event[] = [];
  for (const worker of state.workers.values()) {
    for (const attempt of worker.attempts) events.push(revoked(attempt, 'cleared', at));
  }
  const { generation, counters } = state;
  events.push({
    type: 'database_cleared',
    generation: generation + 1,
    jobs: counters.jobs,
    at,
  });
  return { events };
}
