// Reads of tasks and their attempts. Each is read through its job.

import { isDamaged, valueFault } from '../damage.ts';
import type { AttemptPlace, CellCounts, CellsAsked, TaskReading } from '../reading.ts';
import type { AttemptRow, DamagedTask, StoredTask, TaskRow, TraceSummary } from '../rows.ts';
import type { StoredStatus } from '../visibility.ts';
import type { Connection } from './connection.ts';
import type { StoredTasks } from './stored-tasks.ts';
import type { JobGlance } from './tables/job-table.ts';
import type { Tables } from './tables/tables.ts';
import { TaskWalk } from './task-walk.ts';

export class SqliteTaskReading implements TaskReading {
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #stored: StoredTasks;
  readonly #walk: TaskWalk;

  constructor(connection: Connection, tables: Tables, stored: StoredTasks) {
    this.#connection = connection;
    this.#tables = tables;
    this.#stored = stored;
    this.#walk = new TaskWalk(tables.tasks, (jobKey, work) => this.#lookAt(jobKey, work));
  }

  async listTasks(jobKey: number, fromIndex: number, limit: number): Promise<readonly TaskRow[]> {
    const list = (job: JobGlance) => this.#walk.list(job, jobKey, fromIndex, limit);
    return (await this.#lookAt(jobKey, list)) ?? [];
  }

  listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly (TaskRow | DamagedTask)[]> {
    return this.#walk.listResults(jobKey, fromIndex, limit, bytes);
  }

  async listTasksByStatus(
    jobKey: number,
    status: StoredStatus,
    fromIndex: number,
    limit: number,
  ): Promise<readonly StoredTask[]> {
    const rows = await this.#walk.listByStatus(jobKey, status, fromIndex, limit);
    return this.#connection.read((generation) => {
      const job = this.#tables.jobs.see(jobKey, generation);
      return this.#stored.complete(rows, new Map([[jobKey, job]]));
    });
  }

  listAccepted(jobKey: number, fromIndex: number, limit: number): Promise<readonly TaskRow[]> {
    return this.#walk.listAccepted(jobKey, fromIndex, limit);
  }

  async countCells(jobKey: number, cells: CellsAsked): Promise<CellCounts | undefined> {
    const { tasks } = this.#tables;
    return this.#lookAt(jobKey, () => ({
      pending: tasks.countCells(jobKey, 'pending', cells),
      assigned: tasks.countCells(jobKey, 'assigned', cells),
      failed: tasks.countCells(jobKey, 'failed', cells),
      cancelled: tasks.countCells(jobKey, 'cancelled', cells),
    }));
  }

  async findTask(jobKey: number, index: number): Promise<TaskRow | undefined> {
    return this.#lookAt(jobKey, (job) => {
      const row = this.#walk.find(job, jobKey, index);
      if (row !== undefined && isDamaged(row)) throw valueFault(row.damage);
      return row;
    });
  }

  async listAttempts(jobKey: number, index: number): Promise<readonly AttemptRow[]> {
    const { attempts } = this.#tables;
    return (await this.#lookAt(jobKey, (job) => attempts.list(jobKey, job.id, index))) ?? [];
  }

  async listJobAttempts(
    jobKey: number,
    after: AttemptPlace | null,
    limit: number,
  ): Promise<readonly AttemptRow[]> {
    const { attempts } = this.#tables;
    const list = (job: JobGlance) => attempts.listOfJob(jobKey, job.id, after, limit);
    return (await this.#lookAt(jobKey, list)) ?? [];
  }

  async listTraces(jobKey: number, index: number): Promise<readonly TraceSummary[]> {
    return (await this.#lookAt(jobKey, () => this.#tables.traces.list(jobKey, index))) ?? [];
  }

  async readOutput(jobKey: number, index: number, attempt: number): Promise<string | null> {
    const { traces } = this.#tables;
    return (await this.#lookAt(jobKey, () => traces.readOutput(jobKey, index, attempt))) ?? null;
  }

  async listFailures(
    workerId: string,
    limit: number,
    owner?: string,
  ): Promise<readonly AttemptRow[]> {
    const { workers, attempts } = this.#tables;
    return this.#connection.read((generation) => {
      if (workers.find(workerId, generation) === undefined) return [];
      return attempts.listOfWorker(workerId, generation, limit, owner);
    });
  }

  /** Runs the work on the job; undefined when the job cannot be seen. */
  #lookAt<T>(jobKey: number, work: (job: JobGlance) => T): Promise<T | undefined> {
    return this.#connection.read((generation) => {
      const job = this.#tables.jobs.see(jobKey, generation);
      return job && work(job);
    });
  }
}
