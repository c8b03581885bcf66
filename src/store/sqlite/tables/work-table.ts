// Work counters: per job and worker in buckets of ten seconds, per job in seconds.

import type { DatabaseSync } from 'node:sqlite';
import { adminOwner } from '../../../core/owner.ts';
import type { ThroughputSum, WorkRow } from '../../rows.ts';
import { secondMs } from '../../sums.ts';
import { ownerCell } from './own-job-list.ts';
import { prepare, type Row, type Statement } from './statement.ts';

/** A row of the table of seconds. */
export interface SecondRow extends ThroughputSum {
  readonly jobKey: number;
}

/** The key of a row, from which a list goes on. */
export type WorkPlace = Pick<WorkRow, 'bucketAt' | 'jobKey' | 'workerId'>;
export type SecondPlace = Pick<SecondRow, 'at' | 'jobKey'>;

const columns =
  'bucket_at, job_key, worker_id, completed, failed, retried, completed_ms, busy_ms, energy_joules, ' +
  'wasted_ms';
const counters = [
  'completed',
  'failed',
  'retried',
  'completed_ms',
  'busy_ms',
  'energy_joules',
  'wasted_ms',
];
/** Selects a row, with the owner of its job, only if that is of the given generation. */
const values = (count: number) =>
  `select ${Array.from({ length: count }, () => '?').join(', ')}, jobs.owner
    from jobs where key = ? and generation = ?`;

export class WorkTable {
  readonly #add: Statement;
  readonly #addSecond: Statement;
  readonly #after: Statement;
  readonly #ofJobAfter: Statement;
  readonly #ownAfter: Statement;
  readonly #firstFrom: Statement;
  readonly #firstOfJob: Statement;
  readonly #lastOfJob: Statement;
  readonly #secondsAfter: Statement;
  readonly #ownSecondsAfter: Statement;
  readonly #secondsOfJobAfter: Statement;

  constructor(db: DatabaseSync) {
    const added = (names: readonly string[]) =>
      names.map((name) => `${name} = ${name} + excluded.${name}`).join(', ');
    this.#add = prepare(
      db,
      `insert into work (${columns}, owner) ${values(10)} on conflict do update set ${added(counters)}`,
    );
    this.#addSecond = prepare(
      db,
      `insert into work_seconds (second_at, job_key, completed, failed, owner) ${values(4)}
        on conflict do update set ${added(['completed', 'failed'])}`,
    );
    this.#after = prepare(
      db,
      `select ${columns} from work
        where (bucket_at, job_key, worker_id) > (?, ?, ?) and bucket_at < ?
        order by bucket_at, job_key, worker_id limit ?`,
    );
    this.#ofJobAfter = prepare(
      db,
      `select ${columns} from work where job_key = ? and (bucket_at, worker_id) > (?, ?)
        order by bucket_at, worker_id limit ?`,
    );
    this.#ownAfter = prepare(
      db,
      `select ${columns} from work
        where owner = ? and (bucket_at, job_key, worker_id) > (?, ?, ?)
        order by bucket_at, job_key, worker_id limit ?`,
    );
    this.#firstFrom = prepare(
      db,
      'select bucket_at from work where bucket_at >= ? order by bucket_at limit 1',
    );
    const ofJob = 'select bucket_at from work where job_key = ? order by bucket_at';
    this.#firstOfJob = prepare(db, `${ofJob} limit 1`);
    this.#lastOfJob = prepare(db, `${ofJob} desc limit 1`);
    const seconds = 'select second_at, job_key, completed, failed from work_seconds';
    this.#secondsAfter = prepare(
      db,
      `${seconds} where (second_at, job_key) > (?, ?) and second_at < ?
        order by second_at, job_key limit ?`,
    );
    this.#ownSecondsAfter = prepare(
      db,
      `${seconds} where owner = ? and (second_at, job_key) > (?, ?) and second_at < ?
        order by second_at, job_key limit ?`,
    );
    this.#secondsOfJobAfter = prepare(
      db,
      `${seconds} where job_key = ? and (second_at, job_key) > (?, ?) and second_at < ?
        order by second_at limit ?`,
    );
  }

  write(row: WorkRow, at: number, generation: number): void {
    const { jobKey, completed, failed } = row;
    this.#add.run(
      row.bucketAt,
      jobKey,
      row.workerId,
      completed,
      failed,
      row.retried,
      row.completedMs,
      row.busyMs,
      row.energyJoules,
      row.wastedMs,
      jobKey,
      generation,
    );
    const second = Math.floor(at / secondMs) * secondMs;
    this.#addSecond.run(second, jobKey, completed, failed, jobKey, generation);
  }

  /** Rows before `to` in the order of bucket, job, worker. */
  list(after: WorkPlace, to: number, limit: number): readonly WorkRow[] {
    const { bucketAt, jobKey, workerId } = after;
    return this.#after.all(bucketAt, jobKey, workerId, to, limit).map(toWork);
  }

  /** The bucket of the first row from a moment on. */
  firstFrom(at: number): number | undefined {
    return this.#firstFrom.get(at)?.[0] as number | undefined;
  }

  /** The first and the last bucket of a job. */
  bucketsOf(jobKey: number): { readonly first: number; readonly last: number } | undefined {
    const first = this.#firstOfJob.get(jobKey)?.[0] as number | undefined;
    if (first === undefined) return undefined;
    return { first, last: this.#lastOfJob.get(jobKey)![0] as number };
  }

  /** Rows of a job in the order of bucket, worker. */
  listOfJob(jobKey: number, after: WorkPlace, limit: number): readonly WorkRow[] {
    return this.#ofJobAfter.all(jobKey, after.bucketAt, after.workerId, limit).map(toWork);
  }

  /** Rows of the jobs of an owner who is not the admin, in the order of bucket, job, worker. */
  listOwn(owner: string, { bucketAt, jobKey, workerId }: WorkPlace, limit: number) {
    return this.#ownAfter.all(owner, bucketAt, jobKey, workerId, limit).map(toWork);
  }

  /** Rows before `to` in the order of second, job; asked for the admin's, those of all. */
  listSeconds(
    after: SecondPlace,
    to: number,
    limit: number,
    owner = adminOwner,
  ): readonly SecondRow[] {
    const cell = ownerCell(owner);
    const asked = [after.at, after.jobKey, to, limit];
    const rows =
      cell === null ? this.#secondsAfter.all(...asked) : this.#ownSecondsAfter.all(cell, ...asked);
    return rows.map(toSecond);
  }

  listSecondsOfJob(
    jobKey: number,
    after: SecondPlace,
    to: number,
    limit: number,
  ): readonly SecondRow[] {
    return this.#secondsOfJobAfter.all(jobKey, after.at, after.jobKey, to, limit).map(toSecond);
  }
}

function toWork(row: Row): WorkRow {
  return {
    bucketAt: row[0] as number,
    jobKey: row[1] as number,
    workerId: row[2] as string,
    completed: row[3] as number,
    failed: row[4] as number,
    retried: row[5] as number,
    completedMs: row[6] as number,
    busyMs: row[7] as number,
    energyJoules: row[8] as number,
    wastedMs: row[9] as number,
  };
}

function toSecond(row: Row): SecondRow {
  return {
    at: row[0] as number,
    jobKey: row[1] as number,
    completed: row[2] as number,
    failed: row[3] as number,
  };
}
