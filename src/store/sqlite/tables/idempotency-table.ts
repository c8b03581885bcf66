// Which job was made by a submission with which key.

import type { DatabaseSync } from 'node:sqlite';
import type { IdempotencyRow } from '../../rows.ts';
import { prepare, type Statement } from './statement.ts';

export class IdempotencyTable {
  readonly #write: Statement;
  readonly #find: Statement;

  constructor(db: DatabaseSync) {
    this.#write = prepare(
      db,
      `replace into idempotency_keys (key, job_key, body_hash, created_at)
        select ?, ?, ?, ? where exists (select 1 from jobs where key = ? and generation = ?)`,
    );
    this.#find = prepare(
      db,
      `select idempotency_keys.job_key, body_hash, idempotency_keys.created_at, jobs.id
        from idempotency_keys join jobs on jobs.key = idempotency_keys.job_key
        where idempotency_keys.key = ? and jobs.generation = ?`,
    );
  }

  /** Writes a row, if its job is of this generation. */
  write({ key, jobKey, bodyHash, createdAt }: IdempotencyRow, generation: number): void {
    this.#write.run(key, jobKey, bodyHash, createdAt, jobKey, generation);
  }

  find(key: string, generation: number): IdempotencyRow | undefined {
    const row = this.#find.get(key, generation);
    if (row === undefined) return undefined;
    return {
      key,
      bodyHash: row[1] as string,
      jobId: row[3] as string,
      jobKey: row[0] as number,
      createdAt: row[2] as number,
    };
  }
}
