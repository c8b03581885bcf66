// Dispatches: several fresh tasks of one job that one worker was given in one batch, in one row. A task stands there until it
// has a row of its own, which then counts; so one that goes well is written once, when it has ended. Whoever reads asks both
// tables in one statement, and sees one moment of them; which tasks still stand in theirs is known to the writer
// (`open-dispatches.ts`).

import type { TaskRow } from '../../rows.ts';
import { openJobCodes, taskStatusCode } from '../../enumerations.ts';
import type { Query, Statement } from '../driver/statement.ts';
import { integer, real, small, text } from './kinds.ts';
import { columnName, RowShape } from './row-shape.ts';
import { isVisible } from './visible.ts';

/** More tasks than these become several dispatches, so that a row stays some tens of kilobytes. */
export const mostTasksInDispatch = 1_024;

/** In no text as it is stored: there U+0001 has a digit behind it. */
const separator = '\u0001,';
const separatorText = String.raw`E'\x01,'`;

interface DispatchCells {
  readonly jobKey: number;
  /** Of the first task. */
  readonly index: number;
  readonly lastIndex: number;
  readonly workerId: string;
  readonly assignedAt: number;
  readonly tasks: string | null;
  readonly tokens: string;
}

const tokens = text();
const shape = new RowShape<DispatchCells>({
  jobKey: integer,
  index: small,
  lastIndex: small,
  workerId: text(),
  assignedAt: real,
  tasks: text(),
  // Each of them is encoded by itself.
  tokens: { sql: 'text', encode: (cell) => cell, decode: (cell) => cell as string },
});

const insertText = `insert into dispatches (${shape.columns()}) select * from ${shape.unnest('r')}`;
const deleteText = `delete from dispatches using unnest($1::bigint[], $2::integer[]) as r(job_key, task_index)
  where dispatches.job_key = r.job_key and dispatches.task_index = r.task_index`;

/** Each group is a dispatch: fresh tasks of one job, worker and moment, by index. */
export function dispatchStatements(groups: readonly (readonly TaskRow[])[]): Statement[] {
  if (groups.length === 0) return [];
  return [{ text: insertText, values: shape.arrays(groups.map(toCells)) }];
}

/** Where a dispatch lies: its first task. */
export interface DispatchPlace {
  readonly jobKey: number;
  readonly index: number;
}

export function dropDispatches(places: readonly DispatchPlace[]): Statement[] {
  if (places.length === 0) return [];
  const values = [places.map(({ jobKey }) => jobKey), places.map(({ index }) => index)];
  return [{ text: deleteText, values }];
}

function toCells(rows: readonly TaskRow[]): DispatchCells {
  const first = rows[0]!;
  const lastIndex = rows.at(-1)!.index;
  const isInRow = lastIndex - first.index === rows.length - 1;
  return {
    jobKey: first.jobKey,
    index: first.index,
    lastIndex,
    workerId: first.workerId!,
    assignedAt: first.assignedAt!,
    tasks: isInRow ? null : rows.map(({ index }) => index - first.index).join(','),
    tokens: rows.map(({ token }) => tokens.encode(token!)).join(separator),
  };
}

/** The columns of a task that stands in a dispatch. */
const standingCells: Readonly<Record<string, string>> = {
  jobKey: 'standing.job_key',
  index: 'standing.task_index',
  status: `${taskStatusCode.assigned}::smallint`,
  attempt: '1',
  workerId: 'standing.worker_id',
  token: 'standing.token',
  acceptedAttempt: 'null::integer',
  errors: '0',
  losses: '0',
  timeouts: '0',
  notBefore: '0::double precision',
  avoid: `'[]'`,
  assignedAt: 'standing.assigned_at',
  startedAt: 'null::double precision',
  completedAt: 'null::double precision',
  runMs: 'null::double precision',
  errorType: 'null::text',
  errorMessage: 'null::text',
  others: `'[]'`,
  runBeforeMs: '0::double precision',
};

/** For the select list of `fromStanding`. */
export function standingColumns(fields: readonly string[]): string {
  return fields.map((field) => standingCells[field]!).join(', ');
}

const cellsByColumn = new Map(
  Object.entries(standingCells).map(([field, cell]) => [columnName(field), cell]),
);

/** The same by the names of the columns of a task; those that only a task that has ended has are null. */
export function standingColumnsOf(columns: readonly string[]): string {
  return columns.map((column) => cellsByColumn.get(column) ?? 'null').join(', ');
}

/**
 * `from …` of the tasks that stand in a dispatch. `isOf` says of `dispatches` which, `isAsked` of `standing` which tasks. Whether
 * one has a row of its own is looked up for each: a join might go through all tasks of everybody.
 */
export function fromStanding(isOf: string, isAsked = 'true', rows = 'dispatches'): string {
  return `from (
      select dispatches.job_key, dispatches.worker_id, dispatches.assigned_at, part.token,
        dispatches.task_index + coalesce(part.distance::integer, part.place::integer - 1) as task_index
      from ${rows} cross join lateral unnest(string_to_array(dispatches.tasks, ','),
        string_to_array(dispatches.tokens, ${separatorText})) with ordinality as part(distance, token, place)
      where ${isOf}
    ) as standing
    where ${isAsked} and coalesce((select false from tasks
      where tasks.job_key = standing.job_key and tasks.task_index = standing.task_index), true)`;
}

/** What a writer has to know of an open job. */
export interface OpenJobTasks {
  readonly jobKey: number;
  /** No task from here on has a row of its own, or stands in a dispatch. */
  readonly end: number;
}

const endsText = `select jobs.key, 1 + greatest(
    (select task_index from tasks where tasks.job_key = jobs.key order by task_index desc limit 1),
    (select max(last_index) from dispatches where dispatches.job_key = jobs.key), -1)
  from jobs where ${isVisible('jobs')} and jobs.status in (${openJobCodes})`;

export async function listOpenEnds(query: Query): Promise<readonly OpenJobTasks[]> {
  return (await query(endsText)).map(([jobKey, end]) => ({
    jobKey: jobKey as number,
    end: end as number,
  }));
}

const isOfOpenJob = `exists (select from jobs where jobs.key = dispatches.job_key and ${isVisible('jobs')}
  and jobs.status in (${openJobCodes}))`;
const placesText = `select dispatches.job_key, dispatches.task_index, array_agg(standing.task_index)
  from dispatches cross join lateral (
    select standing.task_index ${fromStanding('true', 'true', '(select dispatches.*) as dispatches')}
  ) as standing
  where ${isOfOpenJob} group by dispatches.job_key, dispatches.task_index`;

export interface StandingTasks extends DispatchPlace {
  readonly indices: readonly number[];
}

/** The dispatches of open jobs in which any task stands. */
export async function listStanding(query: Query): Promise<readonly StandingTasks[]> {
  return (await query(placesText)).map(([jobKey, index, indices]) => ({
    jobKey: jobKey as number,
    index: index as number,
    indices: indices as unknown as readonly number[],
  }));
}

const newestKeyText = 'select coalesce(max(key), 0) from jobs';

/** The largest key of any job, visible or not. */
export async function largestJobKey(query: Query): Promise<number> {
  const [row] = await query(newestKeyText);
  return row![0] as number;
}
