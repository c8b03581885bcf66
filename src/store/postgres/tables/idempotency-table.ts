// Which job was made by a submission with which key.

import type { IdempotencyRow } from '../../rows.ts';
import type { Query, Statement } from '../driver/statement.ts';
import { encodeText } from '../driver/text.ts';
import { integer, real, text } from './kinds.ts';
import { inLayers, RowShape } from './row-shape.ts';
import { isVisible, joinVisible } from './visible.ts';

/** The id of the job is stored with the job. */
type KeyCells = Omit<IdempotencyRow, 'jobId'>;

const ids = text();
const shape = new RowShape<KeyCells>({
  key: text(),
  jobKey: integer,
  bodyHash: text(),
  createdAt: real,
});

const upsertText = `insert into idempotency_keys (${shape.columns()})
  select ${shape.columns('r')} from ${shape.unnest('r')} ${joinVisible('r')}
  on conflict (key) do update set ${shape.replaced(['key'])}`;

/** Those of jobs that can be seen are stored. */
export function keyStatements(rows: readonly IdempotencyRow[]): Statement[] {
  const keyOf = (row: IdempotencyRow) => row.key;
  return inLayers(rows, keyOf, (some) => ({ text: upsertText, values: shape.arrays(some) }));
}

/** Each is looked up by itself, whatever the planner believes. */
const findText = `select ${shape.columns('found')}, jobs.id
  from unnest($1::text[]) with ordinality as named(key, place)
    cross join lateral (select * from idempotency_keys where key = named.key offset 0) as found
    cross join lateral (select id from jobs where key = found.job_key and ${isVisible('jobs')} offset 0) as jobs
  order by named.place`;

/** Of jobs that can be seen, in the order in which they are named. */
export async function findKeys(
  query: Query,
  named: readonly string[],
): Promise<readonly IdempotencyRow[]> {
  const rows = await query(findText, [named.map(encodeText)]);
  return rows.map((row) => ({
    ...shape.decode(row),
    jobId: ids.decode(row[shape.fields.length]!),
  }));
}
