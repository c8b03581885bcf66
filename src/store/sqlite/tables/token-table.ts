// Tokens. They belong to no generation.

import type { DatabaseSync } from 'node:sqlite';
import type { TokenRow } from '../../rows.ts';
import { prepare, type Row, type Statement } from './statement.ts';

const columns =
  'id, kind, hash, owner, label, created_at, expires_at, last_used_at, quota, uses_left, revoked_at, ' +
  'worker_id, labels, needs_approval, joined_by, given_name';

export class TokenTable {
  readonly #write: Statement;
  readonly #revoke: Statement;
  readonly #drop: Statement;
  readonly #find: Statement;
  readonly #list: Statement;
  readonly #findOfWorker: Statement;
  readonly #listOfWorkers: Statement;

  constructor(db: DatabaseSync) {
    const places = columns.replaceAll(/\w+/g, '?');
    this.#write = prepare(db, `replace into tokens (${columns}) values (${places})`);
    this.#revoke = prepare(db, 'update tokens set revoked_at = ? where hash = ?');
    this.#drop = prepare(db, 'delete from tokens where id = ?');
    this.#find = prepare(db, `select ${columns} from tokens where hash = ?`);
    this.#list = prepare(
      db,
      `select ${columns} from tokens where kind <> 'worker' order by created_at, id`,
    );
    const ofWorkers = `select ${columns} from tokens where kind = 'worker'`;
    // An operator asks, and seldom: without an index.
    this.#findOfWorker = prepare(db, `${ofWorkers} and (id = ?1 or worker_id = ?1)`);
    this.#listOfWorkers = prepare(
      db,
      `${ofWorkers} and revoked_at is null order by created_at desc, id limit ?`,
    );
  }

  write(row: TokenRow): void {
    this.#write.run(
      row.id,
      row.kind,
      row.hash,
      row.owner,
      row.label,
      row.createdAt,
      row.expiresAt,
      row.lastUsedAt,
      JSON.stringify(row.quota),
      row.usesLeft,
      row.revokedAt,
      row.workerId,
      JSON.stringify(row.labels),
      row.needsApproval ? 1 : 0,
      row.joinedBy,
      row.givenName,
    );
  }

  revoke(hash: string, at: number): void {
    this.#revoke.run(at, hash);
  }

  drop(id: string): void {
    this.#drop.run(id);
  }

  find(hash: string): TokenRow | undefined {
    const row = this.#find.get(hash);
    return row && toToken(row);
  }

  /** All but those of workers, oldest first. */
  list(): readonly TokenRow[] {
    return this.#list.all().map(toToken);
  }

  /** By its own id or by that of the worker. */
  findOfWorker(id: string): TokenRow | undefined {
    const row = this.#findOfWorker.get(id);
    return row && toToken(row);
  }

  /** Those that were not revoked, newest first. */
  listOfWorkers(limit: number): readonly TokenRow[] {
    return this.#listOfWorkers.all(limit).map(toToken);
  }
}

function toToken(row: Row): TokenRow {
  return {
    id: row[0] as string,
    kind: row[1] as TokenRow['kind'],
    hash: row[2] as string,
    owner: row[3] as string,
    label: row[4] as string | null,
    createdAt: row[5] as number,
    expiresAt: row[6] as number | null,
    lastUsedAt: row[7] as number | null,
    quota: JSON.parse(row[8] as string) as TokenRow['quota'],
    usesLeft: row[9] as number | null,
    revokedAt: row[10] as number | null,
    workerId: row[11] as string | null,
    labels: JSON.parse(row[12] as string) as TokenRow['labels'],
    needsApproval: row[13] === 1,
    joinedBy: row[14] as string | null,
    givenName: row[15] as string | null,
  };
}
