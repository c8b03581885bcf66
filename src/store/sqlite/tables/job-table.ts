// Jobs and what belongs to them as a whole: priorities per task.

import type { DatabaseSync } from 'node:sqlite';
import { handlePart } from '../../../core/handle.ts';
import { adminOwner } from '../../../core/owner.ts';
import type { JobSpec, JobStatus } from '../../../core/records.ts';
import { laterOptions } from '../../later-options.ts';
import type { JobFilter } from '../../reading.ts';
import { type EndedJob, type JobCounters, type JobRow, ownExpiry } from '../../rows.ts';
import type { ExpiringWanted } from '../../writing.ts';
import type { JobView } from '../../visibility.ts';
import { jobStatusCode, jobStatuses } from '../../enumerations.ts';
import { OwnJobList, ownerCell } from './own-job-list.ts';
import {
  type Cell,
  cellToNumbers,
  listToCell,
  prepare,
  type Row,
  type Statement,
} from './statement.ts';

/** A job as the queries on its tasks need it. */
export interface JobGlance extends JobView {
  readonly id: string;
  readonly generation: number;
  readonly owner: string;
  readonly taskCount: number;
  /** Every task has ended by itself, and so every one has a row. */
  readonly isWhole: boolean;
}

const columns =
  'key, id, generation, client_id, status, task_count, completed, failed, cancelled, cursors, ' +
  'started_at, completed_at, cancelled_at, error, spec, held_at, owner, stored_bytes';
/** `created_at` and `name` are in the specification too; these copies are for indexes. */
const insertedColumns = `${columns}, created_at, expires_at, name`;

export class JobTable {
  readonly #update: Statement;
  readonly #hide: Statement;
  readonly #insert: Statement;
  readonly #setPriorities: Statement;
  readonly #glance: Statement;
  readonly #key: Statement;
  readonly #owner: Statement;
  readonly #byId: Statement;
  readonly #headById: Statement;
  readonly #byKey: Statement;
  readonly #open: Statement;
  readonly #keysByStatus: Statement;
  readonly #keysByClient: Statement;
  readonly #keysByBeginning: Statement;
  readonly #keysByEnd: Statement;
  readonly #keysByName: Statement;
  readonly #count: Statement;
  readonly #countOwn: Statement;
  readonly #own: OwnJobList;
  readonly #oldest: Statement;
  readonly #ended: Statement;
  readonly #expiring: Readonly<Record<ExpiringWanted['lists'][number], Statement>>;

  constructor(db: DatabaseSync) {
    this.#update = prepare(
      db,
      'update jobs set generation = ?, status = ?, completed = ?, failed = ?, cancelled = ?, ' +
        'cursors = ?, started_at = ?, completed_at = ?, cancelled_at = ?, error = ?, held_at = ?, expires_at = ?, ' +
        'stored_bytes = ? where key = ?',
    );
    this.#hide = prepare(db, 'update jobs set generation = 0 where key = ?');
    this.#insert = prepare(
      db,
      `insert into jobs (${insertedColumns})
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (key) do nothing`,
    );
    this.#setPriorities = prepare(
      db,
      'replace into task_priorities (job_key, priorities) values (?, ?)',
    );
    this.#glance = prepare(
      db,
      'select id, generation, status, completed_at, cancelled_at, task_count, completed, failed, owner ' +
        'from jobs where key = ?',
    );
    this.#key = prepare(db, 'select key from jobs where id = ? and generation = ?');
    this.#owner = prepare(db, 'select owner from jobs where id = ? and generation = ?');
    const whole = `select ${columns}, priorities from jobs
      left join task_priorities on job_key = key`;
    this.#byId = prepare(db, `${whole} where id = ? and generation = ?`);
    this.#headById = prepare(db, `select ${columns} from jobs where id = ? and generation = ?`);
    this.#open = prepare(db, `${whole} where generation = ? and status = ? order by key`);
    this.#byKey = prepare(db, `select ${columns} from jobs where key = ?`);
    const page = 'status = ? and key < ? order by key desc limit ?';
    this.#keysByStatus = prepare(db, `select key from jobs where generation = ? and ${page}`);
    this.#keysByClient = prepare(
      db,
      `select key from jobs where generation = ? and client_id = ? and ${page}`,
    );
    // The `+` keeps SQLite from an index that begins with the generation, and so from reading all jobs.
    this.#keysByBeginning = prepare(
      db,
      `select key from jobs where id >= ?2 and id < ?2 || char(0x10ffff) and +generation = ?1
        order by id desc limit ?3`,
    );
    this.#keysByEnd = prepare(
      db,
      `select key from jobs indexed by jobs_by_end
        where substr(id, -4) = substr(?2, -4) and substr(id, -length(?2)) = ?2 and generation = ?1
        order by key desc limit ?3`,
    );
    this.#keysByName = prepare(
      db,
      'select key from jobs where generation = ? and name = ? order by key desc limit ?',
    );
    this.#count = prepare(
      db,
      'select status, count(*), sum(task_count), sum(completed) from jobs where generation = ? group by status',
    );
    this.#countOwn = prepare(
      db,
      `select status, count(*), sum(task_count), sum(completed), sum(stored_bytes), owner from jobs
        where owner is not null and generation = ? group by owner, status`,
    );
    this.#own = new OwnJobList(db);
    this.#oldest = prepare(
      db,
      'select key, created_at from jobs where generation = ? and status = ? order by key limit 1',
    );
    this.#ended = prepare(
      db,
      `select key, status, created_at, completed_at, task_count, completed, failed
        from jobs indexed by jobs_ended
        where generation = ? and completed_at >= ? and (completed_at, key) < (?, ?)
        order by completed_at desc, key desc limit ?`,
    );
    this.#expiring = {
      own: prepare(
        db,
        `select key from jobs indexed by jobs_expiring
          where generation = ? and expires_at is not null order by expires_at, key limit ?`,
      ),
      others: prepare(
        db,
        `select key from jobs indexed by jobs_kept
          where generation = ? and completed_at is not null and expires_at is null
          order by completed_at, key limit ?`,
      ),
      all: prepare(
        db,
        `select key from jobs indexed by jobs_ended
          where generation = ? and completed_at is not null order by completed_at, key limit ?`,
      ),
    };
  }

  /** Writes a row; true when the job is new, which is tried first where it `isLikelyNew`. */
  write(row: JobRow, isLikelyNew: boolean): boolean {
    if (isLikelyNew && this.#insertRow(row)) return true;
    return !this.#updateRow(row) && this.#insertRow(row);
  }

  /** Gives the job a generation older than any, so that it can no longer be seen. */
  hide(jobKey: number): void {
    this.#hide.run(jobKey);
  }

  has(jobKey: number): boolean {
    return this.#glance.get(jobKey) !== undefined;
  }

  glance(jobKey: number): JobGlance | undefined {
    const row = this.#glance.get(jobKey);
    if (row === undefined) return undefined;
    const status = jobStatuses[row[2] as number]!;
    const taskCount = row[5] as number;
    const hasEnded = status === 'completed' || status === 'failed';
    return {
      id: row[0] as string,
      generation: row[1] as number,
      owner: toOwner(row[8]),
      status,
      completedAt: row[3] as number | null,
      cancelledAt: row[4] as number | null,
      taskCount,
      isWhole: hasEnded && (row[6] as number) + (row[7] as number) === taskCount,
    };
  }

  /** The job, or undefined when it cannot be seen in this generation. */
  see(jobKey: number, generation: number): JobGlance | undefined {
    const job = this.glance(jobKey);
    return job?.generation === generation ? job : undefined;
  }

  findKey(id: string, generation: number): number | undefined {
    return this.#key.get(id, generation)?.[0] as number | undefined;
  }

  findOwner(id: string, generation: number): string | undefined {
    const row = this.#owner.get(id, generation);
    return row && toOwner(row[0]);
  }

  /** Without priorities. */
  heads(keys: readonly number[]): readonly JobRow[] {
    return keys.map((key) => toJob(this.#byKey.get(key)!, null));
  }

  find(id: string, generation: number): JobRow | undefined {
    const row = this.#byId.get(id, generation);
    return row && toJob(row, row[18] as Uint8Array | null);
  }

  findHead(id: string, generation: number): JobRow | undefined {
    const row = this.#headById.get(id, generation);
    return row && toJob(row, null);
  }

  /** Pending and running jobs, by key. */
  listOpen(generation: number): readonly JobRow[] {
    return (['pending', 'running'] as const)
      .flatMap((status) => this.#open.all(generation, jobStatusCode[status]))
      .map((row) => toJob(row, row[18] as Uint8Array | null))
      .sort((a, b) => a.spec.key - b.spec.key);
  }

  /** Reads one range of an index per status and merges them, so that a rare status costs no scan. */
  list(
    generation: number,
    filter: JobFilter,
    beforeKey: number | null,
    limit: number,
  ): readonly JobRow[] {
    const { clientId, owner } = filter;
    if (owner !== undefined) {
      return this.heads(this.#own.list(generation, owner, filter, beforeKey, limit));
    }
    const before = beforeKey ?? Number.MAX_SAFE_INTEGER;
    const keys = (filter.statuses ?? jobStatuses).flatMap((status) => {
      const code = jobStatusCode[status];
      return clientId === undefined
        ? this.#keysByStatus.all(generation, code, before, limit)
        : this.#keysByClient.all(generation, clientId, code, before, limit);
    });
    return this.heads(
      keys
        .map((row) => row[0] as number)
        .sort((a, b) => b - a)
        .slice(0, limit),
    );
  }

  /** Without priorities, newest first. Reads at most `limit` entries of three indexes. */
  listMeant(generation: number, handle: string, limit: number, owner?: string): readonly JobRow[] {
    if (owner !== undefined) {
      return this.heads(this.#own.listMeant(generation, owner, handle, limit));
    }
    const part = handlePart(handle);
    const keys = [
      ...this.#keysByName.all(generation, handle, limit),
      ...(part === null ? [] : this.#keysByBeginning.all(generation, part, limit)),
      ...(part === null ? [] : this.#keysByEnd.all(generation, part, limit)),
    ];
    const unique = new Set(keys.map((row) => row[0] as number));
    return this.heads([...unique].sort((a, b) => b - a).slice(0, limit));
  }

  /** Ended jobs in the order of their ends, newest first: those after `last` in that order. */
  listEnded(
    generation: number,
    { since, owner }: { readonly since: number | null; readonly owner: string | undefined },
    last: Pick<EndedJob, 'completedAt' | 'key'> | undefined,
    limit: number,
  ): readonly EndedJob[] {
    const from = since ?? -Number.MAX_VALUE;
    const place = last ?? { completedAt: Number.MAX_VALUE, key: 0 };
    const rows =
      owner === undefined
        ? this.#ended.all(generation, from, place.completedAt, place.key, limit)
        : this.#own.listEnded(generation, owner, from, place, limit);
    return rows.map(toEnded);
  }

  /** Each once, without priorities. */
  listExpiring(
    generation: number,
    lists: ExpiringWanted['lists'],
    limit: number,
  ): readonly JobRow[] {
    const keys = lists.flatMap((list) => this.#expiring[list].all(generation, limit));
    const unique = new Set(keys.map((row) => row[0] as number));
    return this.heads([...unique]);
  }

  /** When the first job was submitted, of those that can be seen. */
  oldest(generation: number): number | undefined {
    const firsts = jobStatuses.flatMap((status) => {
      const row = this.#oldest.get(generation, jobStatusCode[status]);
      return row === undefined ? [] : [{ key: row[0] as number, createdAt: row[1] as number }];
    });
    return firsts.sort((a, b) => a.key - b.key)[0]?.createdAt;
  }

  count(generation: number): Omit<JobCounters, 'storedBytes'> {
    const { storedBytes: _, ...counters } = countersOf(this.#count.all(generation));
    return counters;
  }

  /** Of each owner that has jobs, except the admin. */
  countOwn(generation: number): ReadonlyMap<string, JobCounters> {
    const rows = Map.groupBy(this.#countOwn.all(generation), (row) => row[5] as string);
    return new Map([...rows].map(([owner, counted]) => [owner, countersOf(counted)]));
  }

  /** False when the job is not there. */
  #updateRow(row: JobRow): boolean {
    const { changes } = this.#update.run(
      row.spec.generation,
      jobStatusCode[row.status],
      row.completed,
      row.failed,
      row.cancelled,
      listToCell(row.cursors),
      row.startedAt,
      row.completedAt,
      row.cancelledAt,
      row.error,
      row.heldAt,
      ownExpiry(row),
      row.storedBytes,
      row.spec.key,
    );
    return changes !== 0;
  }

  /** False when the job is there. */
  #insertRow(row: JobRow): boolean {
    const { id, key, generation, clientId, owner, taskCount, taskPriorities, ...rest } = row.spec;
    const { changes } = this.#insert.run(
      key,
      id,
      generation,
      clientId,
      jobStatusCode[row.status],
      taskCount,
      row.completed,
      row.failed,
      row.cancelled,
      listToCell(row.cursors),
      row.startedAt,
      row.completedAt,
      row.cancelledAt,
      row.error,
      JSON.stringify(rest),
      row.heldAt,
      ownerCell(owner),
      row.storedBytes,
      row.spec.createdAt,
      ownExpiry(row),
      row.spec.name,
    );
    if (changes === 0) return false;
    if (taskPriorities !== null) {
      const { buffer, byteOffset, byteLength } = taskPriorities;
      this.#setPriorities.run(key, new Uint8Array(buffer, byteOffset, byteLength));
    }
    return true;
  }
}

type SpecRest = Omit<
  JobSpec,
  'id' | 'key' | 'generation' | 'clientId' | 'owner' | 'taskCount' | 'taskPriorities'
>;

/** Options that were added later are not in the rows of before. */
type Later = keyof typeof laterOptions;
type StoredSpec = Omit<SpecRest, Later> & Partial<Pick<SpecRest, Later>>;

function toJob(row: Row, priorities: Uint8Array | null): JobRow {
  const spec: JobSpec = {
    ...laterOptions,
    ...(JSON.parse(row[14] as string) as StoredSpec),
    id: row[1] as string,
    key: row[0] as number,
    generation: row[2] as number,
    clientId: row[3] as string,
    owner: toOwner(row[16]),
    taskCount: row[5] as number,
    taskPriorities: priorities === null ? null : toPriorities(priorities),
  };
  return {
    spec,
    status: jobStatuses[row[4] as number] as JobStatus,
    completed: row[6] as number,
    failed: row[7] as number,
    cancelled: row[8] as number,
    cursors: cellToNumbers(row[9]),
    startedAt: row[10] as number | null,
    completedAt: row[11] as number | null,
    cancelledAt: row[12] as number | null,
    heldAt: row[15] as number | null,
    error: row[13] as string | null,
    storedBytes: row[17] as number,
  };
}

function toOwner(cell: Cell | undefined): string {
  return (cell as string | null) ?? adminOwner;
}

function toEnded(row: Row): EndedJob {
  return {
    key: row[0] as number,
    status: jobStatuses[row[1] as number]!,
    createdAt: row[2] as number,
    completedAt: row[3] as number,
    taskCount: row[4] as number,
    completed: row[5] as number,
    failed: row[6] as number,
  };
}

/** Of rows with a status and its sums each. */
function countersOf(rows: readonly Row[]): JobCounters {
  const counts = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
  let total = 0;
  let tasks = 0;
  let tasksCompleted = 0;
  let storedBytes = 0;
  for (const [status, jobs, ofJobs, completed, stored = 0] of rows) {
    counts[jobStatuses[status as number]!] = jobs as number;
    total += jobs as number;
    tasks += ofJobs as number;
    tasksCompleted += completed as number;
    storedBytes += stored as number;
  }
  return { total, ...counts, tasks, tasksCompleted, storedBytes };
}

/** Stored in the byte order of the machine: little-endian on every platform of Node. */
function toPriorities(bytes: Uint8Array): Int16Array {
  return new Int16Array(Uint8Array.from(bytes).buffer);
}
