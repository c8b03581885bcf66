// Reads what is moved from a file, a page at a time.

import type { DatabaseSync } from 'node:sqlite';
import { indexOf, jobKeyOf } from '../../../core/task-key.ts';
import { damagedTasks, valueFault } from '../../damage.ts';
import { taskStatusCode } from '../../enumerations.ts';
import {
  type MovedCell,
  movedRow,
  type MovedRow,
  type MovedTable,
} from '../../move/moved-tables.ts';
import type { Bounds, Page, Place } from '../../move/sides.ts';
import { indicesOf, tokensIn } from '../tables/dispatch-table.ts';
import { type Cell, prepare, type Row, type Statement } from '../tables/statement.ts';
import { type StoredTable, storedTables } from './stored-tables.ts';

/** About the bytes of a row that has no large values. */
const bytesOfRow = 64;

/** Some rows of a table stand somewhere else: a part is what is read by one statement. */
interface Part {
  readonly key: number;
  readonly first: Statement;
  readonly more: Statement;
  /** Behind the key are the cells. */
  decode(row: Row): readonly MovedRow[];
}

export class PageReader {
  readonly #db: DatabaseSync;
  readonly #tables: ReadonlyMap<string, StoredTable>;
  readonly #parts = new Map<string, readonly Part[]>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#tables = storedTables(db);
  }

  /** A place begins with the number of its part. */
  read(table: MovedTable, after: Place | null, bounds: Bounds): Page {
    const parts = this.#partsOf(table);
    const [number = 0, ...key] = (after ?? []) as readonly [number?, ...Cell[]];
    const part = parts[number]!;
    const statement = key.length === 0 ? part.first : part.more;
    const rows: MovedRow[] = [];
    let bytes = 0;
    for (const row of statement.iterate(...key)) {
      for (const moved of part.decode(row)) {
        rows.push(moved);
        bytes += sizeOf(moved);
      }
      // The statement is given up in the middle: it is asked anew from here on.
      if (rows.length >= bounds.rows || bytes >= bounds.bytes) {
        return { rows, bytes, next: [number, ...(row.slice(0, part.key) as (number | string)[])] };
      }
    }
    return { rows, bytes, next: number + 1 < parts.length ? [number + 1] : null };
  }

  #partsOf(table: MovedTable): readonly Part[] {
    let parts = this.#parts.get(table.name);
    if (parts === undefined) {
      parts = [this.#ownPart(table)];
      if (table.name === 'tasks') parts = [...parts, this.#dispatched(table)];
      this.#parts.set(table.name, parts);
    }
    return parts;
  }

  #ownPart({ name }: MovedTable): Part {
    const { key, isVisible, reads } = this.#tables.get(name)!;
    const cells = [...new Set(reads.flatMap(({ from }) => from))];
    const places = reads.map(({ from }) => from.map((cell) => key.length + cells.indexOf(cell)));
    return {
      ...this.#statements(name, [...key, ...cells], key, isVisible),
      decode: (row) => [
        reads.map(({ make }, i): MovedCell => make(...places[i]!.map((cell) => row[cell]!))),
      ],
    };
  }

  /** Tasks that stand in a dispatch and have no row of their own; elsewhere each has one. */
  #dispatched(table: MovedTable): Part {
    const hasRow = prepare(this.#db, 'select 1 from tasks where key = ?');
    const columns = ['key', 'worker_id', 'assigned_at', 'tasks', 'tokens'];
    const isVisible = `exists (select 1 from jobs
      where jobs.key = dispatches.key >> 24 and jobs.generation = (select generation from meta))`;
    return {
      ...this.#statements('dispatches', columns, ['key'], isVisible),
      decode: ([cell, workerId, assignedAt, tasks, tokens]) => {
        const key = cell as number;
        const indices = indicesOf(key, tasks);
        if (indices === undefined) throw valueFault(damagedTasks(`number ${jobKeyOf(key)}`));
        const byIndex = tokensIn(tokens, indices);
        const first = indexOf(key);
        return indices
          .filter((index) => hasRow.get(key + index - first) === undefined)
          .map((index) =>
            movedRow(table, {
              job_key: jobKeyOf(key),
              task_index: index,
              status: taskStatusCode.assigned,
              attempt: 1,
              worker_id: workerId!,
              token: byIndex.get(index) ?? '',
              errors: 0,
              losses: 0,
              timeouts: 0,
              not_before: 0,
              avoid: '[]',
              assigned_at: assignedAt!,
              others: '[]',
              run_before_ms: 0,
            }),
          );
      },
    };
  }

  #statements(
    from: string,
    cells: readonly string[],
    key: readonly string[],
    isVisible: string,
  ): Omit<Part, 'decode'> {
    const select = `select ${cells.join(', ')} from ${from} where ${isVisible}`;
    const order = `order by ${key.join(', ')}`;
    const places = key.map(() => '?').join(', ');
    return {
      key: key.length,
      first: prepare(this.#db, `${select} ${order}`),
      more: prepare(this.#db, `${select} and (${key.join(', ')}) > (${places}) ${order}`),
    };
  }
}

function sizeOf(row: MovedRow): number {
  let bytes = bytesOfRow;
  for (const cell of row) {
    if (typeof cell === 'string' || cell instanceof Uint8Array) bytes += cell.length;
  }
  return bytes;
}
