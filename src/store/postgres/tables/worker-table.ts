// Workers, deregistered ones included.

import type { Draining, Joined, Quarantine } from '../../../core/records.ts';
import type { WorkerRow } from '../../rows.ts';
import type { Query, Statement } from '../driver/statement.ts';
import { flag, integer, json, real, small, text } from './kinds.ts';
import { inLayers, RowShape } from './row-shape.ts';
import { generation, isVisible } from './visible.ts';

const shape = new RowShape<WorkerRow>({
  id: text(),
  key: integer,
  generation: integer,
  tokenHash: text(),
  name: text(),
  type: text(),
  platform: text(),
  slots: small,
  kinds: json<readonly string[]>(),
  runtimes: json<Readonly<Record<string, string>>>(),
  hands: json<readonly string[]>(),
  labels: json<Readonly<Record<string, string>>>(),
  isolation: text(),
  version: text(),
  leaseMs: real,
  leaseNowMs: real,
  taskMemoryMb: real,
  registeredAt: real,
  joined: json<Joined>(),
  givenName: text(),
  waitsUntil: real,
  draining: json<Draining>(),
  quarantine: json<Quarantine>(),
  deregisteredAt: real,
  mayReturn: flag,
  awaySince: real,
  totalCompleted: integer,
  totalFailed: integer,
  busyMs: real,
  smoothedTaskMs: real,
  energyJoules: real,
});
const ids = text();

const upsertText = `insert into workers (${shape.columns()}) select * from ${shape.unnest('r')}
  on conflict (id) do update set ${shape.replaced(['id'])}`;

/** What changes with every task of a worker. */
type WorkerCounters = Pick<WorkerRow, (typeof counted)[number]>;

const counted = [
  'id',
  'totalCompleted',
  'totalFailed',
  'busyMs',
  'smoothedTaskMs',
  'energyJoules',
] as const;
const counters = new RowShape<WorkerCounters>({
  id: text(),
  totalCompleted: integer,
  totalFailed: integer,
  busyMs: real,
  smoothedTaskMs: real,
  energyJoules: real,
});
const countText = `update workers set ${counters.copied('r', ['id'])}
  from ${counters.unnest('r')} where workers.id = r.id`;
const steady = shape.fields.filter((field) => !counted.some((each) => each === field));

/** Writes rows, and remembers those of registered workers: who only goes on working has a short one. */
export class WorkerTable {
  readonly #known = new Map<string, WorkerRow>();

  statements(rows: readonly WorkerRow[]): readonly Statement[] {
    const seen = new Set<string>();
    const working: WorkerRow[] = [];
    const others: WorkerRow[] = [];
    for (const row of rows) {
      const before = seen.has(row.id) ? undefined : this.#known.get(row.id);
      const isSteady =
        before !== undefined && steady.every((field) => before[field] === row[field]);
      (isSteady ? working : others).push(row);
      seen.add(row.id);
      if (row.deregisteredAt === null) this.#known.set(row.id, row);
      else this.#known.delete(row.id);
    }
    const idOf = ({ id }: WorkerRow) => id;
    // A second row of a worker is among the others, and comes later.
    return [
      ...inLayers(working, idOf, (some) => ({ text: countText, values: counters.arrays(some) })),
      ...inLayers(others, idOf, (some) => ({ text: upsertText, values: shape.arrays(some) })),
    ];
  }

  /** After a clear those that were there may never be written again. */
  forget(): void {
    this.#known.clear();
  }
}

const select = `select ${shape.columns('workers')} from workers`;
const findText = `select ${shape.columns('workers')}
  from unnest($1::text[]) with ordinality as wanted(id, place)
    join workers on workers.id = wanted.id and ${isVisible('workers')}
  order by wanted.place`;

/** Those of the present generation, deregistered ones included, in the order in which they are named. */
export async function findWorkers(
  query: Query,
  wanted: readonly string[],
): Promise<readonly WorkerRow[]> {
  if (wanted.length === 0) return [];
  const rows = await query(findText, [wanted.map((id) => ids.encode(id))]);
  return rows.map((row) => shape.decode(row));
}

const registeredText = `${select} where ${isVisible('workers')} and deregistered_at is null order by key`;

/** Registered workers, by key. */
export async function listRegisteredWorkers(query: Query): Promise<readonly WorkerRow[]> {
  return (await query(registeredText)).map((row) => shape.decode(row));
}

const registeredAfterText = `${select}
  where ${isVisible('workers')} and generation = $1 and deregistered_at is null and key > $2
  order by key limit $3`;

/** Registered workers of a generation, by key. */
export async function listRegisteredAfter(
  query: Query,
  of: number,
  afterKey: number,
  limit: number,
): Promise<readonly WorkerRow[]> {
  return (await query(registeredAfterText, [of, afterKey, limit])).map((row) => shape.decode(row));
}

/** Nothing of a generation that is over. */
const departedText = `${select}
  where ${isVisible('workers')} and generation = $1 and deregistered_at is not null
    and deregistered_at >= $2 and key > $3
  order by key limit $4`;

/** Workers of a generation that were deregistered at `since` or later, by key. */
export async function listDeparted(
  query: Query,
  of: number,
  since: number,
  afterKey: number,
  limit: number,
): Promise<readonly WorkerRow[]> {
  return (await query(departedText, [of, since, afterKey, limit])).map((row) => shape.decode(row));
}

const oldestJob = `select created_at from jobs where ${isVisible('jobs')} order by key limit 1`;

/** What is asked of the row is asked again when a commit has just changed it: the worker may have come back. */
const isForgotten = `generation = ${generation} and may_return and deregistered_at is not null`;
const pruneText = `delete from workers where ${isForgotten} and id = any(array(
    select id from workers
    where ${isForgotten} and deregistered_at < coalesce((${oldestJob}), 'Infinity')
    order by deregistered_at, id limit $1 for update skip locked))
  returning true`;

/** Deletes workers that were away, and are older than every job that can be seen. True when there may be more. */
export async function pruneWorkers(query: Query, rows: number): Promise<boolean> {
  return (await query(pruneText, [rows])).length === rows;
}
