// The rows that a job has in one table, as sweeping deletes them. Most jobs have none in most tables, and a
// deletion that finds nothing takes twenty times as long as a look: so there is a look before each.

import type { DatabaseSync } from 'node:sqlite';
import { taskKey } from '../../core/task-key.ts';
import { prepare, type Statement } from './tables/statement.ts';

interface Place {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: string;
  /** Which column tells the job: by itself, or as the upper part of the key of a task. */
  readonly by: 'job_key' | 'key' | 'task_key';
  /** So many rows at a time, of tables whose rows may be large. */
  readonly atOnce?: number;
}

export class RowsOfJob {
  readonly #has: Statement;
  readonly #delete: Statement;
  readonly #isByTask: boolean;
  readonly #atOnce: number;

  constructor(db: DatabaseSync, { table, key, by, atOnce = Infinity }: Place) {
    this.#isByTask = by !== 'job_key';
    this.#atOnce = atOnce;
    const of = `from ${table} where ${this.#isByTask ? `${by} >= ? and ${by} < ?` : `${by} = ?`}`;
    this.#has = prepare(db, `select 1 ${of} limit 1`);
    this.#delete = prepare(
      db,
      `delete from ${table} where (${key}) in (select ${key} ${of} limit ?)`,
    );
  }

  /** Deletes at most `limit`; tells how many, and whether there may be more. */
  delete(jobKey: number, limit: number): { readonly rows: number; readonly hasMore: boolean } {
    const place = this.#isByTask ? [taskKey(jobKey, 0), taskKey(jobKey + 1, 0)] : [jobKey];
    if (this.#has.get(...place) === undefined) return { rows: 0, hasMore: false };
    const asked = Math.min(limit, this.#atOnce);
    const rows = Number(this.#delete.run(...place, asked).changes);
    return { rows, hasMore: rows === asked };
  }
}
