// The jobs and the time that an evaluation is asked for.

import { z } from 'zod';
import { queryTime } from '../../protocol/schemas/fields.ts';
import { refusedField, unknownJob } from '../refusal.ts';

export const periodQuery = z.object({
  job_id: z.string('must be given once').exactOptional().describe('Only this job'),
  since: queryTime().exactOptional().describe('Only from this time on, ISO 8601'),
  until: queryTime().exactOptional().describe('Only before this time, ISO 8601'),
});

export type Period = z.infer<typeof periodQuery>;

export function period({ job_id: jobId, since, until }: Period) {
  const [from, to] = [since, until].map((time) =>
    time === undefined ? undefined : Date.parse(time),
  );
  if (from !== undefined && to !== undefined && from > to) {
    throw refusedField('until', 'must not be before since');
  }
  return {
    ...(jobId === undefined ? {} : { jobId }),
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
  };
}

/** Undefined: there is no such job, and only a job that was asked for can be missing. */
export function known<T>(answer: T | undefined, { job_id: id }: Period): T {
  if (answer === undefined) throw unknownJob(id ?? '');
  return answer;
}
