// Programs, each stored once under the SHA-256 of its JSON text, and which job has which. A program
// goes with the last of its jobs.

import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { ProgramText } from '../rows.ts';
import { prepare, type Statement } from './statement.ts';

export class ProgramTable {
  readonly #find: Statement;
  readonly #insert: Statement;
  readonly #refer: Statement;
  readonly #read: Statement;
  readonly #readHash: Statement;
  readonly #ofJob: Statement;
  readonly #letGo: Statement;
  readonly #delete: Statement;

  constructor(db: DatabaseSync) {
    this.#find = prepare(db, 'select key from programs where sha256 = ?');
    this.#insert = prepare(db, 'insert into programs (sha256, json) values (?, ?)');
    this.#refer = prepare(
      db,
      'insert or ignore into job_programs (job_key, program_key) values (?, ?)',
    );
    const ofJob = 'from job_programs join programs on key = program_key where job_key = ?';
    this.#read = prepare(db, `select sha256, json ${ofJob}`);
    this.#readHash = prepare(db, `select sha256 ${ofJob}`);
    this.#ofJob = prepare(db, 'select program_key from job_programs where job_key = ?');
    this.#letGo = prepare(db, 'delete from job_programs where job_key = ?');
    this.#delete = prepare(
      db,
      `delete from programs where key = ?
        and not exists (select 1 from job_programs where program_key = programs.key)`,
    );
  }

  /** A text that is there already is not bound once more: it may be megabytes. */
  write(jobKey: number, { sha256, json }: ProgramText): void {
    const found = this.#find.get(sha256)?.[0] as number | undefined;
    const key = found ?? Number(this.#insert.run(sha256, json).lastInsertRowid);
    this.#refer.run(jobKey, key);
  }

  find(jobKey: number): ProgramText | undefined {
    const row = this.#read.get(jobKey);
    return row && { sha256: row[0] as string, json: row[1] as string };
  }

  findHash(jobKey: number): string | undefined {
    return this.#readHash.get(jobKey)?.[0] as string | undefined;
  }

  /** Returns how many rows went. */
  remove(jobKey: number): number {
    const program = this.#ofJob.get(jobKey)?.[0] as number | undefined;
    if (program === undefined) return 0;
    return Number(this.#letGo.run(jobKey).changes) + Number(this.#delete.run(program).changes);
  }
}

/** For the migration of files in which each job had a text of its own: SQLite has no SHA-256. */
export function defineSha256(db: DatabaseSync): void {
  db.function('sha256', { deterministic: true, directOnly: true }, (text) =>
    hash('sha256', String(text)),
  );
}
