// What was done, and by whom. It belongs to no generation; rows are added and, from the oldest on, trimmed.

import type { DatabaseSync } from 'node:sqlite';
import type { AuditFilter } from '../../reading.ts';
import type { AuditEntry, AuditRow } from '../../rows.ts';
import type { AuditKept } from '../../writing.ts';
import { type Cell, prepare, type Row, type Statement } from './statement.ts';

const columns = 'at, action, object, outcome, code, count, token_id, role, owner, address';
const trimmedOf = (which: string) =>
  `select id from audit where outcome ${which} and id <= (select id from audit where outcome ${which}` +
  ' order by id desc limit 1 offset ?) order by id limit ?';

export class AuditTable {
  readonly #write: Statement;
  readonly #newest: Statement;
  readonly #list: Statement;
  readonly #old: Statement;
  readonly #tooManyDone: Statement;
  readonly #tooManyRefused: Statement;
  readonly #drop: Statement;

  constructor(db: DatabaseSync) {
    const places = columns.replaceAll(/\w+/g, '?');
    this.#write = prepare(db, `insert into audit (${columns}) values (${places})`);
    this.#newest = prepare(db, 'select max(id) from audit');
    this.#list = prepare(
      db,
      `select id, ${columns} from audit where id < ?1 and id >= ?2
        and (?3 is null or token_id = ?3) and (?4 is null or owner = ?4)
        and (?5 is null or action = ?5) and (?6 is null or outcome = ?6)
        and (?7 is null or address = ?7) and (?8 is null or at >= ?8) and (?9 is null or at < ?9)
        order by id desc limit ?10`,
    );
    this.#old = prepare(
      db,
      'select id from (select id, at from audit order by id limit ?2) where at < ?1',
    );
    this.#tooManyDone = prepare(db, trimmedOf("= 'done'"));
    this.#tooManyRefused = prepare(db, trimmedOf("<> 'done'"));
    this.#drop = prepare(db, 'delete from audit where id = ?');
  }

  write(entry: AuditEntry): void {
    this.#write.run(
      entry.at,
      entry.action,
      entry.object,
      entry.outcome,
      entry.code,
      entry.count,
      entry.tokenId,
      entry.role,
      entry.owner,
      entry.address,
    );
  }

  newestId(): number {
    return (this.#newest.get()?.[0] ?? 0) as number;
  }

  /** Of the ids from `fromId` to below `beforeId`, newest first. */
  list(filter: AuditFilter, fromId: number, beforeId: number, limit: number): readonly AuditRow[] {
    const asked: Cell[] = [
      filter.tokenId ?? null,
      filter.owner ?? null,
      filter.action ?? null,
      filter.outcome ?? null,
      filter.address ?? null,
      filter.since ?? null,
      filter.until ?? null,
    ];
    return this.#list.all(beforeId, fromId, ...asked, limit).map(toAudit);
  }

  /** Ids that go, oldest first, at most `rows`. */
  listTrimmed({ since, done, refused }: AuditKept, rows: number): readonly number[] {
    const newest = this.newestId();
    const going = [
      ...this.#old.all(since, rows),
      ...this.#tooManyDone.all(done, rows),
      ...this.#tooManyRefused.all(refused, rows),
    ].map(([id]) => id as number);
    return [...new Set(going)]
      .filter((id) => id !== newest)
      .sort((a, b) => a - b)
      .slice(0, rows);
  }

  drop(ids: readonly number[]): void {
    for (const id of ids) this.#drop.run(id);
  }
}

function toAudit(row: Row): AuditRow {
  return {
    id: row[0] as number,
    at: row[1] as number,
    action: row[2] as string,
    object: row[3] as string | null,
    outcome: row[4] as AuditRow['outcome'],
    code: row[5] as string | null,
    count: row[6] as number,
    tokenId: row[7] as string | null,
    role: row[8] as string | null,
    owner: row[9] as string | null,
    address: row[10] as string | null,
  };
}
