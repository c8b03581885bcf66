// The one row of facts about the database itself. Written with every commit.

import type { DatabaseSync } from 'node:sqlite';
import type { SchedulerConfig } from '../../../core/snapshot.ts';
import { noTotals, type Totals } from '../../../core/totals.ts';
import { prepare, type Statement } from './statement.ts';

export interface Meta {
  readonly generation: number;
  readonly sequence: number;
  readonly lastCommitAt: number | null;
  readonly nextJobKey: number;
  readonly nextWorkerKey: number;
  readonly nextRecoveryId: number;
  readonly nextCheckpointId: number;
  /** Jobs from this key on have a hash beside every value. Never changes. */
  readonly hashedFrom: number;
  /** JSON text of the scheduler configuration. */
  readonly config: string | null;
  /** JSON text; null before the first. */
  readonly totals: string | null;
}

export class MetaTable {
  readonly #read: Statement;
  readonly #write: Statement;

  constructor(db: DatabaseSync) {
    this.#read = prepare(
      db,
      'select generation, sequence, last_commit_at, next_job_key, next_worker_key, config, ' +
        'next_recovery_id, next_checkpoint_id, hashed_from, totals from meta',
    );
    this.#write = prepare(
      db,
      'update meta set generation = ?, sequence = ?, last_commit_at = ?, next_job_key = ?, ' +
        'next_worker_key = ?, config = ?, next_recovery_id = ?, next_checkpoint_id = ?, totals = ?',
    );
  }

  read(): Meta {
    const row = this.#read.get()!;
    return {
      generation: row[0] as number,
      sequence: row[1] as number,
      lastCommitAt: row[2] as number | null,
      nextJobKey: row[3] as number,
      nextWorkerKey: row[4] as number,
      config: row[5] as string | null,
      nextRecoveryId: row[6] as number,
      nextCheckpointId: row[7] as number,
      hashedFrom: row[8] as number,
      totals: row[9] as string | null,
    };
  }

  write(meta: Meta): void {
    this.#write.run(
      meta.generation,
      meta.sequence,
      meta.lastCommitAt,
      meta.nextJobKey,
      meta.nextWorkerKey,
      meta.config,
      meta.nextRecoveryId,
      meta.nextCheckpointId,
      meta.totals,
    );
  }
}

export function configOf(meta: Meta): SchedulerConfig | null {
  return meta.config === null ? null : (JSON.parse(meta.config) as SchedulerConfig);
}

export function totalsOf(meta: Meta): Totals {
  return meta.totals === null ? noTotals() : (JSON.parse(meta.totals) as Totals);
}
