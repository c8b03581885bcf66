// Work summed per worker, from its rows and from the sums that are kept of hours and days. As in `sums.ts`, and with
// the same bits: rows are added within their hour in the order of bucket and job, hours within their day, then days.

import type { JobsAsked } from '../../reading.ts';
import type { WorkSum, WriteBatch } from '../../rows.ts';
import { spansMs } from '../../sums.ts';
import type { Query, Statement } from '../driver/statement.ts';
import { ofJobs } from './jobs-asked.ts';
import { integer, real, text } from './kinds.ts';
import { RowShape } from './row-shape.ts';
import { generation, joinVisible } from './visible.ts';

/** An hour or a day. */
export interface WorkSpan {
  readonly spanMs: number;
  readonly beginsAt: number;
}

const [dayMs, hourMs] = spansMs;

const shape = new RowShape<WorkSum>({
  workerId: text(),
  completed: integer,
  failed: integer,
  retried: integer,
  completedMs: real,
  busyMs: real,
  energyJoules: real,
  wastedMs: real,
});

const counts = ['completed', 'failed', 'retried'];
const fractions = ['completed_ms', 'busy_ms', 'energy_joules', 'wasted_ms'];
const all = [...counts, ...fractions];
const counters = all.join(', ');

/** An order within the sum is kept whatever plan the server chooses. */
const summed = (order: string) =>
  [
    ...counts.map((name) => `sum(${name})::bigint as ${name}`),
    ...fractions.map((name) => `sum(${name} order by ${order}) as ${name}`),
  ].join(', ');

const begin = (at: string, spanMs: number | string) => `floor(${at} / ${spanMs}) * ${spanMs}`;

/** The sums of a table of spans: a column of a row has the values of all workers. */
const worksOf = (spans: string) =>
  `select work_of.worker_id, begins_at, ${all.map((name) => `work_of.${name}`).join(', ')}
    from ${spans} cross join unnest(worker_ids, ${counters}) as work_of(worker_id, ${counters})`;

/** `rows` selects hours, workers, buckets, jobs and counters. What is kept is added as if it had just been summed. */
function sumText(rows: string, keptHours = '', keptDays = ''): string {
  return `
    hours as (
      select worker_id, hour, ${summed('bucket_at, job_key')} from (${rows}) as rows group by worker_id, hour
      ${keptHours}
    ),
    days as (
      select worker_id, ${begin('hour', dayMs)} as day, ${summed('hour')} from hours group by worker_id, day
      ${keptDays}
    )
    select worker_id, ${summed('day')} from days group by worker_id`;
}

const cells = `work.worker_id, ${begin('work.bucket_at', hourMs)} as hour, work.bucket_at, work.job_key,
  ${all.map((name) => `work.${name}`).join(', ')}`;

const keptWithin = (spanMs: number) => `select begins_at, worker_ids, ${counters} from work_sums
  where span_ms = ${spanMs} and draft is null
    and begins_at >= $1 and begins_at <= $2 - double precision '${spanMs}'`;

/**
 * Days that are kept, hours that are kept in other days, and the rows in the gaps between them. The offset makes the
 * server look for the rows of each gap by themselves, in an index.
 */
const sumAllText = `with kept_days as (${keptWithin(dayMs)}),
    kept_hours as (
      ${keptWithin(hourMs)} and not exists (
        select 1 from kept_days where kept_days.begins_at = ${begin('work_sums.begins_at', dayMs)})
    ),
    gaps as (
      select ends_at as first, lead(begins_at, 1, $2) over (order by begins_at) as until
      from (
        select begins_at, begins_at + ${dayMs} as ends_at from kept_days
        union all select begins_at, begins_at + ${hourMs} from kept_hours
        union all select '-Infinity', $1
      ) as kept
    ),
    ${sumText(
      `select ${cells}
        from gaps cross join lateral (
            select * from work where bucket_at >= gaps.first and bucket_at < gaps.until offset 0
          ) as work ${joinVisible('work')}
        where gaps.first < gaps.until`,
      `union all ${worksOf('kept_hours')}`,
      `union all ${worksOf('kept_days')}`,
    )}`;

/** Of all buckets from `from` to before `to`, in any order. */
export async function sumWorkOf(
  query: Query,
  from: number,
  to: number,
  asked: JobsAsked,
): Promise<WorkSum[]> {
  const { text: isAsked, values } = ofJobs('work', asked, 3);
  const askedText =
    isAsked === ''
      ? sumAllText
      : `with ${sumText(`select ${cells} from work ${joinVisible('work')}
          where work.bucket_at >= $1 and work.bucket_at < $2 ${isAsked}`)}`;
  return (await query(askedText, [from, to, ...values])).map((row) => shape.decode(row));
}

const firstDay = (from: string) =>
  `select ${begin(
    `(select bucket_at from work where bucket_at >= ${from} order by bucket_at limit 1)`,
    dayMs,
  )} as day`;
const isKept = (spanMs: number, beginsAt: string) =>
  `exists (select 1 from work_sums where span_ms = ${spanMs} and begins_at = ${beginsAt} and draft is null)`;

const unsummedDayText = `with recursive days(day, is_kept) as (
    select day, ${isKept(dayMs, 'day')} from (${firstDay('$1')}) as first
    union all
    select next.day, ${isKept(dayMs, 'next.day')}
      from days cross join lateral (${firstDay(`days.day + ${dayMs}`)}) as next where days.is_kept
  )
  select day from days where day is not null and not is_kept`;

/** The begin of the first day with work, from that of a day on, which has no sum. */
export async function firstUnsummedDay(query: Query, from: number): Promise<number | undefined> {
  return (await query(unsummedDayText, [from]))[0]?.[0] as number | undefined;
}

const unsummedHoursText = `select hour
  from generate_series($1::bigint, $1::bigint + ${dayMs - hourMs}, ${hourMs}) as hour
  where hour + ${hourMs} <= $2::double precision and not ${isKept(hourMs, 'hour')}
    and exists (select 1 from work
      where bucket_at >= hour::double precision and bucket_at < hour::double precision + ${hourMs})
  order by hour`;

/** The begins of the hours of a day with work that are over at `now` and have no sum. */
export async function listUnsummedHours(
  query: Query,
  day: number,
  now: number,
): Promise<readonly number[]> {
  return (await query(unsummedHoursText, [day, now])).map(([hour]) => hour as number);
}

const announceText = `insert into work_sums (span_ms, begins_at, draft) values ($1, $2, $3::uuid)
  on conflict (span_ms, begins_at) do update set draft = excluded.draft where work_sums.draft is not null`;

/**
 * Announces that somebody makes the sum of a span. Every commit ends by deleting what stands there for spans that it
 * changes (`dropChanged`). The lock waits for a commit that has done so already and is not over, and lets none
 * begin with it before the announcement can be seen: so a commit that is not seen afterwards will find it. Behind
 * one that takes long it gives up, since whoever commits next would wait behind the lock.
 */
export async function announceSum(
  query: Query,
  { spanMs, beginsAt }: WorkSpan,
  draft: string,
): Promise<void> {
  await query("set local lock_timeout = '1s'");
  await query('lock table work_sums in share row exclusive mode');
  await query(announceText, [spanMs, beginsAt, draft]);
}

const placed = ['worker_ids', ...all].map((name, place) => `${name} = $${4 + place}`).join(', ');
const keepText = `update work_sums set draft = null, ${placed}
  where span_ms = $1 and begins_at = $2 and draft = $3::uuid`;

/** Keeps what was summed since it was announced, unless a commit has changed it. */
export async function keepSum(
  query: Query,
  { spanMs, beginsAt }: WorkSpan,
  draft: string,
  sums: readonly WorkSum[],
): Promise<void> {
  await query(keepText, [spanMs, beginsAt, draft, ...shape.arrays(sums)]);
}

/** The first or the last bucket of a job, or of the job behind or before it; in the order of the index by jobs. */
const endOf = (job: string, end: 'first' | 'last') => {
  const [sign, order, limit] =
    end === 'first' ? ['>=', '', '-Infinity'] : ['<=', 'desc', 'Infinity'];
  return `(select job_key, bucket_at from work where (job_key, bucket_at) ${sign} (${job}, '${limit}')
    order by job_key ${order}, bucket_at ${order} limit 1) as ${end}`;
};

/**
 * The begins of spans of which something changes: those of the buckets that are named, and those in whose time a job of
 * those that are named had work, if it cannot be seen any more. The offset keeps the server to the index.
 */
const changedBegins = (spanMs: number) => `array(
    select ${begin('bucket_at', spanMs)} from unnest($1::double precision[]) as changed(bucket_at)
    union all
    select found.begins_at
    from jobs
      join lateral ${endOf('jobs.key', 'first')} on first.job_key = jobs.key
      join lateral ${endOf('jobs.key', 'last')} on last.job_key = jobs.key
      cross join lateral (
        select begins_at from work_sums
        where span_ms = ${spanMs} and begins_at between ${begin('first.bucket_at', spanMs)} and last.bucket_at
        offset 0
      ) as found
    where jobs.key = any($2::bigint[]) and jobs.generation <> ${generation})`;
const dropText = `delete from work_sums where ${spansMs
  .map((spanMs) => `span_ms = ${spanMs} and begins_at = any(${changedBegins(spanMs)})`)
  .join(' or ')}`;

/** Deletes the sums that a batch changes, made or being made. Within its commit, behind all else that it writes. */
export function dropChanged({
  work,
  jobs,
  deletedJobs,
  generation: next,
}: WriteBatch): Statement[] {
  if (next !== null) return [{ text: 'delete from work_sums', values: [] }];
  const buckets = [...new Set(work.map(({ bucketAt }) => bucketAt))];
  const keys = [...jobs.map(({ spec }) => spec.key), ...deletedJobs];
  if (buckets.length === 0 && keys.length === 0) return [];
  return [{ text: dropText, values: [buckets, keys] }];
}
