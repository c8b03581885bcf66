// A job that is held starts nothing new. What runs goes on; what has not begun is taken back.

import type { Event } from '../events.ts';
import { isFinalJob } from '../job-status.ts';
import { reject } from '../rejection.ts';
import type { State } from '../state.ts';
import type { Decision } from './decision.ts';
import { takeBack } from './hand-over.ts';

export function decideHold(state: State, jobId: string, at: number): Decision {
  const job = state.jobs.get(jobId);
  if (job === undefined) return reject('unknown_job', `No job has the id ${jobId}.`);
  if (isFinalJob(job.status)) {
    return reject('job_is_final', `The job is ${job.status}; there is nothing left to hold.`);
  }
  if (job.heldAt !== null) return { events: [] };
  const events: Event[] = [{ type: 'job_held', job, at }];
  for (const task of job.tasks.values()) {
    for (const attempt of task.live) events.push(...takeBack(state, attempt, 'held', at));
  }
  return { events };
}

export function decideReleaseJob(state: State, jobId: string, at: number): Decision {
  const job = state.jobs.get(jobId);
  if (job === undefined) return reject('unknown_job', `No job has the id ${jobId}.`);
  if (job.heldAt === null) return { events: [] };
  return { events: [{ type: 'job_released', job, at }] };
}
