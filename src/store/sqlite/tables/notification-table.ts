// Notifications of the ends of jobs.

import type { DatabaseSync } from 'node:sqlite';
import type { DueWanted } from '../../reading.ts';
import type { NotificationRow } from '../../rows.ts';
import { prepare, type Row, type Statement } from './statement.ts';

const columns =
  'id, job_key, target, host, status, completed, failed, cancelled, started_at, ended_at, ' +
  'attempts, outcome, next_at, answer, tried_at';
const ofTable = columns.replaceAll(/\w+/g, (name) => `n.${name}`);

export class NotificationTable {
  readonly #write: Statement;
  readonly #ofJob: Statement;
  readonly #due: Statement;
  readonly #beyond: Statement;
  readonly #next: Statement;
  readonly #largest: Statement;

  constructor(db: DatabaseSync) {
    const places = columns.replaceAll(/\w+/g, '?');
    this.#write = prepare(
      db,
      `replace into notifications (${columns}) select ${places}
        where exists (select 1 from jobs where key = ? and generation = ?)`,
    );
    this.#ofJob = prepare(
      db,
      `select ${columns} from notifications where job_key = ? order by id desc limit ?`,
    );
    const due = (when: string) =>
      prepare(
        db,
        `select ${ofTable}, j.id from notifications n indexed by notifications_due
          join jobs j on j.key = n.job_key
          where ${when} and j.generation = ?
            and n.id not in (select value from json_each(?))
            and n.host not in (select value from json_each(?))
          order by n.next_at, n.id limit ?`,
      );
    this.#due = due('n.next_at <= ?');
    this.#beyond = due('n.next_at > ?');
    this.#next = prepare(
      db,
      `select n.next_at from notifications n indexed by notifications_due
        join jobs j on j.key = n.job_key
        where n.next_at > ? and j.generation = ? order by n.next_at limit 1`,
    );
    this.#largest = prepare(db, 'select max(id) from notifications');
  }

  /** Writes a row, if its job is of this generation. */
  write(row: NotificationRow, generation: number): void {
    this.#write.run(
      row.id,
      row.jobKey,
      row.target,
      row.host,
      row.status,
      row.completed,
      row.failed,
      row.cancelled,
      row.startedAt,
      row.endedAt,
      row.attempts,
      row.outcome,
      row.nextAt,
      row.answer,
      row.triedAt,
      row.jobKey,
      generation,
    );
  }

  listOfJob(jobKey: number, jobId: string, limit: number): readonly NotificationRow[] {
    return this.#ofJob.all(jobKey, limit).map((row) => toNotification(row, jobId));
  }

  listDue(
    { at, beyond, exceptIds, exceptHosts, limit }: DueWanted,
    generation: number,
  ): readonly NotificationRow[] {
    const rest = [generation, JSON.stringify(exceptIds), JSON.stringify(exceptHosts), limit];
    const due = this.#due.all(at, ...rest);
    const rows = due.length > 0 ? due : this.#beyond.all(beyond, ...rest);
    return rows.map((row) => toNotification(row, row[15] as string));
  }

  nextAfter(at: number, generation: number): number | null {
    return (this.#next.get(at, generation)?.[0] ?? null) as number | null;
  }

  /** 0 when there is none. */
  largestId(): number {
    return (this.#largest.get()?.[0] ?? 0) as number;
  }
}

function toNotification(row: Row, jobId: string): NotificationRow {
  return {
    id: row[0] as number,
    jobKey: row[1] as number,
    jobId,
    target: row[2] as number,
    host: row[3] as string,
    status: row[4] as NotificationRow['status'],
    completed: row[5] as number,
    failed: row[6] as number,
    cancelled: row[7] as number,
    startedAt: row[8] as number | null,
    endedAt: row[9] as number,
    attempts: row[10] as number,
    outcome: row[11] as NotificationRow['outcome'],
    nextAt: row[12] as number | null,
    answer: row[13] as string | null,
    triedAt: row[14] as number | null,
  };
}
