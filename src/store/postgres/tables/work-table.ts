// Work counters: per job and worker in buckets of ten seconds, per job in seconds.

import type { ThroughputFilter } from '../../reading.ts';
import type { ThroughputSum, WorkRow } from '../../rows.ts';
import { secondMs, spanBegin } from '../../sums.ts';
import type { Query, Statement } from '../driver/statement.ts';
import { ofJobs } from './jobs-asked.ts';
import { integer, real, text } from './kinds.ts';
import { inLayers, RowShape } from './row-shape.ts';
import { joinVisible } from './visible.ts';

interface SecondCells {
  readonly secondAt: number;
  readonly jobKey: number;
  readonly completed: number;
  readonly failed: number;
}

const shape = new RowShape<WorkRow>({
  bucketAt: real,
  jobKey: integer,
  workerId: text(),
  completed: integer,
  failed: integer,
  retried: integer,
  completedMs: real,
  busyMs: real,
  energyJoules: real,
  wastedMs: real,
});
const seconds = new RowShape<SecondCells>({
  secondAt: real,
  jobKey: integer,
  completed: integer,
  failed: integer,
});

const counters = [
  'completed',
  'failed',
  'retried',
  'completed_ms',
  'busy_ms',
  'energy_joules',
  'wasted_ms',
];
const added = (table: string, names: readonly string[]) =>
  names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');

const addText = `insert into work (${shape.columns()}, owner)
  select r.*, jobs.owner from ${shape.unnest('r')} ${joinVisible('r')}
  on conflict (bucket_at, job_key, worker_id) do update set ${added('work', counters)}`;
const addSecondsText = `insert into work_seconds (${seconds.columns()}, owner)
  select r.*, jobs.owner from ${seconds.unnest('r')} ${joinVisible('r')}
  on conflict (second_at, job_key) do update set ${added('work_seconds', ['completed', 'failed'])}`;

/** What was done for jobs that can be seen is added; `at` is the time of the commit. */
export function workStatements(rows: readonly WorkRow[], at: number): Statement[] {
  if (rows.length === 0) return [];
  const keyOf = (row: WorkRow) => `${row.bucketAt} ${row.jobKey} ${row.workerId}`;
  const inSecond = seconds.arrays(secondsOf(rows, spanBegin(at, secondMs)));
  return [
    ...inLayers(rows, keyOf, (some) => ({ text: addText, values: shape.arrays(some) })),
    { text: addSecondsText, values: inSecond },
  ];
}

/** A row for each job. */
function secondsOf(rows: readonly WorkRow[], secondAt: number): SecondCells[] {
  const byJob = Map.groupBy(rows, ({ jobKey }) => jobKey);
  return Array.from(byJob, ([jobKey, ofJob]) => ({
    secondAt,
    jobKey,
    completed: ofJob.reduce((sum, { completed }) => sum + completed, 0),
    failed: ofJob.reduce((sum, { failed }) => sum + failed, 0),
  }));
}

/** Buckets in which something ended, oldest first. */
export async function sumThroughput(
  query: Query,
  { from, to, bucketMs, ...asked }: ThroughputFilter,
): Promise<readonly ThroughputSum[]> {
  const { text: isAsked, values } = ofJobs('work_seconds', asked, 4);
  const rows = await query(
    `select work_seconds.second_at - (work_seconds.second_at - $1)::bigint % $3::bigint as at,
        sum(work_seconds.completed)::bigint, sum(work_seconds.failed)::bigint
      from work_seconds ${joinVisible('work_seconds')}
      where work_seconds.second_at >= $1 and work_seconds.second_at < $2 ${isAsked}
      group by at order by at`,
    [from, to, bucketMs, ...values],
  );
  return (rows as readonly (readonly number[])[]).map(([at, completed, failed]) => ({
    at: at!,
    completed: completed!,
    failed: failed!,
  }));
}
