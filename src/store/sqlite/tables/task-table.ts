// Task rows. The hot table. Tasks that were given out together stand in a dispatch until they have a row here; whoever
// asks sees no difference.

import type { DatabaseSync } from 'node:sqlite';
import { indexOf, indicesPerJob, jobKeyOf, taskKey } from '../../../core/task-key.ts';
import { damagedTask } from '../../damage.ts';
import type { CellsAsked } from '../../reading.ts';
import type { DamagedTask, LiveAttemptRow, TaskRow } from '../../rows.ts';
import type { StoredStatus } from '../../visibility.ts';
import { acceptedAccount, acceptedCell } from './attempt-account.ts';
import { taskStatusCode, taskStatuses } from '../../enumerations.ts';
import type { OpenDispatches } from './open-dispatches.ts';
import { replaceRow, RowWriter } from './row-writer.ts';
import {
  type Cell,
  cellToTexts,
  listToCell,
  prepare,
  type Row,
  type Statement,
} from './statement.ts';
import { checkTask, taskHash } from './task-value.ts';
import type { ValueGuard } from './value-hash.ts';

const columns = [
  'key',
  'status',
  'attempt',
  'worker_id',
  'token',
  'accepted_attempt',
  'errors',
  'losses',
  'timeouts',
  'not_before',
  'avoid',
  'assigned_at',
  'started_at',
  'completed_at',
  'run_ms',
  'error_type',
  'error_message',
  'others',
  'run_before_ms',
] as const;

const names = columns.join(', ');
const RESULT = columns.length;
const HASH = RESULT + 1;
/** Behind the columns where the account is read, which is without the result. */
const ENERGY = columns.length;
const ACCOUNT = ENERGY + 1;

/** A completed row that is written without its result keeps the one it has, and its hash; its account likewise. */
const keptOf = (name: string) =>
  `case when excluded.status = 2 then coalesce(excluded.${name}, ${name}) end`;
/** It belongs to the account, and is kept or replaced with it. */
const keptEnergy =
  'case when excluded.status = 2 then ' +
  'case when excluded.account is null then energy_joules else excluded.energy_joules end end';
const keptHash =
  'case when excluded.status = 2 then coalesce(excluded.hash, hash) else excluded.hash end';

/** Those that are in an index: `tasks_unfinished` or `tasks_cancelled`. */
type IndexedStatus = Exclude<StoredStatus, 'completed'>;

export class TaskTable {
  readonly #db: DatabaseSync;
  readonly #guard: ValueGuard;
  readonly #dispatches: OpenDispatches;
  readonly #writer: RowWriter<TaskRow>;
  readonly #find: Statement;
  readonly #findWithResult: Statement;
  readonly #accepted: Statement;
  readonly #lastKey: Statement;
  readonly #indexed: Readonly<
    Record<IndexedStatus, { readonly first: Statement; readonly count: Statement }>
  >;
  readonly #ranges = new Map<string, Statement>();

  constructor(db: DatabaseSync, guard: ValueGuard, dispatches: OpenDispatches) {
    this.#db = db;
    this.#guard = guard;
    this.#dispatches = dispatches;
    const all = [...columns, 'result', 'hash', 'energy_joules', 'account'];
    const conflict = replaceRow(all, {
      result: keptOf('result'),
      hash: keptHash,
      energy_joules: keptEnergy,
      account: keptOf('account'),
    });
    this.#writer = new RowWriter(db, 'tasks', all, conflict, encode);
    this.#find = prepare(db, `select ${names} from tasks where key = ?`);
    this.#findWithResult = prepare(db, `select ${names}, result, hash from tasks where key = ?`);
    const indexed = (status: IndexedStatus) => {
      const rows = `from tasks where status = ${taskStatusCode[status]} and key >= ? and key < ?`;
      return {
        first: prepare(db, `select key ${rows} order by key limit 1`),
        count: prepare(db, `select count(*) ${rows}`),
      };
    };
    this.#indexed = {
      pending: indexed('pending'),
      assigned: indexed('assigned'),
      failed: indexed('failed'),
      cancelled: indexed('cancelled'),
    };
    this.#accepted = prepare(
      db,
      `select ${names}, energy_joules, account from tasks
        where key >= ? and key < ? and status = ${taskStatusCode.completed} order by key limit ?`,
    );
    this.#lastKey = prepare(db, 'select max(key) from tasks where key >= ? and key < ?');
  }

  write(rows: readonly TaskRow[]): void {
    this.#writer.write(this.#dispatches.write(rows));
  }

  find(jobKey: number, index: number): TaskRow | undefined {
    const row = this.#find.get(taskKey(jobKey, index));
    return row === undefined ? this.#dispatches.find(jobKey, index) : toTask(row, null);
  }

  findWithResult(
    job: { readonly id: string },
    jobKey: number,
    index: number,
  ): TaskRow | DamagedTask | undefined {
    const row = this.#findWithResult.get(taskKey(jobKey, index));
    return row === undefined ? this.#dispatches.find(jobKey, index) : this.#checked(job, row);
  }

  /** One more than the largest index that has a row. */
  endIndex(jobKey: number): number {
    const last = this.#lastKey.get(taskKey(jobKey, 0), taskKey(jobKey + 1, 0))?.[0];
    const end = typeof last === 'number' ? indexOf(last) + 1 : 0;
    return Math.max(end, this.#dispatches.endIndex(jobKey));
  }

  /** Rows of the given statuses (all, when null) from one index to before another, in order. */
  list(
    jobKey: number,
    statuses: readonly StoredStatus[] | null,
    fromIndex: number,
    beforeIndex: number,
    limit: number,
  ): TaskRow[] {
    const rows = this.#range(statuses, false).all(
      taskKey(jobKey, fromIndex),
      taskKey(jobKey, beforeIndex),
      limit,
    );
    const tasks = rows.map((row) => toTask(row, null));
    if (statuses?.includes('assigned') === false) return tasks;
    const dispatched = this.#dispatches.list(jobKey, fromIndex, beforeIndex, limit);
    if (dispatched.length === 0) return tasks;
    const all = [...tasks, ...dispatched].sort((a, b) => a.index - b.index);
    return limit < 0 ? all : all.slice(0, limit);
  }

  /** Completed rows with the accounts of their accepted attempts, in order. */
  listAccepted(jobKey: number, fromIndex: number, beforeIndex: number, limit: number): TaskRow[] {
    const rows = this.#accepted.all(
      taskKey(jobKey, fromIndex),
      taskKey(jobKey, beforeIndex),
      limit,
    );
    return rows.map((row) => ({
      ...toTask(row, null),
      account: acceptedAccount(row[ENERGY], row[ACCOUNT]),
    }));
  }

  /** How many rows of the status are in each cell. Looks at the index only, and only where there are some. */
  countCells(jobKey: number, status: IndexedStatus, { from, to, width }: CellsAsked): number[] {
    const { first, count } = this.#indexed[status];
    const found = Array.from({ length: Math.ceil((to - from) / width) }, () => 0);
    const end = taskKey(jobKey, to);
    let next = from;
    while (next < to) {
      const key = first.get(taskKey(jobKey, next), end)?.[0];
      if (typeof key !== 'number') break;
      const cell = Math.floor((indexOf(key) - from) / width);
      next = Math.min(to, from + (cell + 1) * width);
      found[cell] = count.get(key, taskKey(jobKey, next))?.[0] as number;
    }
    if (status !== 'assigned') return found;
    for (const index of this.#dispatches.indices(jobKey, from, to)) {
      found[Math.floor((index - from) / width)]!++;
    }
    return found;
  }

  *iterateResults(
    job: { readonly id: string },
    jobKey: number,
    statuses: readonly StoredStatus[],
    fromIndex: number,
    beforeIndex: number,
    limit: number,
  ): Generator<TaskRow | DamagedTask> {
    const from = taskKey(jobKey, fromIndex);
    const before = taskKey(jobKey, beforeIndex);
    const dispatched = statuses.includes('assigned')
      ? this.#dispatches.list(jobKey, fromIndex, beforeIndex, limit)
      : [];
    let next = 0;
    for (const row of this.#range(statuses, true).iterate(from, before, limit)) {
      const index = indexOf(row[0] as number);
      while (next < dispatched.length && dispatched[next]!.index < index) yield dispatched[next++]!;
      yield this.#checked(job, row);
    }
    while (next < dispatched.length) yield dispatched[next++]!;
  }

  /** Pending and assigned rows of a job, by index. */
  listUnfinished(jobKey: number): TaskRow[] {
    const rows = (['pending', 'assigned'] as const).flatMap((status) =>
      this.list(jobKey, [status], 0, indicesPerJob, -1),
    );
    return rows.sort((a, b) => a.index - b.index);
  }

  /** The task of a row with its result, or what is damaged in it. */
  #checked(job: { readonly id: string }, row: Row): TaskRow | DamagedTask {
    const key = row[0] as number;
    const verdict = checkTask(this.#guard, {
      key,
      status: row[1],
      errorType: row[15],
      errorMessage: row[16],
      result: row[RESULT],
      hash: row[HASH],
    });
    if (verdict !== 'damaged') {
      try {
        return toTask(row, row[RESULT] as string | null);
      } catch {
        // A cell that should hold a list does not.
      }
    }
    return this.damaged(job, jobKeyOf(key), indexOf(key));
  }

  damaged(job: { readonly id: string }, jobKey: number, index: number): DamagedTask {
    const task = damagedTask(job, jobKey, index);
    this.#guard.tell(task.damage);
    return task;
  }

  /** Statuses are literals in the statement: otherwise SQLite cannot use the partial index. */
  #range(statuses: readonly StoredStatus[] | null, hasResult: boolean): Statement {
    const codes = statuses?.map((status) => taskStatusCode[status]);
    const id = `${codes?.join() ?? 'all'} ${hasResult}`;
    let statement = this.#ranges.get(id);
    if (statement === undefined) {
      const among = codes === undefined ? '' : `and ${condition(codes)}`;
      statement = prepare(
        this.#db,
        `select ${names}${hasResult ? ', result, hash' : ''} from tasks
          where key >= ? and key < ? ${among} order by key limit ?`,
      );
      this.#ranges.set(id, statement);
    }
    return statement;
  }
}

function condition(codes: readonly number[]): string {
  return codes.length === 1 ? `status = ${codes[0]}` : `status in (${codes.join()})`;
}

/** Writes the cells in the order of `columns`. */
function encode(cells: Cell[], offset: number, row: TaskRow): void {
  let i = offset;
  const key = taskKey(row.jobKey, row.index);
  cells[i++] = key;
  cells[i++] = taskStatusCode[row.status];
  cells[i++] = row.attempt;
  cells[i++] = row.workerId;
  cells[i++] = row.token;
  cells[i++] = row.acceptedAttempt;
  cells[i++] = row.errors;
  cells[i++] = row.losses;
  cells[i++] = row.timeouts;
  cells[i++] = row.notBefore;
  cells[i++] = listToCell(row.avoid);
  cells[i++] = row.assignedAt;
  cells[i++] = row.startedAt;
  cells[i++] = row.completedAt;
  cells[i++] = row.runMs;
  cells[i++] = row.errorType;
  cells[i++] = row.errorMessage;
  cells[i++] = row.others.length === 0 ? null : JSON.stringify(row.others);
  cells[i++] = row.runBeforeMs;
  cells[i++] = row.resultJson;
  cells[i++] = taskHash(key, row);
  cells[i++] = row.account?.energyJoules ?? null;
  cells[i] = acceptedCell(row.account);
}

function toTask(row: Row, resultJson: string | null): TaskRow {
  const key = row[0] as number;
  return {
    jobKey: jobKeyOf(key),
    index: indexOf(key),
    status: taskStatuses[row[1] as number]!,
    attempt: row[2] as number,
    workerId: row[3] as string | null,
    token: row[4] as string | null,
    acceptedAttempt: row[5] as number | null,
    errors: row[6] as number,
    losses: row[7] as number,
    timeouts: row[8] as number,
    notBefore: row[9] as number,
    avoid: cellToTexts(row[10]),
    assignedAt: row[11] as number | null,
    startedAt: row[12] as number | null,
    completedAt: row[13] as number | null,
    runMs: row[14] as number | null,
    errorType: row[15] as string | null,
    errorMessage: row[16] as string | null,
    others: toOthers(row[17] as string | null),
    runBeforeMs: row[18] as number | null,
    account: null,
    resultJson,
  };
}

function toOthers(cell: string | null): readonly LiveAttemptRow[] {
  if (cell === null) return [];
  return (JSON.parse(cell) as LiveAttemptRow[]).map((each) => ({
    ...each,
    runBeforeMs: each.runBeforeMs ?? null,
  }));
}
