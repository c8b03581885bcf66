// Lists that may have to pass over many rows before they find their fill: they look at a window of
// indices at a time and give the event loop a turn when they have taken long.

import type { TaskRow } from '../rows.ts';
import {
  finalStatuses,
  resultBytes,
  seenThrough,
  type StoredStatus,
  storedAs,
} from '../visibility.ts';
import type { JobGlance } from './job-table.ts';
import type { TaskTable } from './task-table.ts';
import { Turns } from './turns.ts';

const windowIndices = 8_192;

/** Does the work if the job can be seen, undefined if not. Throws `StoreFault`. */
export type JobLook = <T>(jobKey: number, work: (job: JobGlance) => T) => T | undefined;

/** True when it has found enough. */
type WindowVisit = (job: JobGlance, fromIndex: number, beforeIndex: number) => boolean;

export class TaskWalk {
  readonly #tasks: TaskTable;
  readonly #look: JobLook;

  constructor(tasks: TaskTable, look: JobLook) {
    this.#tasks = tasks;
    this.#look = look;
  }

  async listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly TaskRow[]> {
    const rows: TaskRow[] = [];
    let left = bytes;
    const isVisible = await this.#walk(jobKey, fromIndex, (job, from, before) => {
      const statuses = finalStatuses.flatMap((status) => storedAs(job, status));
      const found = this.#tasks.iterateResults(jobKey, statuses, from, before, limit - rows.length);
      for (const row of found) {
        left -= resultBytes(row);
        if (left < 0 && rows.length > 0) return true;
        rows.push(seenThrough(job, row));
      }
      return rows.length >= limit;
    });
    return isVisible ? rows : [];
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

  /** False when the job cannot be seen, or was cleared meanwhile. */
  async #walk(jobKey: number, fromIndex: number, visit: WindowVisit): Promise<boolean> {
    const end = this.#look(jobKey, () => this.#tasks.endIndex(jobKey)) ?? 0;
    const turns = new Turns();
    for (let from = fromIndex; from < end; from += windowIndices) {
      const isDone = this.#look(jobKey, (job) => visit(job, from, from + windowIndices));
      if (isDone !== false) return isDone === true;
      await turns.rest();
    }
    return true;
  }
}
