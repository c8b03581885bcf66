// Recovery events.

import type { DatabaseSync } from 'node:sqlite';
import { adminOwner } from '../../../core/owner.ts';
import type { JobsAsked } from '../../reading.ts';
import type { RecoveryRow } from '../../rows.ts';
import { isUnfinished } from '../../visibility.ts';
import { ownerCell } from './own-job-list.ts';
import { type Cell, prepare, type Row, type Statement } from './statement.ts';

/** The id of the job is in the table of jobs. */
export type RecoveryCells = Omit<RecoveryRow, 'jobId'>;

const columns =
  'id, job_key, task_index, from_worker_id, to_worker_id, reason, attempt, next_attempt, ' +
  'checkpoint_id, resumed_from_progress, lost_at, resumed_at, work_saved_seconds, ' +
  'time_lost_seconds, outcome';

export class RecoveryTable {
  readonly #write: Statement;
  readonly #before: Statement;
  readonly #ofJobBefore: Statement;
  readonly #ownBefore: Statement;
  readonly #unfinished: Statement;

  constructor(db: DatabaseSync) {
    this.#write = prepare(
      db,
      `replace into recoveries (${columns}, is_unfinished, owner)
        select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, owner
        from jobs where key = ? and generation = ?`,
    );
    const select = `select ${columns} from recoveries`;
    this.#before = prepare(db, `${select} where id < ? order by id desc limit ?`);
    this.#ofJobBefore = prepare(
      db,
      `${select} where job_key = ? and id < ? order by id desc limit ?`,
    );
    this.#ownBefore = prepare(db, `${select} where owner = ? and id < ? order by id desc limit ?`);
    this.#unfinished = prepare(db, `${select} where job_key = ? and is_unfinished = 1 order by id`);
  }

  /** Writes a row, if its job is of this generation. */
  write(row: RecoveryRow, generation: number): void {
    this.#write.run(
      row.id,
      row.jobKey,
      row.index,
      row.fromWorkerId,
      row.toWorkerId,
      row.reason,
      row.attempt,
      row.nextAttempt,
      row.checkpointId,
      row.resumedFromProgress,
      row.lostAt,
      row.resumedAt,
      row.workSavedSeconds,
      row.timeLostSeconds,
      row.outcome,
      isUnfinished(row) ? 1 : 0,
      row.jobKey,
      generation,
    );
  }

  /** Recovery events, newest first; asked for the admin's, those of all. */
  list(
    { jobKey, owner = adminOwner }: JobsAsked,
    beforeId: number,
    limit: number,
  ): readonly RecoveryCells[] {
    return this.#list(jobKey, ownerCell(owner), beforeId, limit).map(toRecovery);
  }

  #list(jobKey: number | undefined, owner: Cell, beforeId: number, limit: number): readonly Row[] {
    if (jobKey !== undefined) return this.#ofJobBefore.all(jobKey, beforeId, limit);
    if (owner !== null) return this.#ownBefore.all(owner, beforeId, limit);
    return this.#before.all(beforeId, limit);
  }

  /** Events of the job with fields that are not filled in yet, by id. */
  listUnfinished(jobKey: number): readonly RecoveryCells[] {
    return this.#unfinished.all(jobKey).map(toRecovery);
  }
}

function toRecovery(row: Row): RecoveryCells {
  return {
    id: row[0] as number,
    jobKey: row[1] as number,
    index: row[2] as number,
    fromWorkerId: row[3] as string,
    toWorkerId: row[4] as string | null,
    reason: row[5] as RecoveryRow['reason'],
    attempt: row[6] as number,
    nextAttempt: row[7] as number | null,
    checkpointId: row[8] as string | null,
    resumedFromProgress: row[9] as number | null,
    lostAt: row[10] as number,
    resumedAt: row[11] as number | null,
    workSavedSeconds: row[12] as number,
    timeLostSeconds: row[13] as number,
    outcome: row[14] as RecoveryRow['outcome'],
  };
}
