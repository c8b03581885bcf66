// Rows that are read through their job, in one statement with it: both as they were at one moment.

import type { Query, Row, Value } from '../driver/statement.ts';
import { jobStatusCode } from '../../enumerations.ts';
import { glance, type JobGlance } from './job-table.ts';
import { isVisible } from './visible.ts';

export interface Look {
  readonly job: JobGlance;
  readonly rows: readonly Row[];
}

/** Within a statement: no task of the job will run any more, as `isClosed` says. */
export const isClosedJob = `(jobs.cancelled_at is not null or jobs.status in (${(
  ['completed', 'failed', 'cancelled'] as const
)
  .map((status) => jobStatusCode[status])
  .join()}))`;

/**
 * The text of a look at a job, whose key is `$1`. `rows` is a query that may name `jobs`; the first of its columns is
 * never null. It bounds what it finds by itself, so that it goes along an index; `order` is that of its columns.
 */
export function lookText(rows: string, order: string): string {
  return `select found.*, ${glance.columns('jobs')} from jobs left join lateral (${rows}) as found on true
    where jobs.key = $1 and ${isVisible('jobs')} order by ${order}`;
}

/** The values are those from `$2` on. Undefined when the job cannot be seen. */
export async function look(
  query: Query,
  text: string,
  jobKey: number,
  values: readonly Value[],
): Promise<Look | undefined> {
  const found = await query(text, [jobKey, ...values]);
  const [first] = found;
  if (first === undefined) return undefined;
  const job = glance.decode(first, first.length - glance.fields.length);
  return { job, rows: first[0] === null ? [] : found };
}

/** Every task has ended by itself, and so every one has a row. */
export function isWhole({ status, completed, failed, taskCount }: JobGlance): boolean {
  const hasEnded = status === 'completed' || status === 'failed';
  return hasEnded && completed + failed === taskCount;
}
