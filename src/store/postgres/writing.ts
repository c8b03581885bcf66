// What only the writer does: loads, commits and sweeps.

import { noTotals, type Totals } from '../../core/totals.ts';
import type { SchedulerConfig } from '../../core/snapshot.ts';
import type { StoredState, WriteBatch } from '../rows.ts';
import type { AuditKept, Writing } from '../writing.ts';
import type { Query, Statement } from './driver/statement.ts';
import { decodeText, encodeText } from './driver/text.ts';
import type { Foundation } from './foundation.ts';
import type { LogEntry } from './log/log-entry.ts';
import type { Sweeping } from './sweeping.ts';
import { attemptStatements } from './tables/attempt-table.ts';
import { auditStatements, trimAudit } from './tables/audit-table.ts';
import { hasAnyBlob, referenceStatements, revealReferences } from './tables/blob-table.ts';
import { checkpointStatements, dropStateStatements } from './tables/checkpoint-table.ts';
import { keyStatements } from './tables/idempotency-table.ts';
import { dropAllStaged, inputStatements, revealStaged } from './tables/input-table.ts';
import { countJobs, countOwnJobs, hideJobs, JobTable, listOpenJobs } from './tables/job-table.ts';
import { largestNotificationId, notificationStatements } from './tables/notification-table.ts';
import { programStatements } from './tables/program-table.ts';
import { listUnfinishedRecoveries, recoveryStatements } from './tables/recovery-table.ts';
import { listSchedulerChanges, schedulerStatements } from './tables/scheduler-table.ts';
import { listUnfinishedTasks } from './tables/stored-tasks.ts';
import { OpenDispatches, type SortedTasks } from './tables/open-dispatches.ts';
import { taskStatements } from './tables/task-table.ts';
import { dropTokens, revokeTokens, tokenStatements } from './tables/token-table.ts';
import { traceStatements } from './tables/trace-table.ts';
import { workStatements } from './tables/work-table.ts';
import { listRegisteredWorkers, pruneWorkers, WorkerTable } from './tables/worker-table.ts';
import type { WorkSpans } from './work-spans.ts';

interface WritingParts {
  readonly sweeping: Sweeping;
  readonly workSpans: WorkSpans;
}

export class PostgresWriting implements Omit<Writing, 'collectBlobs' | 'readVisitors'> {
  readonly #foundation: Foundation;
  readonly #sweeping: Sweeping;
  readonly #workSpans: WorkSpans;
  readonly #jobs = new JobTable();
  readonly #workers = new WorkerTable();
  #dispatches: Promise<OpenDispatches> | undefined;

  constructor(foundation: Foundation, { sweeping, workSpans }: WritingParts) {
    this.#foundation = foundation;
    this.#sweeping = sweeping;
    this.#workSpans = workSpans;
  }

  async load(): Promise<StoredState> {
    const { reader, log, member } = this.#foundation;
    await reader.write((query) => dropAllStaged(query, member));
    return reader.snapshot((query) => readState(query, log.newest));
  }

  async reserveJobKeys(count: number): Promise<number> {
    const [row] = await this.#foundation.reader.write((query) =>
      query('update meta set next_job_key = next_job_key + $1 returning next_job_key - $1', [
        count,
      ]),
    );
    return row![0] as number;
  }

  async commit(batch: WriteBatch, at: number): Promise<void> {
    const dispatches = await this.#readDispatches();
    await this.#foundation.log.commit((newest) => {
      if (batch.sequence <= newest.batch) return null;
      const tasks = dispatches.sort(batch);
      return {
        entry: entryAfter(newest, batch, at),
        statements: this.#statements(batch, tasks, at),
      };
    });
  }

  /** Before the first batch; those that come meanwhile wait in their order. */
  #readDispatches(): Promise<OpenDispatches> {
    this.#dispatches ??= this.#foundation.reader.snapshot((query) => OpenDispatches.read(query));
    return this.#dispatches;
  }

  confirm(): Promise<void> {
    return this.#foundation.log.confirm();
  }

  sweep(rows: number): Promise<boolean> {
    return this.#sweeping.run(rows);
  }

  keepSums(now: number): Promise<boolean> {
    return this.#workSpans.sumNext(now);
  }

  pruneWorkers(rows: number): Promise<boolean> {
    return this.#foundation.reader.write((query) => pruneWorkers(query, rows));
  }

  trimAudit(kept: AuditKept, rows: number): Promise<boolean> {
    return this.#foundation.reader.write((query) => trimAudit(query, kept, rows));
  }

  /** In this order: whether the job of a row can be seen is asked when all jobs of the batch are as they will be. */
  #statements(batch: WriteBatch, tasks: SortedTasks, at: number): readonly Statement[] {
    if (batch.generation !== null) this.#workers.forget();
    const jobs = this.#jobs.statements(batch.jobs);
    return [
      ...jobs.statements,
      ...revealStaged(jobs.added, batch.payloads),
      ...revealReferences(jobs.added),
      ...programStatements(batch.payloads),
      ...inputStatements(batch.payloads),
      ...taskStatements(tasks),
      ...attemptStatements(batch.attempts),
      ...traceStatements(batch.traces),
      ...this.#workers.statements(batch.workers),
      ...hideJobs(batch.deletedJobs),
      ...factStatements(batch),
      ...recoveryStatements(batch.recoveries),
      ...notificationStatements(batch.notifications),
      ...checkpointStatements(batch.checkpoints),
      ...dropStateStatements(batch.droppedStates),
      ...referenceStatements(batch.blobReferences),
      ...keyStatements(batch.idempotencyKeys),
      ...tokenStatements(batch.tokens),
      ...revokeTokens(batch.revokedTokens, at),
      ...dropTokens(batch.droppedTokens),
      ...auditStatements(batch.audit),
      ...schedulerStatements(batch.schedulerChanges),
      ...workStatements(batch.work, at),
      ...this.#workSpans.changed(batch),
    ];
  }
}

/** Facts about the whole database that seldom change; a key that a job has was reserved, or counts as if. */
function factStatements({ jobs, config, generation }: WriteBatch): Statement[] {
  const statements: Statement[] = [];
  const next = above(jobs, 0, ({ spec }) => spec.key);
  if (next > 0) {
    const text = 'update meta set next_job_key = $1 where next_job_key < $1';
    statements.push({ text, values: [next] });
  }
  if (config !== null) {
    const values = [encodeText(JSON.stringify(config))];
    statements.push({ text: 'update meta set config = $1', values });
  }
  if (generation !== null) {
    statements.push({ text: 'update meta set generation = $1', values: [generation] });
  }
  return statements;
}

function entryAfter(newest: LogEntry, batch: WriteBatch, at: number): LogEntry {
  return {
    ...newest,
    batch: batch.sequence,
    at,
    nextWorkerKey: above(batch.workers, newest.nextWorkerKey, ({ key }) => key),
    nextRecoveryId: above(batch.recoveries, newest.nextRecoveryId, ({ id }) => id),
    nextCheckpointId: above(batch.checkpoints, newest.nextCheckpointId, ({ row }) => row.id),
    totals: batch.totals === undefined ? newest.totals : JSON.stringify(batch.totals),
  };
}

/** The mark, or what lies above every key of these rows. */
function above<R>(rows: readonly R[], mark: number, keyOf: (row: R) => number): number {
  return rows.reduce((next, row) => Math.max(next, keyOf(row) + 1), mark);
}

async function readState(query: Query, newest: LogEntry): Promise<StoredState> {
  const [meta] = await query('select generation, config from meta');
  const config = meta![1] as string | null;
  const jobs = await listOpenJobs(query);
  return {
    generation: meta![0] as number,
    sequence: newest.batch,
    config: config === null ? null : (JSON.parse(decodeText(config)) as SchedulerConfig),
    jobs,
    tasks: await listUnfinishedTasks(query),
    workers: await listRegisteredWorkers(query),
    recoveries: await listUnfinishedRecoveries(query),
    counters: await countJobs(query),
    ownerCounters: await countOwnJobs(query),
    totals: newest.totals === null ? noTotals() : (JSON.parse(newest.totals) as Totals),
    nextWorkerKey: newest.nextWorkerKey,
    nextRecoveryId: newest.nextRecoveryId,
    nextCheckpointId: newest.nextCheckpointId,
    nextNotificationId: (await largestNotificationId(query)) + 1,
    hasSchedulerChanges: (await listSchedulerChanges(query, 1)).length > 0,
    hasBlobs: await hasAnyBlob(query),
    lastCommitAt: newest.at,
  };
}
