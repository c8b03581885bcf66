// Notifications of the ends of jobs.

import type { DatabaseSync } from 'node:sqlite';
import type { DueWanted } from '../../reading.ts';
import type { NotificationRow } from '../../rows.ts';
import { prepare, type Row, type Statement } from './statement.ts';

const columns =
  'id, job_key, target, host, status, completed, failed, cancelled, started_at, ended_at, ' +
  'attempts, outcome, next_at, answer, tried_at';
/**
 * So many of what is due are looked at in order. When all of them are of hosts that are busy, the hosts are
 * gone through instead: however many wait for a slow one, the others are found behind them.
 */
const mostLookedAt = 1000;
/** As many as one host gets of one look. */
const mostOfOneHost = 2;

const ofTable = columns.replaceAll(/\w+/g, (name) => `n.${name}`);

export class NotificationTable {
  readonly #write: Statement;
  readonly #ofJob: Statement;
  readonly #due: DueStatements;
  readonly #beyond: DueStatements;
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
    this.#due = prepareDue(db, 'next_at <= ?1');
    this.#beyond = prepareDue(db, 'next_at > ?1');
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
    const rest = [
      generation,
      JSON.stringify(exceptIds),
      JSON.stringify(exceptHosts),
      limit,
    ] as const;
    const find = (statements: DueStatements, when: number) => {
      const first = statements.first.all(when, ...rest);
      if (first.length > 0 || statements.more.get(when) === undefined) return first;
      return statements.ofHosts.all(when, ...rest);
    };
    const due = find(this.#due, at);
    const rows = due.length > 0 ? due : find(this.#beyond, beyond);
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

interface DueStatements {
  readonly first: Statement;
  /** Gives a row when there are more than `first` looks at. */
  readonly more: Statement;
  readonly ofHosts: Statement;
}

/** A `cross join` is taken in the order in which it is written. */
function prepareDue(db: DatabaseSync, when: string): DueStatements {
  const inOrder = `from notifications indexed by notifications_due where ${when} order by next_at, id`;
  return {
    first: prepare(
      db,
      `select ${ofTable}, j.id
        from (select id, host ${inOrder} limit ${mostLookedAt}) due
          cross join notifications n on n.id = due.id
          cross join jobs j on j.key = n.job_key
        where j.generation = ?2
          and due.id not in (select value from json_each(?3))
          and due.host not in (select value from json_each(?4))
        order by n.next_at, n.id limit ?5`,
    ),
    more: prepare(db, `select 1 ${inOrder} limit 1 offset ${mostLookedAt}`),
    ofHosts: prepare(
      db,
      `with recursive hosts(host) as (
          select min(host) from notifications where next_at is not null
          union all
          select (select min(host) from notifications where next_at is not null and host > hosts.host)
            from hosts where host is not null
        )
        select ${ofTable}, j.id
        from hosts join notifications n on n.id in (
            select o.id from notifications o indexed by notifications_by_host
              join jobs k on k.key = o.job_key
              where o.host = hosts.host and o.${when} and k.generation = ?2
                and o.id not in (select value from json_each(?3))
              order by o.next_at, o.id limit ${mostOfOneHost}
          )
          join jobs j on j.key = n.job_key
        where hosts.host not in (select value from json_each(?4))
        order by n.next_at, n.id limit ?5`,
    ),
  };
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
