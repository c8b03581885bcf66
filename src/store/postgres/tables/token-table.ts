// Tokens. They belong to no generation.

import type { TokenRow } from '../../rows.ts';
import type { Query, Row, Statement } from '../driver/statement.ts';
import { flag, integer, json, real, text } from './kinds.ts';
import { inLayers, RowShape } from './row-shape.ts';

const shape = new RowShape<TokenRow>({
  id: text(),
  kind: text<TokenRow['kind']>(),
  hash: text(),
  owner: text(),
  label: text(),
  createdAt: real,
  expiresAt: real,
  lastUsedAt: real,
  quota: json<TokenRow['quota']>(),
  usesLeft: integer,
  revokedAt: real,
  workerId: text(),
  labels: json<TokenRow['labels']>(),
  needsApproval: flag,
  joinedBy: text(),
  givenName: text(),
});
const texts = text();

const upsertText = `insert into tokens (${shape.columns()}) select * from ${shape.unnest('r')}
  on conflict (id) do update set ${shape.replaced(['id'])}`;

export function tokenStatements(rows: readonly TokenRow[]): Statement[] {
  return inLayers(
    rows,
    ({ id }) => id,
    (some) => ({ text: upsertText, values: shape.arrays(some) }),
  );
}

export function revokeTokens(hashes: readonly string[], at: number): Statement[] {
  if (hashes.length === 0) return [];
  const values = [hashes.map((hash) => texts.encode(hash)), at];
  return [{ text: 'update tokens set revoked_at = $2 where hash = any($1::text[])', values }];
}

export function dropTokens(ids: readonly string[]): Statement[] {
  if (ids.length === 0) return [];
  const values = [ids.map((id) => texts.encode(id))];
  return [{ text: 'delete from tokens where id = any($1::text[])', values }];
}

const select = `select ${shape.columns()} from tokens`;
const listText = `${select} where kind <> 'worker' order by created_at, id`;
const findText = `${select} where hash = $1`;
const findOfWorkerText = `${select} where kind = 'worker' and (id = $1 or worker_id = $1)
  order by created_at, id limit 1`;
const listOfWorkersText = `${select} where kind = 'worker' and revoked_at is null
  order by created_at desc, id limit $1`;

/** All but those of workers, oldest first. */
export async function listTokens(query: Query): Promise<readonly TokenRow[]> {
  return (await query(listText)).map(toToken);
}

export async function findToken(query: Query, hash: string): Promise<TokenRow | undefined> {
  const [row] = await query(findText, [texts.encode(hash)]);
  return row && toToken(row);
}

/** By its own id or by that of the worker. */
export async function findTokenOfWorker(query: Query, id: string): Promise<TokenRow | undefined> {
  const [row] = await query(findOfWorkerText, [texts.encode(id)]);
  return row && toToken(row);
}

/** Those that were not revoked, newest first. */
export async function listTokensOfWorkers(
  query: Query,
  limit: number,
): Promise<readonly TokenRow[]> {
  return (await query(listOfWorkersText, [limit])).map(toToken);
}

function toToken(row: Row): TokenRow {
  return shape.decode(row);
}
