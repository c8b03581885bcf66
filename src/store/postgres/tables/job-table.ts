// Jobs and what belongs to them as a whole: priorities per task.

import { isFinalJob } from '../../../core/job-status.ts';
import { adminOwner } from '../../../core/owner.ts';
import type { JobSpec } from '../../../core/records.ts';
import { type JobCounters, type JobRow, ownExpiry } from '../../rows.ts';
import type { JobView } from '../../visibility.ts';
import type { Cell, Query, Row, Statement } from '../driver/statement.ts';
import { jobStatuses, openJobCodes } from '../../enumerations.ts';
import { integer, json, oneOf, real, small, text } from './kinds.ts';
import { inLayers, RowShape } from './row-shape.ts';
import { isVisible } from './visible.ts';

/** A job as the queries on its tasks need it. */
export interface JobGlance extends JobView {
  readonly key: number;
  readonly id: string;
  readonly taskCount: number;
  readonly completed: number;
  readonly failed: number;
}

/** What stands in columns of its own, or in another table. */
type InColumns =
  | 'id'
  | 'key'
  | 'generation'
  | 'clientId'
  | 'owner'
  | 'taskCount'
  | 'taskPriorities';
type SpecRest = Omit<JobSpec, InColumns>;

/** What changes while a job lives. */
interface ChangingCells {
  readonly key: number;
  readonly generation: number;
  readonly status: JobRow['status'];
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly cursors: readonly number[];
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly cancelledAt: number | null;
  readonly heldAt: number | null;
  readonly expiresAt: number | null;
  readonly storedBytes: number;
  readonly error: string | null;
}

interface JobCells extends ChangingCells {
  readonly id: string;
  readonly clientId: string;
  readonly owner: string | null;
  readonly name: string | null;
  readonly taskCount: number;
  readonly createdAt: number;
  readonly spec: SpecRest;
}

const status = oneOf(jobStatuses);

const changingKinds = {
  key: integer,
  generation: integer,
  status,
  completed: small,
  failed: small,
  cancelled: small,
  cursors: json<readonly number[]>(),
  startedAt: real,
  completedAt: real,
  cancelledAt: real,
  heldAt: real,
  expiresAt: real,
  storedBytes: integer,
  error: text(),
};
const changing = new RowShape<ChangingCells>(changingKinds);
const whole = new RowShape<JobCells>({
  ...changingKinds,
  id: text(),
  clientId: text(),
  owner: text(),
  name: text(),
  taskCount: small,
  createdAt: real,
  spec: json(),
});

export const glance = new RowShape<JobGlance>({
  key: integer,
  id: text(),
  status,
  completedAt: real,
  cancelledAt: real,
  taskCount: small,
  completed: small,
  failed: small,
});

const updateText = `update jobs set ${changing.copied('r', ['key'])}
  from ${changing.unnest('r')} where jobs.key = r.key`;
const insertText = `insert into jobs (${whole.columns()}) select * from ${whole.unnest('r')}
  on conflict (key) do update set ${changing.replaced(['key'])}`;
const prioritiesText = `insert into task_priorities (job_key, priorities)
  select * from unnest($1::bigint[], $2::bytea[]) on conflict do nothing`;

/** Writes rows, and remembers which open jobs have one: what was submitted is sent to the server once. */
export class JobTable {
  readonly #known = new Set<number>();

  /** `added` are the keys of jobs that may have had no row before. */
  statements(rows: readonly JobRow[]): {
    readonly statements: readonly Statement[];
    readonly added: readonly number[];
  } {
    const isKnown = (row: JobRow) => this.#known.has(row.spec.key);
    const unknown = rows.filter((row) => !isKnown(row));
    const known = rows.filter(isKnown);
    for (const row of rows) {
      // A job that has ended is rarely written again; then it is sent as if it were new.
      if (isFinalJob(row.status)) this.#known.delete(row.spec.key);
      else this.#known.add(row.spec.key);
    }
    const keyOf = (row: JobRow) => row.spec.key;
    return {
      statements: [
        ...inLayers(known, keyOf, (some) => ({
          text: updateText,
          values: changing.arrays(some.map(toChanging)),
        })),
        ...inLayers(unknown, keyOf, (some) => ({
          text: insertText,
          values: whole.arrays(some.map(toCells)),
        })),
        ...priorityStatements(unknown),
      ],
      added: unknown.map(keyOf),
    };
  }
}

/** Gives the jobs a generation older than any, so that they can no longer be seen. */
export function hideJobs(keys: readonly number[]): Statement[] {
  if (keys.length === 0) return [];
  return [{ text: 'update jobs set generation = 0 where key = any($1::bigint[])', values: [keys] }];
}

const seeText = `select ${glance.columns()} from jobs where key = $1 and ${isVisible('jobs')}`;

/** The job, or undefined when it cannot be seen. */
export async function seeJob(query: Query, key: number): Promise<JobGlance | undefined> {
  const [row] = await query(seeText, [key]);
  return row && glance.decode(row);
}

/**
 * Jobs found by a query for their keys, in its order; with their priorities, or without. Each is looked up by its key,
 * whatever the planner believes of their number.
 */
export async function jobsOf(
  query: Query,
  keysText: string,
  values: readonly (Cell | readonly Cell[])[],
  hasPriorities: boolean,
): Promise<readonly JobRow[]> {
  const priorities = hasPriorities
    ? ', (select priorities from task_priorities where job_key = jobs.key)'
    : '';
  const rows = await query(
    `with wanted as (select key, row_number() over () as place from (${keysText}) as found)
      select ${whole.columns('jobs')}${priorities} from wanted cross join lateral
        (select * from jobs where jobs.key = wanted.key offset 0) as jobs order by wanted.place`,
    values,
  );
  return rows.map((row) => toJob(row));
}

/** Pending and running jobs, by key. */
export function listOpenJobs(query: Query): Promise<readonly JobRow[]> {
  const keys = `select key from jobs where ${isVisible('jobs')} and status in (${openJobCodes}) order by key`;
  return jobsOf(query, keys, [], true);
}

const counted =
  'count(*), sum(task_count)::bigint, sum(completed)::bigint, sum(stored_bytes)::bigint';

export async function countJobs(query: Query): Promise<Omit<JobCounters, 'storedBytes'>> {
  const rows = await query(
    `select status, ${counted} from jobs where ${isVisible('jobs')} group by status`,
  );
  const { storedBytes: _, ...counters } = toCounters(rows);
  return counters;
}

/** Of each owner that has jobs, except the admin. */
export async function countOwnJobs(query: Query): Promise<ReadonlyMap<string, JobCounters>> {
  const rows = await query(
    `select status, ${counted}, owner from jobs
      where owner is not null and ${isVisible('jobs')} group by owner, status order by owner`,
  );
  const byOwner = Map.groupBy(rows, (row) => ownerOf(row[5]!));
  return new Map([...byOwner].map(([owner, some]) => [owner, toCounters(some)]));
}

/** The admin is in none of the indexes of owners. */
export function ownerCell(owner: string): string | null {
  return owner === adminOwner ? null : (owners.encode(owner) as string);
}

export function ownerOf(cell: Cell): string {
  return cell === null ? adminOwner : owners.decode(cell);
}

const owners = text();

function priorityStatements(rows: readonly JobRow[]): Statement[] {
  const some = rows.filter(({ spec }) => spec.taskPriorities !== null);
  if (some.length === 0) return [];
  const cells = some.map(({ spec: { taskPriorities } }) => {
    const { buffer, byteOffset, byteLength } = taskPriorities!;
    return new Uint8Array(buffer, byteOffset, byteLength);
  });
  return [{ text: prioritiesText, values: [some.map(({ spec }) => spec.key), cells] }];
}

function toChanging(row: JobRow): ChangingCells {
  const { spec, ...rest } = row;
  return { ...rest, key: spec.key, generation: spec.generation, expiresAt: ownExpiry(row) };
}

function toCells(row: JobRow): JobCells {
  const {
    id,
    key: _,
    generation: __,
    clientId,
    owner,
    taskCount,
    taskPriorities: ___,
    ...spec
  } = row.spec;
  const { name, createdAt } = spec;
  const own = owner === adminOwner ? null : owner;
  return { ...toChanging(row), id, clientId, owner: own, name, taskCount, createdAt, spec };
}

/** Behind the cells of a job may stand its priorities. */
export function toJob(row: Row): JobRow {
  const { key, id, generation: of, clientId, owner, taskCount, spec, ...rest } = whole.decode(row);
  const { name: _, createdAt: __, expiresAt: ___, ...changed } = rest;
  const priorities = row[whole.fields.length] ?? null;
  return {
    ...changed,
    spec: {
      ...spec,
      id,
      key,
      generation: of,
      clientId,
      owner: owner ?? adminOwner,
      taskCount,
      taskPriorities: priorities === null ? null : toPriorities(priorities as Uint8Array),
    },
  };
}

/** Bytes from the driver lie anywhere in a larger buffer. */
function toPriorities(bytes: Uint8Array): Int16Array {
  return new Int16Array(Uint8Array.from(bytes).buffer);
}

function toCounters(rows: readonly Row[]): JobCounters {
  const byStatus = new Map(rows.map((row) => [jobStatuses[row[0] as number]!, row]));
  const of = (name: JobRow['status']) => (byStatus.get(name)?.[1] ?? 0) as number;
  const sum = (place: number) => rows.reduce((total, row) => total + (row[place] as number), 0);
  return {
    total: sum(1),
    pending: of('pending'),
    running: of('running'),
    completed: of('completed'),
    failed: of('failed'),
    cancelled: of('cancelled'),
    tasks: sum(2),
    tasksCompleted: sum(3),
    storedBytes: sum(4),
  };
}
