// Reads of tasks and their attempts. Each is read through its job.

import { damagedTask, damagedTasks, isDamaged, valueFault } from '../damage.ts';
import type { AttemptPlace, CellCounts, CellsAsked, TaskReading } from '../reading.ts';
import { ResultPage } from '../result-page.ts';
import type { AttemptRow, DamagedTask, StoredTask, TaskRow, TraceSummary } from '../rows.ts';
import { seenThrough, type StoredStatus, storedAs } from '../visibility.ts';
import type { Reader } from './driver/reader.ts';
import { listAttemptsOfJob, listAttemptsOfTask, listFailuresOf } from './tables/attempt-table.ts';
import { isWhole } from './tables/job-look.ts';
import { type JobGlance, seeJob } from './tables/job-table.ts';
import { completeTasks } from './tables/stored-tasks.ts';
import {
  countTaskCells,
  listAcceptedTasks,
  listTasksOf,
  lookAtResults,
  lookAtTask,
  lookAtTasks,
  toTask,
  toTaskWithResult,
} from './tables/task-table.ts';
import { listTracesOf, readOutputOf } from './tables/trace-table.ts';

export class PostgresTaskReading implements TaskReading {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Throws a `StoreFault` when rows are missing that must be there. */
  async listTasks(jobKey: number, fromIndex: number, limit: number): Promise<readonly TaskRow[]> {
    const found = await lookAtTasks(this.#reader.query, jobKey, fromIndex, limit);
    if (found === undefined) return [];
    const { job } = found;
    const rows = found.rows.map(toTask);
    if (isWhole(job)) {
      const expected = Math.max(0, Math.min(limit, job.taskCount - fromIndex));
      const isInOrder = rows.every(({ index }, place) => index === fromIndex + place);
      if (!isInOrder || rows.length < expected) throw valueFault(damagedTasks(job.id));
    }
    return rows.map((row) => seenThrough(job, row));
  }

  async listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly (TaskRow | DamagedTask)[]> {
    const page = new ResultPage(limit, bytes);
    for (let next = fromIndex; !page.isFull; ) {
      const { rowsLeft, bytesLeft } = page;
      const found = await lookAtResults(this.#reader.query, jobKey, next, rowsLeft, bytesLeft);
      // It cannot be seen, or was cleared meanwhile.
      if (found === undefined) return [];
      const { job, rows, isEnd } = found;
      for (const row of rows) {
        const task = toTaskWithResult(row);
        if (!takeMissing(page, job, next, task.index)) return page.rows;
        if (!page.take(seen(job, task))) return page.rows;
        next = task.index + 1;
      }
      if (isEnd) {
        takeMissing(page, job, next, job.taskCount);
        break;
      }
    }
    return page.rows;
  }

  async listTasksByStatus(
    jobKey: number,
    status: StoredStatus,
    fromIndex: number,
    limit: number,
  ): Promise<readonly StoredTask[]> {
    return this.#reader.snapshot(async (query) => {
      const job = await seeJob(query, jobKey);
      if (job === undefined) return [];
      const rows = await listTasksOf(query, jobKey, storedAs(job, status), fromIndex, limit);
      const asSeen = rows.map((row) => seenThrough(job, row));
      return completeTasks(query, asSeen, new Map([[jobKey, job.id]]));
    });
  }

  async listAccepted(
    jobKey: number,
    fromIndex: number,
    limit: number,
  ): Promise<readonly TaskRow[]> {
    return listAcceptedTasks(this.#reader.query, jobKey, fromIndex, limit);
  }

  async countCells(jobKey: number, cells: CellsAsked): Promise<CellCounts | undefined> {
    return countTaskCells(this.#reader.query, jobKey, cells);
  }

  /** A task that must have a row and has none is damaged. */
  async findTask(jobKey: number, index: number): Promise<TaskRow | undefined> {
    const found = await lookAtTask(this.#reader.query, jobKey, index);
    if (found === undefined) return undefined;
    const { job, rows } = found;
    const [row] = rows;
    const task = row === undefined ? missing(job, index) : seen(job, toTaskWithResult(row));
    if (task !== undefined && isDamaged(task)) throw valueFault(task.damage);
    return task;
  }

  async listAttempts(jobKey: number, index: number): Promise<readonly AttemptRow[]> {
    return listAttemptsOfTask(this.#reader.query, jobKey, index);
  }

  async listJobAttempts(
    jobKey: number,
    after: AttemptPlace | null,
    limit: number,
  ): Promise<readonly AttemptRow[]> {
    return listAttemptsOfJob(this.#reader.query, jobKey, after, limit);
  }

  async listTraces(jobKey: number, index: number): Promise<readonly TraceSummary[]> {
    return listTracesOf(this.#reader.query, jobKey, index);
  }

  async readOutput(jobKey: number, index: number, attempt: number): Promise<string | null> {
    return readOutputOf(this.#reader.query, jobKey, index, attempt);
  }

  async listFailures(
    workerId: string,
    limit: number,
    owner?: string,
  ): Promise<readonly AttemptRow[]> {
    return listFailuresOf(this.#reader.query, workerId, limit, owner);
  }
}

/** False when the page is full. */
function takeMissing(page: ResultPage, job: JobGlance, from: number, before: number): boolean {
  for (let index = from; index < before; index++) {
    const damaged = missing(job, index);
    // Only in a whole job every task must have a row.
    if (damaged === undefined) return true;
    if (!page.take(damaged)) return false;
  }
  return true;
}

/** What stands for a task without a row. */
function missing(job: JobGlance, index: number): DamagedTask | undefined {
  return isWhole(job) && index < job.taskCount ? damagedTask(job, job.key, index) : undefined;
}

/** In a whole job no task is open or cancelled: a row that says so is an old one, and damaged. */
function seen(job: JobGlance, row: TaskRow): TaskRow | DamagedTask {
  const hasEnded = row.status === 'completed' || row.status === 'failed';
  if (isWhole(job) && !hasEnded) return damagedTask(job, row.jobKey, row.index);
  return seenThrough(job, row);
}
