// Attempts that did not succeed: the failure history, and the tokens of those whose reports may still come.

import type { DatabaseSync } from 'node:sqlite';
import type { AttemptOutcome, PastAttempt } from '../../../core/records.ts';
import { indexOf, jobKeyOf, taskKey } from '../../../core/task-key.ts';
import { damagedAttempt } from '../../damage.ts';
import type { AttemptPlace } from '../../reading.ts';
import type { AttemptRow } from '../../rows.ts';
import { endedAccount, endedCell } from './attempt-account.ts';
import { ownerCell } from './own-job-list.ts';
import { type Cell, prepare, type Row, type Statement } from './statement.ts';
import { errorText } from './task-value.ts';
import { attemptKind, type ValueGuard, valueHash } from './value-hash.ts';

const columns =
  'task_key, attempt, worker_id, token, outcome, error_type, error_message, assigned_at, ' +
  'started_at, ended_at, hash, count, account';

/** What a worker did not take is no failure of it, nor what was taken back from it. */
const notFailures = `('refused', 'released', 'withdrawn', 'revoked')`;

export class AttemptTable {
  readonly #guard: ValueGuard;
  readonly #write: Statement;
  readonly #ofTask: Statement;
  readonly #ofJob: Statement;
  readonly #pastOfTask: Statement;
  readonly #ofWorker: Statement;
  readonly #ownOfWorker: Statement;
  readonly #adminsOfWorker: Statement;

  constructor(db: DatabaseSync, guard: ValueGuard) {
    this.#guard = guard;
    this.#write = prepare(
      db,
      `replace into attempts (${columns}, owner)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (select owner from jobs where key = ?))`,
    );
    this.#ofTask = prepare(
      db,
      `select ${columns} from attempts where task_key = ? order by abs(attempt), attempt`,
    );
    this.#ofJob = prepare(
      db,
      `select ${columns} from attempts
        where (task_key, attempt) > (?, ?) and task_key < ? order by task_key, attempt limit ?`,
    );
    this.#pastOfTask = prepare(
      db,
      `select attempt, worker_id, token, outcome from attempts
        where task_key = ? and token is not null order by attempt`,
    );
    // A cross join is not reordered: it goes along the index of the attempts.
    const ofWorker = (index: string, isOwn: string) =>
      prepare(
        db,
        `select ${columns.replaceAll(/(\w+)/g, 'attempts.$1')}, jobs.id
          from attempts indexed by ${index} cross join jobs on jobs.key = attempts.task_key >> 24
          where attempts.worker_id = ?1 and jobs.generation = ?2 and ${isOwn}
            and attempts.outcome not in ${notFailures}
          order by attempts.ended_at desc, attempts.task_key desc, attempts.attempt desc limit ?3`,
      );
    this.#ofWorker = ofWorker('attempts_by_worker', 'true');
    this.#ownOfWorker = ofWorker('own_attempts', 'attempts.owner = ?4');
    this.#adminsOfWorker = ofWorker('attempts_by_worker', 'attempts.owner is null');
  }

  write(row: AttemptRow): void {
    const key = taskKey(row.jobKey, row.index);
    this.#write.run(
      key,
      row.attempt,
      row.workerId,
      row.token,
      row.outcome,
      row.errorType,
      row.errorMessage,
      row.assignedAt,
      row.startedAt,
      row.endedAt,
      valueHash(attemptKind + row.attempt, key, errorText(row.errorType, row.errorMessage)),
      row.count,
      endedCell(row.account),
      row.jobKey,
    );
  }

  list(jobKey: number, jobId: string, index: number): readonly AttemptRow[] {
    return this.#ofTask.all(taskKey(jobKey, index)).map((row) => this.#attempt(row, jobId));
  }

  listOfJob(
    jobKey: number,
    jobId: string,
    after: AttemptPlace | null,
    limit: number,
  ): readonly AttemptRow[] {
    const { index, attempt } = after ?? { index: 0, attempt: -Number.MAX_SAFE_INTEGER };
    return this.#ofJob
      .all(taskKey(jobKey, index), attempt, taskKey(jobKey + 1, 0), limit)
      .map((row) => this.#attempt(row, jobId));
  }

  listPast(jobKey: number, index: number): readonly PastAttempt[] {
    return this.#pastOfTask.all(taskKey(jobKey, index)).map((row) => ({
      attempt: row[0] as number,
      workerId: row[1] as string,
      token: row[2] as string,
      outcome: row[3] as AttemptOutcome,
    }));
  }

  /** Failures of a worker, newest first, of the jobs of one owner or of all. */
  listOfWorker(
    workerId: string,
    generation: number,
    limit: number,
    owner: string | undefined,
  ): readonly AttemptRow[] {
    const asked = [workerId, generation, limit];
    return this.#failures(asked, owner).map((row) => this.#attempt(row, row[13] as string));
  }

  #failures(asked: readonly Cell[], owner: string | undefined): readonly Row[] {
    if (owner === undefined) return this.#ofWorker.all(...asked);
    const cell = ownerCell(owner);
    return cell === null
      ? this.#adminsOfWorker.all(...asked)
      : this.#ownOfWorker.all(...asked, cell);
  }

  /** A damaged error is replaced by a sentence that says so; the other attempts of the list stay. */
  #attempt(cells: Row, jobId: string): AttemptRow {
    const row = toAttempt(cells, jobId);
    const key = cells[0] as number;
    const text = errorText(row.errorType, row.errorMessage);
    const verdict = this.#guard.checkText(cells[10], attemptKind + row.attempt, key, text);
    if (verdict !== 'damaged') return row;
    const errorMessage = damagedAttempt(jobId, row.index, row.attempt);
    this.#guard.tell(errorMessage);
    return { ...row, errorType: 'store_damaged', errorMessage };
  }
}

function toAttempt(row: Row, jobId: string): AttemptRow {
  const key = row[0] as number;
  return {
    jobKey: jobKeyOf(key),
    jobId,
    index: indexOf(key),
    attempt: row[1] as number,
    count: row[11] as number,
    workerId: row[2] as string,
    token: row[3] as string | null,
    outcome: row[4] as AttemptOutcome,
    errorType: row[5] as string,
    errorMessage: row[6] as string,
    assignedAt: row[7] as number,
    startedAt: row[8] as number | null,
    endedAt: row[9] as number,
    account: endedAccount(row[12]),
  };
}
