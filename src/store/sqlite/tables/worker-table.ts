// Workers, deregistered ones included.

import type { DatabaseSync } from 'node:sqlite';
import type { Draining, Quarantine } from '../../../core/records.ts';
import type { WorkerRow } from '../../rows.ts';
import { replaceRow, RowWriter } from './row-writer.ts';
import {
  type Cell,
  cellToTexts,
  listToCell,
  prepare,
  type Row,
  type Statement,
} from './statement.ts';

const columns = [
  'id',
  'key',
  'generation',
  'is_registered',
  'token_hash',
  'name',
  'type',
  'platform',
  'slots',
  'kinds',
  'labels',
  'isolation',
  'registered_at',
  'draining',
  'deregistered_at',
  'total_completed',
  'total_failed',
  'busy_ms',
  'smoothed_task_ms',
  'energy_joules',
  'quarantine',
  'lease_ms',
  'version',
  'away_since',
  'may_return',
  'drained_at',
  'drain_deadline',
  'task_memory_mb',
  'joined_by',
  'joined_label',
  'given_name',
  'waits_until',
  'lease_now_ms',
  'runtimes',
  'hands',
] as const;

export class WorkerTable {
  readonly #writer: RowWriter<WorkerRow>;
  readonly #find: Statement;
  readonly #registered: Statement;
  readonly #registeredAfter: Statement;
  readonly #departed: Statement;
  readonly #forgotten: Statement;
  readonly #prune: Statement;

  constructor(db: DatabaseSync) {
    const select = `select ${columns.join(', ')} from workers`;
    this.#writer = new RowWriter(db, 'workers', columns, replaceRow(columns), encode);
    this.#find = prepare(db, `${select} where id = ? and generation = ?`);
    this.#registered = prepare(
      db,
      `${select} where generation = ? and is_registered = 1 order by key`,
    );
    this.#registeredAfter = prepare(
      db,
      `${select} where generation = ? and is_registered = 1 and key > ? order by key limit ?`,
    );
    const forgotten = `from workers indexed by workers_forgotten
      where generation = ? and may_return = 1 and is_registered = 0 and deregistered_at < ?`;
    this.#forgotten = prepare(db, `select 1 ${forgotten} limit 1`);
    this.#prune = prepare(
      db,
      `delete from workers where id in
        (select id ${forgotten} order by deregistered_at, id limit ?)`,
    );
    this.#departed = prepare(
      db,
      `${select} where generation = ? and is_registered = 0 and key > ? order by key limit ?`,
    );
  }

  write(rows: readonly WorkerRow[]): void {
    this.#writer.write(rows);
  }

  find(id: string, generation: number): WorkerRow | undefined {
    const row = this.#find.get(id, generation);
    return row && toWorker(row);
  }

  /** Registered workers, by key. */
  listRegistered(generation: number): readonly WorkerRow[] {
    return this.#registered.all(generation).map(toWorker);
  }

  /** The same by the page. */
  listRegisteredAfter(generation: number, afterKey: number, limit: number): readonly WorkerRow[] {
    return this.#registeredAfter.all(generation, afterKey, limit).map(toWorker);
  }

  /** Whether any was removed before, because it was away. */
  hasForgotten(generation: number, before: number): boolean {
    return this.#forgotten.get(generation, before) !== undefined;
  }

  /** Deletes such workers; returns how many. */
  prune(generation: number, before: number, limit: number): number {
    return Number(this.#prune.run(generation, before, limit).changes);
  }

  /** Deregistered workers, by key. */
  listDeparted(generation: number, afterKey: number, limit: number): readonly WorkerRow[] {
    return this.#departed.all(generation, afterKey, limit).map(toWorker);
  }
}

/** Writes the cells in the order of `columns`. */
function encode(cells: Cell[], offset: number, row: WorkerRow): void {
  let i = offset;
  cells[i++] = row.id;
  cells[i++] = row.key;
  cells[i++] = row.generation;
  cells[i++] = row.deregisteredAt === null ? 1 : 0;
  cells[i++] = row.tokenHash;
  cells[i++] = row.name;
  cells[i++] = row.type;
  cells[i++] = row.platform;
  cells[i++] = row.slots;
  cells[i++] = listToCell(row.kinds);
  cells[i++] = JSON.stringify(row.labels);
  cells[i++] = row.isolation;
  cells[i++] = row.registeredAt;
  cells[i++] = row.draining === null ? 0 : 1;
  cells[i++] = row.deregisteredAt;
  cells[i++] = row.totalCompleted;
  cells[i++] = row.totalFailed;
  cells[i++] = row.busyMs;
  cells[i++] = row.smoothedTaskMs;
  cells[i++] = row.energyJoules;
  cells[i++] = row.quarantine === null ? null : JSON.stringify(row.quarantine);
  cells[i++] = row.leaseMs;
  cells[i++] = row.version;
  cells[i++] = row.awaySince;
  cells[i++] = row.mayReturn ? 1 : 0;
  cells[i++] = row.draining?.since ?? null;
  cells[i++] = row.draining?.deadline ?? null;
  cells[i++] = row.taskMemoryMb;
  cells[i++] = row.joined?.tokenId ?? null;
  cells[i++] = row.joined?.label ?? null;
  cells[i++] = row.givenName;
  cells[i++] = row.waitsUntil;
  cells[i++] = row.leaseNowMs;
  cells[i++] = row.runtimes === null ? null : JSON.stringify(row.runtimes);
  cells[i] = listToCell(row.hands);
}

function drainingOf(row: Row): Draining | null {
  if (row[13] !== 1) return null;
  return { since: row[25] as number | null, deadline: row[26] as number | null };
}

function toWorker(row: Row): WorkerRow {
  return {
    id: row[0] as string,
    key: row[1] as number,
    generation: row[2] as number,
    tokenHash: row[4] as string,
    name: row[5] as string | null,
    type: row[6] as string,
    platform: row[7] as string,
    slots: row[8] as number,
    kinds: cellToTexts(row[9]),
    labels: JSON.parse(row[10] as string) as Record<string, string>,
    isolation: row[11] as string,
    registeredAt: row[12] as number,
    draining: drainingOf(row),
    deregisteredAt: row[14] as number | null,
    totalCompleted: row[15] as number,
    totalFailed: row[16] as number,
    busyMs: row[17] as number,
    smoothedTaskMs: row[18] as number | null,
    energyJoules: row[19] as number,
    quarantine: typeof row[20] === 'string' ? (JSON.parse(row[20]) as Quarantine) : null,
    leaseMs: row[21] as number | null,
    version: row[22] as string | null,
    awaySince: row[23] as number | null,
    mayReturn: row[24] === 1,
    taskMemoryMb: row[27] as number | null,
    joined:
      row[28] === null ? null : { tokenId: row[28] as string, label: row[29] as string | null },
    givenName: row[30] as string | null,
    waitsUntil: row[31] as number | null,
    leaseNowMs: row[32] as number | null,
    runtimes:
      typeof row[33] === 'string'
        ? (JSON.parse(row[33]) as Readonly<Record<string, string>>)
        : null,
    hands: cellToTexts(row[34]),
  };
}
