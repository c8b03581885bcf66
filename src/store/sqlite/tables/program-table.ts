// Programs, each stored once under the SHA-256 of its JSON text, and which job has which. A program
// goes with the last of its jobs.

import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { damagedProgram, valueFault } from '../../damage.ts';
import type { ProgramText } from '../../rows.ts';
import { prepare, type Statement } from './statement.ts';
import { programKind, programName, type ValueGuard, valueHash } from './value-hash.ts';

export class ProgramTable {
  readonly #guard: ValueGuard;
  readonly #find: Statement;
  readonly #insert: Statement;
  readonly #refer: Statement;
  readonly #read: Statement;
  readonly #readHash: Statement;
  readonly #ofJob: Statement;
  readonly #letGo: Statement;
  readonly #delete: Statement;

  constructor(db: DatabaseSync, guard: ValueGuard) {
    this.#guard = guard;
    this.#find = prepare(db, 'select key from programs where sha256 = ?');
    this.#insert = prepare(db, 'insert into programs (sha256, json) values (?, ?)');
    this.#refer = prepare(
      db,
      'insert or ignore into job_programs (job_key, program_key, hash) values (?, ?, ?)',
    );
    const ofJob = 'from job_programs join programs on key = program_key where job_key = ?';
    this.#read = prepare(db, `select sha256, json, hash ${ofJob}`);
    this.#readHash = prepare(db, `select sha256 ${ofJob}`);
    this.#ofJob = prepare(db, 'select program_key from job_programs where job_key = ?');
    this.#letGo = prepare(db, 'delete from job_programs where job_key = ?');
    this.#delete = prepare(
      db,
      `delete from programs where key = ?
        and not exists (select 1 from job_programs where program_key = programs.key)`,
    );
  }

  /** A text that is stored already is not passed to SQLite again: it may be megabytes. */
  write(jobKey: number, { sha256, json }: ProgramText): void {
    const found = this.#find.get(sha256)?.[0] as number | undefined;
    const key = found ?? Number(this.#insert.run(sha256, json).lastInsertRowid);
    this.#refer.run(jobKey, key, valueHash(programKind, jobKey, sha256));
  }

  /** Throws a `StoreFault` when the program is damaged, or is not the one that the job was submitted with. */
  find(jobKey: number, jobId: string): ProgramText | undefined {
    const row = this.#read.get(jobKey);
    if (row === undefined) return undefined;
    const [name, json, hashOfJob] = row;
    const sha256 = programName(name, json);
    if (
      sha256 !== undefined &&
      this.#guard.checkProgramOf(jobKey, hashOfJob, sha256) === 'intact'
    ) {
      return { sha256, json: json as string };
    }
    const sentence = damagedProgram(jobId);
    this.#guard.tell(sentence);
    throw valueFault(sentence);
  }

  findHash(jobKey: number): string | undefined {
    return this.#readHash.get(jobKey)?.[0] as string | undefined;
  }

  /** Returns how many rows were deleted. */
  remove(jobKey: number): number {
    const program = this.#ofJob.get(jobKey)?.[0] as number | undefined;
    if (program === undefined) return 0;
    return Number(this.#letGo.run(jobKey).changes) + Number(this.#delete.run(program).changes);
  }
}

/**
 * Defines hash functions, which SQLite lacks, for migrations of files in which each job had a text of its
 * own. The first one is given the key and reads the text itself: an argument of such a function stays in
 * memory until the statement ends, which would be every program of the file at once.
 */
export function defineHashes(db: DatabaseSync): void {
  let read: Statement | undefined;
  db.function('sha256_of_program', { directOnly: true }, (jobKey) => {
    read ??= prepare(db, 'select json from programs_by_job where job_key = ?');
    return hash('sha256', String(read.get(Number(jobKey))?.[0]));
  });
  db.function('hash_of_program_name', { directOnly: true }, (jobKey, sha256) =>
    valueHash(programKind, Number(jobKey), String(sha256)),
  );
}
