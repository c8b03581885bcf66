// Dispatches: several fresh tasks of one job that one worker was given in one batch, in one row. A task stands
// there until it has a row of its own, which then counts; so one that goes well is written once, when it has
// ended. Which tasks still stand in their dispatch is known to `open-dispatches.ts`.

import type { DatabaseSync } from 'node:sqlite';
import { indicesPerJob, indexOf, taskKey } from '../../../core/task-key.ts';
import type { TaskRow } from '../../rows.ts';
import { prepare, type Cell, type Row, type Statement } from './statement.ts';
import { dispatchKind, valueHash, type ValueGuard, type Verdict } from './value-hash.ts';

/** Where a dispatch lies, and what its tasks have in common. */
export interface DispatchHead {
  /** Of its first task. */
  readonly key: number;
  readonly workerId: string;
  readonly assignedAt: number;
}

export interface Dispatch extends DispatchHead {
  /** Ascending. */
  readonly indices: readonly number[];
}

export interface DispatchCells {
  readonly key: number;
  readonly workerId: Cell | undefined;
  readonly assignedAt: Cell | undefined;
  readonly tasks: Cell | undefined;
  readonly tokens: Cell | undefined;
  readonly hash: Cell | undefined;
}

/** More tasks than these become several dispatches, so that a row stays some tens of kilobytes. */
export const mostTasksInDispatch = 1_024;

const columns = 'key, worker_id, assigned_at, tasks, tokens, hash';

export class DispatchTable {
  readonly #guard: ValueGuard;
  readonly #write: Statement;
  readonly #drop: Statement;
  readonly #list: Statement;
  readonly #tokens: Statement;
  readonly #taskBetween: Statement;

  constructor(db: DatabaseSync, guard: ValueGuard) {
    this.#guard = guard;
    this.#write = prepare(db, `insert into dispatches (${columns}) values (?, ?, ?, ?, ?, ?)`);
    this.#drop = prepare(db, 'delete from dispatches where key = ?');
    // Those of jobs that nobody can see any more are going to be swept.
    this.#list = prepare(
      db,
      `select ${columns.replace(/\w+/g, 'd.$&')}, jobs.id from dispatches d
        join jobs on jobs.key = d.key / ${indicesPerJob}
        where jobs.generation = (select generation from meta) order by d.key`,
    );
    this.#tokens = prepare(db, 'select tasks, tokens from dispatches where key = ?');
    this.#taskBetween = prepare(
      db,
      'select key from tasks where key >= ? and key <= ? order by key limit 1',
    );
  }

  /** Writes these fresh tasks of one job, worker and moment, by index, and returns where they stand. */
  write(rows: readonly TaskRow[]): DispatchHead {
    const [{ jobKey, index, workerId, assignedAt }] = rows as readonly [TaskRow];
    const head = { key: taskKey(jobKey, index), workerId: workerId!, assignedAt: assignedAt! };
    const isInRow = rows.at(-1)!.index - index === rows.length - 1;
    const tasks = isInRow
      ? String(rows.length)
      : JSON.stringify(rows.map((row) => row.index - index));
    const tokens = JSON.stringify(rows.map(({ token }) => token));
    const hash = dispatchHash(head, tasks, tokens);
    this.#write.run(head.key, head.workerId, head.assignedAt, tasks, tokens, hash);
    return head;
  }

  drop(key: number): void {
    this.#drop.run(key);
  }

  /** Those of jobs that can be seen. Tells of damaged ones, and leaves out those whose tasks cannot be told. */
  *list(onDamage: (jobId: string) => void): Generator<Dispatch> {
    for (const row of this.#list.all()) {
      const cells = cellsOf(row);
      if (checkDispatch(this.#guard, cells) === 'damaged') onDamage(String(row[6]));
      const indices = indicesOf(cells.key, cells.tasks);
      if (indices === undefined) continue;
      const { key, workerId, assignedAt } = cells;
      yield { key, workerId: String(workerId), assignedAt: Number(assignedAt), indices };
    }
  }

  /** Tokens by index. A task whose token cannot be read is not among them. */
  tokensOf(key: number): ReadonlyMap<number, string> {
    const [tasks, cell] = this.#tokens.get(key) ?? [];
    return tokensIn(cell, indicesOf(key, tasks) ?? []);
  }

  /** Whether any task from the one index to the other, both included, has a row of its own. */
  hasTaskBetween(jobKey: number, first: number, last: number): boolean {
    const key = this.#taskBetween.get(taskKey(jobKey, first), taskKey(jobKey, last));
    return key !== undefined;
  }
}

export function checkDispatch(guard: ValueGuard, cells: DispatchCells): Verdict {
  const { key, workerId, assignedAt, tasks, tokens, hash } = cells;
  const isWhole = typeof workerId === 'string' && typeof assignedAt === 'number';
  if (!isWhole || typeof tasks !== 'string' || typeof tokens !== 'string') return 'damaged';
  return guard.checkText(hash, dispatchKind, key, textOf({ workerId, assignedAt }, tasks, tokens));
}

function dispatchHash(head: DispatchHead, tasks: string, tokens: string): number {
  return valueHash(dispatchKind, head.key, textOf(head, tasks, tokens));
}

function textOf(head: Omit<DispatchHead, 'key'>, tasks: string, tokens: string): string {
  return `${head.workerId}\n${head.assignedAt}\n${tasks}\n${tokens}`;
}

function cellsOf([key, workerId, assignedAt, tasks, tokens, hash]: Row): DispatchCells {
  return { key: key as number, workerId, assignedAt, tasks, tokens, hash };
}

/** Tokens by index. A task whose token cannot be read is not among them. */
export function tokensIn(
  cell: Cell | undefined,
  indices: readonly number[],
): ReadonlyMap<number, string> {
  const tokens = listOf(cell);
  const found = new Map<number, string>();
  indices.forEach((index, place) => {
    const token = tokens?.[place];
    if (typeof token === 'string') found.set(index, token);
  });
  return found;
}

/** Undefined when the cell is damaged. */
export function indicesOf(key: number, cell: Cell | undefined): readonly number[] | undefined {
  const first = indexOf(key);
  const isCount = typeof cell === 'string' && /^[1-9]\d{0,3}$/.test(cell);
  const distances = isCount ? Array.from({ length: Number(cell) }, (_, i) => i) : listOf(cell);
  if (distances === undefined || distances.length > mostTasksInDispatch) return undefined;
  const indices = distances.map((distance) => first + Number(distance));
  const isSound = indices.every(
    (index, place) =>
      Number.isInteger(index) &&
      index < indicesPerJob &&
      index > (place === 0 ? first - 1 : indices[place - 1]!),
  );
  return isSound ? indices : undefined;
}

function listOf(cell: Cell | undefined): readonly unknown[] | undefined {
  try {
    const list = typeof cell === 'string' ? (JSON.parse(cell) as unknown) : undefined;
    return Array.isArray(list) ? (list as readonly unknown[]) : undefined;
  } catch {
    return undefined;
  }
}
