// Lists that may have to pass over many rows before they have enough: they read a window of indices at a
// time and give others a turn of the event loop when they have taken long.

import { indicesPerJob } from '../../core/task-key.ts';
import { finalTaskStatuses, isFinalTask } from '../../core/task-status.ts';
import { damagedTasks, isDamaged, valueFault } from '../damage.ts';
import type { DamagedTask, TaskRow } from '../rows.ts';
import { seenThrough, type StoredStatus, storedAs } from '../visibility.ts';
import { isCorrupt } from './file/faults.ts';
import type { JobGlance } from './tables/job-table.ts';
import { ResultPage } from '../result-page.ts';
import type { TaskTable } from './tables/task-table.ts';
import { Turns } from '../turns.ts';

const windowIndices = 8_192;
/** A search for single tasks in damaged pages ends after this time, once it has found something. */
const mostSearchMs = 10;

/** Indices of a job, `before` excluded. */
interface Window {
  readonly jobKey: number;
  readonly from: number;
  readonly before: number;
}

/** Runs the work if the job can be seen; undefined if not. Throws `StoreFault`. */
export type JobLook = <T>(jobKey: number, work: (job: JobGlance) => T) => Promise<T | undefined>;

/** Returns true when it has found enough. */
type WindowVisit = (job: JobGlance, fromIndex: number, beforeIndex: number) => boolean;

export class TaskWalk {
  readonly #tasks: TaskTable;
  readonly #look: JobLook;

  constructor(tasks: TaskTable, look: JobLook) {
    this.#tasks = tasks;
    this.#look = look;
  }

  /** A task with its result. A task that must have a row and has none is damaged. */
  find(job: JobGlance, jobKey: number, index: number): TaskRow | DamagedTask | undefined {
    const row = this.#findReadable(job, jobKey, index);
    if (row !== undefined) return this.#seen(job, row);
    const isMissing = job.isWhole && index < job.taskCount;
    return isMissing ? this.#tasks.damaged(job, jobKey, index) : undefined;
  }

  /** All stored tasks, without results. Throws a `StoreFault` when rows are missing that must be there. */
  list(job: JobGlance, jobKey: number, fromIndex: number, limit: number): readonly TaskRow[] {
    const rows = this.#tasks.list(jobKey, null, fromIndex, indicesPerJob, limit);
    const isInOrder = rows.every((row, place) =>
      job.isWhole ? row.index === fromIndex + place : row.index > (rows[place - 1]?.index ?? -1),
    );
    const expected = job.isWhole ? Math.max(0, Math.min(limit, job.taskCount - fromIndex)) : 0;
    if (!isInOrder || rows.length < expected) throw valueFault(damagedTasks(job.id));
    return rows.map((row) => seenThrough(job, row));
  }

  async listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly (TaskRow | DamagedTask)[]> {
    const page = new ResultPage(limit, bytes);
    const isVisible = await this.#walk(jobKey, fromIndex, (job, from, before) =>
      this.#takeResults(page, job, { jobKey, from, before }),
    );
    return isVisible ? page.rows : [];
  }

  async listByStatus(
    jobKey: number,
    status: StoredStatus,
    fromIndex: number,
    limit: number,
  ): Promise<readonly TaskRow[]> {
    const rows: TaskRow[] = [];
    const isVisible = await this.#walk(jobKey, fromIndex, (job, from, before) => {
      const statuses = storedAs(job, status);
      if (statuses.length === 0) return true;
      const found = this.#tasks.list(jobKey, statuses, from, before, limit - rows.length);
      for (const row of found) rows.push(seenThrough(job, row));
      return rows.length >= limit;
    });
    return isVisible ? rows : [];
  }

  async listAccepted(
    jobKey: number,
    fromIndex: number,
    limit: number,
  ): Promise<readonly TaskRow[]> {
    const rows: TaskRow[] = [];
    const isVisible = await this.#walk(jobKey, fromIndex, (_job, from, before) => {
      for (const row of this.#tasks.listAccepted(jobKey, from, before, limit - rows.length)) {
        rows.push(row);
      }
      return rows.length >= limit;
    });
    return isVisible ? rows : [];
  }

  /** True when the page is full. */
  #takeResults(page: ResultPage, job: JobGlance, window: Window): boolean {
    const { jobKey, from, before } = window;
    const statuses = finalTaskStatuses.flatMap((status) => storedAs(job, status));
    let next = from;
    try {
      const { rowsLeft } = page;
      for (const row of this.#tasks.iterateResults(job, jobKey, statuses, from, before, rowsLeft)) {
        if (row.index < next) throw new OutOfOrder();
        while (next < row.index) if (!this.#takeMissing(page, job, jobKey, next++)) return true;
        if (!page.take(this.#seen(job, row))) return true;
        next++;
      }
      if (page.isFull) return true;
      const end = Math.min(before, job.taskCount);
      while (next < end) if (!this.#takeMissing(page, job, jobKey, next++)) return true;
      return false;
    } catch (error) {
      if (!isCorrupt(error) && !(error instanceof OutOfOrder)) throw error;
      return this.#takeReadable(page, job, { jobKey, from: next, before });
    }
  }

  /** When a page of the file cannot be read, or belongs elsewhere: searches each task by its key. */
  #takeReadable(page: ResultPage, job: JobGlance, { jobKey, from, before }: Window): boolean {
    const beganAt = performance.now();
    for (let index = from; index < Math.min(before, job.taskCount); index++) {
      const row = this.#findReadable(job, jobKey, index);
      if (row === undefined) {
        if (!this.#takeMissing(page, job, jobKey, index)) return true;
      } else if (isDamaged(row) || isFinalTask(seenThrough(job, row).status)) {
        if (!page.take(this.#seen(job, row))) return true;
      }
      if (page.rows.length > 0 && performance.now() - beganAt > mostSearchMs) return true;
    }
    return page.isFull;
  }

  #findReadable(job: JobGlance, jobKey: number, index: number): TaskRow | DamagedTask | undefined {
    try {
      return this.#tasks.findWithResult(job, jobKey, index);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return this.#tasks.damaged(job, jobKey, index);
    }
  }

  /** Only in a whole job every task must have a row. */
  #takeMissing(page: ResultPage, job: JobGlance, jobKey: number, index: number): boolean {
    return !job.isWhole || page.take(this.#tasks.damaged(job, jobKey, index));
  }

  /** In a whole job no task is open or cancelled: a row that says so is an old one, and damaged. */
  #seen(job: JobGlance, row: TaskRow | DamagedTask): TaskRow | DamagedTask {
    if (isDamaged(row)) return row;
    const hasEnded = row.status === 'completed' || row.status === 'failed';
    if (job.isWhole && !hasEnded) return this.#tasks.damaged(job, row.jobKey, row.index);
    return seenThrough(job, row);
  }

  /** False when the job cannot be seen, or was cleared meanwhile. */
  async #walk(jobKey: number, fromIndex: number, visit: WindowVisit): Promise<boolean> {
    const end = (await this.#look(jobKey, (job) => this.#endIndex(job, jobKey))) ?? 0;
    const turns = new Turns();
    for (let from = fromIndex; from < end; from += windowIndices) {
      const isDone = await this.#look(jobKey, (job) => visit(job, from, from + windowIndices));
      if (isDone !== false) return isDone === true;
      await turns.rest();
    }
    return true;
  }

  #endIndex(job: JobGlance, jobKey: number): number {
    if (job.isWhole) return job.taskCount;
    try {
      return this.#tasks.endIndex(jobKey);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return job.taskCount;
    }
  }
}

/** Rows that do not come in the order of their keys: a page of the file was written elsewhere. */
class OutOfOrder extends Error {}
