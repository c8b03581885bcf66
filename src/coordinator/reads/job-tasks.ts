// Pages of the tasks of a job, in index order, all of them or those of one status. A task stands in the page
// by its index, so what happens meanwhile moves none from one page to another.

import { isFresh } from '../../core/entries.ts';
import type { JobRecord, TaskRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import { payloadText, type RawJson } from '../../protocol/codec.ts';
import type { TaskListing, TaskStatus } from '../../protocol/resources.ts';
import { isDamaged } from '../../store/damage.ts';
import type { Reading } from '../../store/reading.ts';
import type { TaskRow } from '../../store/rows.ts';
import { isClosed, type StoredStatus } from '../../store/visibility.ts';
import { isoTime } from '../iso-time.ts';
import { type InputsOfJob, readInputs, toldInput } from '../workers/inputs.ts';
import type { TaskPage, TaskPageAsked } from '../port/reads.ts';
import { restoreJob } from '../writer/restore.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import * as views from './views.ts';

export interface JobTaskOptions {
  readonly state: State;
  readonly store: Reading;
  readonly loop: Pick<WriterLoop, 'settled'>;
  /** Resolves after other work had a turn of the event loop. */
  readonly turn: () => Promise<void>;
}

/** Rows that are read at a time. */
const chunkRows = 250;
/** Indices that are looked at in memory at a time. */
const chunkIndices = 20_000;
/** Inputs that are read at a time: each may be a megabyte. */
const chunkInputs = 16;
/** Inputs of one page together. */
const mostInputCharacters = 2 * 1024 * 1024;

/** A stored task, or one that was never assigned and has no row. */
type Found = TaskRow | { readonly index: number };

export class JobTasks {
  readonly #options: JobTaskOptions;

  constructor(options: JobTaskOptions) {
    this.#options = options;
  }

  /** Undefined: no such job. */
  async find(jobId: string, asked: TaskPageAsked): Promise<TaskPage | undefined> {
    const job = await this.#findJob(jobId);
    if (job === undefined) return undefined;
    const { status, limit } = asked;
    const from = asked.after + 1;
    // One more than the page tells whether there is another.
    const found =
      status === null
        ? await this.#anyOf(job, from, limit + 1)
        : await this.#ofStatus(job, status, from, limit + 1);
    const inputs = asked.inputs ? await this.#inputsOf(job, found.slice(0, limit)) : undefined;
    const count = Math.min(limit, inputs?.size ?? limit);
    const tasks: TaskListing[] = [];
    for (const task of found.slice(0, count)) {
      const told = toldInput(inputs?.get(task.index));
      tasks.push({ ...(await this.#listing(job, task)), ...told });
      if (tasks.length % chunkRows === 0) await this.#next();
    }
    return { tasks, after: found.length > count ? (tasks.at(-1)?.index ?? null) : null };
  }

  /** The inputs of the first of them, at least of one, until there are many characters of them. */
  async #inputsOf(job: JobRecord, found: readonly Found[]): Promise<InputsOfJob> {
    const inputs = new Map<number, RawJson | string>();
    let characters = 0;
    for (let start = 0; start < found.length; start += chunkInputs) {
      const indices = found.slice(start, start + chunkInputs).map(({ index }) => index);
      const some = await readInputs(this.#options.store, job.spec, indices);
      for (const [index, input] of some) {
        characters += payloadText(input).length;
        if (inputs.size > 0 && characters > mostInputCharacters) return inputs;
        inputs.set(index, input);
      }
      await this.#next();
    }
    return inputs;
  }

  #ofStatus(
    job: JobRecord,
    status: TaskStatus,
    from: number,
    limit: number,
  ): Promise<readonly Found[]> {
    if (status === 'running') return this.#inMemory(job, from, limit, 'running');
    // Stored as assigned are running ones, too.
    if (status === 'assigned') return this.#inMemory(job, from, limit, 'assigned');
    if (status === freshStatus(job)) return this.#withFresh(job, status, from, limit);
    return this.#stored(job, status, from, limit);
  }

  async #inMemory(
    job: JobRecord,
    from: number,
    limit: number,
    status: TaskStatus,
  ): Promise<readonly Found[]> {
    const tasks = this.#live(job)?.tasks.values() ?? [];
    const indices = Array.from(tasks)
      .filter((task) => task.status === status && task.index >= from)
      .map(({ index }) => index)
      .sort((a, b) => a - b)
      .slice(0, limit);
    const rows: Found[] = [];
    for (const index of indices) {
      const row = await this.#options.store.findTask(job.spec.key, index);
      // Those that ended meanwhile are not of this status any more.
      if (row?.status === 'assigned') rows.push(row);
    }
    return rows;
  }

  async #stored(
    job: JobRecord,
    status: StoredStatus,
    from: number,
    limit: number,
  ): Promise<readonly TaskRow[]> {
    const rows: TaskRow[] = [];
    while (rows.length < limit) {
      const most = Math.min(chunkRows, limit - rows.length);
      const next = rows.length === 0 ? from : rows.at(-1)!.index + 1;
      const { store } = this.#options;
      const some = await store.listTasksByStatus(job.spec.key, status, next, most);
      for (const { row } of some) rows.push(row);
      if (some.length < most) break;
      await this.#next();
    }
    return rows;
  }

  /** Stored tasks of the status, and between them those that were never assigned. */
  async #withFresh(
    job: JobRecord,
    status: StoredStatus,
    from: number,
    limit: number,
  ): Promise<readonly Found[]> {
    const rows = await this.#stored(job, status, from, limit);
    const found = new Map<number, Found>(rows.map((row) => [row.index, row]));
    let fresh = 0;
    for (let index = from; index < job.spec.taskCount && fresh < limit; index++) {
      if (index % chunkIndices === 0) await this.#next();
      if (!isFresh(job, index)) continue;
      fresh++;
      if (!found.has(index)) found.set(index, { index });
    }
    return [...found.values()].sort((a, b) => a.index - b.index).slice(0, limit);
  }

  async #anyOf(job: JobRecord, from: number, limit: number): Promise<readonly Found[]> {
    const found: Found[] = [];
    const end = Math.min(job.spec.taskCount, from + limit);
    while (from + found.length < end) {
      const next = from + found.length;
      const most = Math.min(chunkRows, end - next);
      const rows = await this.#options.store.listTasks(job.spec.key, next, most);
      const byIndex = new Map(rows.map((row) => [row.index, row]));
      for (let index = next; index < next + most; index++) {
        found.push(byIndex.get(index) ?? { index });
      }
      await this.#next();
    }
    return found;
  }

  async #listing(job: JobRecord, found: Found): Promise<TaskListing> {
    const { id } = job.spec;
    const live = this.#live(job)?.tasks.get(found.index);
    if (!('status' in found)) {
      const status = isClosed(job) ? 'cancelled' : 'pending';
      return { ...views.unassignedTask(id, found.index, status), ...nothingYet };
    }
    return {
      ...views.taskEntry(id, found, found.status === 'assigned' ? live : undefined),
      assigned_at: timeOf(found.assignedAt),
      started_at: timeOf(found.startedAt ?? startOf(found, live)),
      completed_at: timeOf(found.completedAt),
      run_seconds: found.runMs === null ? null : found.runMs / 1_000,
      error: found.status === 'failed' ? await this.#errorOf(found) : null,
    };
  }

  /** Compared with its hash, as a list of rows is not. */
  async #errorOf({ jobKey, index }: TaskRow): Promise<TaskListing['error']> {
    const [row] = await this.#options.store.listResults(jobKey, index, 1, 1);
    if (row === undefined || row.index !== index) return null;
    if (isDamaged(row)) return { type: 'store_damaged', message: row.damage };
    return row.errorType === null ? null : { type: row.errorType, message: row.errorMessage ?? '' };
  }

  #live(job: JobRecord): JobRecord | undefined {
    return this.#options.state.jobs.get(job.spec.id);
  }

  async #findJob(jobId: string): Promise<JobRecord | undefined> {
    const { state, store, loop } = this.#options;
    await loop.settled();
    const open = state.jobs.get(jobId);
    if (open !== undefined) return open;
    const row = await store.findJob(jobId);
    return row && restoreJob(row);
  }

  async #next(): Promise<void> {
    await this.#options.turn();
    await this.#options.loop.settled();
  }
}

/** What a task without a row reads as. */
function freshStatus(job: JobRecord): 'cancelled' | 'pending' {
  return isClosed(job) ? 'cancelled' : 'pending';
}

/** The row of an attempt that runs does not always say when it began. */
function startOf(row: TaskRow, live: TaskRecord | undefined): number | null {
  if (row.status !== 'assigned') return null;
  return live?.live.find(({ attempt }) => attempt === row.attempt)?.startedAt ?? null;
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

const nothingYet = {
  assigned_at: null,
  started_at: null,
  completed_at: null,
  run_seconds: null,
  error: null,
} as const;
