// What was done, and by whom. It belongs to no generation; rows are added and, from the oldest on, trimmed.

import type { AuditFilter } from '../../reading.ts';
import type { AuditEntry, AuditOutcome, AuditRow } from '../../rows.ts';
import type { AuditKept } from '../../writing.ts';
import type { Cell, Query, Statement } from '../driver/statement.ts';
import { integer, real, text } from './kinds.ts';
import { RowShape } from './row-shape.ts';

const entryKinds = {
  at: real,
  action: text(),
  object: text(),
  outcome: text<AuditOutcome>(),
  code: text(),
  count: integer,
  tokenId: text(),
  role: text(),
  owner: text(),
  address: text(),
};
const entry = new RowShape<AuditEntry>(entryKinds);
const shape = new RowShape<AuditRow>({ id: integer, ...entryKinds });
const texts = text();

/** Behind the newest, which always stays. */
const insertText = `insert into audit (${shape.columns()})
  select r.id + (select coalesce(max(id), 0) from audit), ${entry.columns('r')}
  from ${shape.unnest('r')}`;

export function auditStatements(entries: readonly AuditEntry[]): Statement[] {
  if (entries.length === 0) return [];
  const rows = entries.map((each, place) => ({ id: place + 1, ...each }));
  return [{ text: insertText, values: shape.arrays(rows) }];
}

const listText = `select ${shape.columns()} from audit where id < $1
    and ($2::text is null or token_id = $2) and ($3::text is null or owner = $3)
    and ($4::text is null or action = $4) and ($5::text is null or outcome = $5)
    and ($6::text is null or address = $6)
    and ($7::double precision is null or at >= $7) and ($8::double precision is null or at < $8)
  order by id desc limit $9`;

/** Entries with an id below `beforeId`, newest first. */
export async function listAudit(
  query: Query,
  { tokenId, owner, action, outcome, address, since, until }: AuditFilter,
  beforeId: number,
  limit: number,
): Promise<readonly AuditRow[]> {
  const same = [tokenId, owner, action, outcome, address].map(
    (value): Cell => (value === undefined ? null : texts.encode(value)),
  );
  const rows = await query(listText, [beforeId, ...same, since ?? null, until ?? null, limit]);
  return rows.map((row) => shape.decode(row));
}

const tooMany = (which: string, most: string) =>
  `select id from audit where outcome ${which} and id <= (select id from audit where outcome ${which}
    order by id desc limit 1 offset ${most})`;
const trimText = `delete from audit where id = any(array(
    select id from (
      select id from (select id, at from audit order by id limit $4) as oldest where at < $1
      union (${tooMany(`= 'done'`, '$2')} order by id limit $4)
      union (${tooMany(`<> 'done'`, '$3')} order by id limit $4)
    ) as going
    where id <> (select max(id) from audit) order by id limit $4))
  returning true`;

/** Deletes what is older, or more, than is kept, but not the newest. True when there may be more. */
export async function trimAudit(
  query: Query,
  { since, done, refused }: AuditKept,
  rows: number,
): Promise<boolean> {
  return (await query(trimText, [since, done, refused, rows])).length === rows;
}
