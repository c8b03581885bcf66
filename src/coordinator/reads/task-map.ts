// How the tasks of a job stand by their indices, in cells of so many consecutive tasks. No row of a task is read,
// for there may be millions with their results: what waits, runs or has failed is counted in an index of the
// store, what was never given out lies ahead of a cursor, and the rest has completed. The cells are counted some
// at a time, each lot at one moment, and between two of them other work has its turn. Who asks for the same map while
// it is made gets the same answer.

import { entrySize } from '../../core/entries.ts';
import type { EntryRecord, JobRecord, TaskRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { TaskMap, TaskStatus } from '../../protocol/resources.ts';
import type { CellsAsked, Reading } from '../../store/reading.ts';
import { isClosed } from '../../store/visibility.ts';
import type { TaskMapAsked } from '../port/reads.ts';
import { restoreJob } from '../writer/restore.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

export interface TaskMapOptions {
  readonly state: Pick<State, 'jobs'>;
  readonly store: Pick<Reading, 'findJob' | 'countCells'>;
  readonly loop: Pick<WriterLoop, 'settled'>;
  /** Resolves after other work had a turn of the event loop. */
  readonly turn: () => Promise<void>;
}

/** What is counted at one moment: a few milliseconds of work. */
const lotCells = 100;
const lotIndices = 100_000;

type Counts = Record<TaskStatus, number[]>;

export class TaskMaps {
  readonly #options: TaskMapOptions;
  readonly #underWay = new Map<string, Promise<TaskMap | undefined>>();

  constructor(options: TaskMapOptions) {
    this.#options = options;
  }

  /** Undefined: no such job. */
  find(jobId: string, asked: TaskMapAsked): Promise<TaskMap | undefined> {
    const { from, to, cells } = asked;
    const name = [from, to ?? 'end', cells, jobId].join(' ');
    const before = this.#underWay.get(name);
    if (before !== undefined) return before;
    const counting = this.#map(jobId, asked).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, counting);
    return counting;
  }

  async #map(jobId: string, asked: TaskMapAsked): Promise<TaskMap | undefined> {
    const { state, store, loop, turn } = this.#options;
    await loop.settled();
    let job = state.jobs.get(jobId);
    if (job === undefined) {
      const row = await store.findJob(jobId);
      if (row === undefined) return undefined;
      job = restoreJob(row);
    }
    const { taskCount } = job.spec;
    const to = Math.min(asked.to ?? taskCount, taskCount);
    const from = Math.min(asked.from, to);
    const width = cellWidth(to - from, asked.cells);
    const counts: Counts = {
      pending: [],
      assigned: [],
      running: [],
      completed: [],
      failed: [],
      cancelled: [],
    };
    // A wide cell is counted in parts.
    const part = Math.min(width, lotIndices);
    const lot = part * Math.min(lotCells, Math.floor(lotIndices / part));
    for (let next = from; next < to; next += lot) {
      await turn();
      await loop.settled();
      // It may have ended meanwhile, or been retried.
      job = state.jobs.get(jobId) ?? job;
      const cells = { from: next, to: Math.min(to, next + lot), width: part };
      if (!(await this.#count(counts, job, cells))) return undefined;
    }
    return { from, to, width, counts: joined(counts, width / part) };
  }

  /**
   * False: the job is gone. Memory and store are read at one moment: the store has read before anything else can
   * happen.
   */
  async #count(counts: Counts, job: JobRecord, cells: CellsAsked): Promise<boolean> {
    const { from, to, width } = cells;
    const fresh = freshCells(job, cells);
    const running = runningCells(job, cells);
    const isOver = isClosed(job);
    const stored = await this.#options.store.countCells(job.spec.key, cells);
    if (stored === undefined) return false;
    for (let cell = 0; cell < fresh.length; cell++) {
      const size = Math.min(width, to - from - cell * width);
      const pending = fresh[cell]! + stored.pending[cell]!;
      const failed = stored.failed[cell]!;
      const assigned = stored.assigned[cell]!;
      const cancelled = stored.cancelled[cell]!;
      const runs = isOver ? 0 : Math.min(running[cell]!, assigned);
      counts.pending.push(isOver ? 0 : pending);
      counts.assigned.push(isOver ? 0 : assigned - runs);
      counts.running.push(runs);
      counts.failed.push(failed);
      counts.cancelled.push(isOver ? pending + assigned + cancelled : cancelled);
      counts.completed.push(Math.max(0, size - pending - assigned - failed - cancelled));
    }
    return true;
  }
}

/** The smallest of 1, 2, 4, 5 and these times 10, 100, … with which so many tasks are at most so many cells. */
export function cellWidth(tasks: number, cells: number): number {
  for (let unit = 1; ; unit *= 10) {
    for (const factor of [1, 2, 4, 5]) {
      if (Math.ceil(tasks / (unit * factor)) <= cells) return unit * factor;
    }
  }
}

/** Sums of so many parts in a row. */
function joined(counts: Counts, parts: number): Counts {
  if (parts === 1) return counts;
  const sums = (column: readonly number[]) =>
    Array.from({ length: Math.ceil(column.length / parts) }, (_, cell) =>
      column.slice(cell * parts, (cell + 1) * parts).reduce((sum, each) => sum + each, 0),
    );
  return {
    pending: sums(counts.pending),
    assigned: sums(counts.assigned),
    running: sums(counts.running),
    completed: sums(counts.completed),
    failed: sums(counts.failed),
    cancelled: sums(counts.cancelled),
  };
}

function freshCells(job: JobRecord, cells: CellsAsked): Float64Array {
  const found = emptyCells(cells);
  for (const entry of job.entries) addFresh(found, entry, cells);
  return found;
}

/** Of what was never given out the indices are higher than of all else in its entry. */
function addFresh(found: Float64Array, entry: EntryRecord, { from, to, width }: CellsAsked): void {
  const { indices, cursor } = entry;
  if (cursor >= entrySize(entry)) return;
  if (indices === null) {
    for (let cell = 0; cell < found.length; cell++) {
      const begin = Math.max(from + cell * width, cursor);
      found[cell]! += Math.max(0, Math.min(from + (cell + 1) * width, to) - begin);
    }
    return;
  }
  for (let i = Math.max(cursor, firstFrom(indices, from)); i < indices.length; i++) {
    const index = indices[i]!;
    if (index >= to) return;
    found[Math.floor((index - from) / width)]!++;
  }
}

/** The place of the first index that is not below `from`. */
function firstFrom(indices: Int32Array, from: number): number {
  let low = 0;
  let high = indices.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (indices[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function runningCells(job: JobRecord, cells: CellsAsked): Float64Array {
  const { from, to, width } = cells;
  const found = emptyCells(cells);
  const count = (task: TaskRecord | undefined) => {
    if (task?.status !== 'running' || task.index < from || task.index >= to) return;
    found[Math.floor((task.index - from) / width)]!++;
  };
  // Very many may wait for another attempt.
  if (job.tasks.size <= to - from) for (const task of job.tasks.values()) count(task);
  else for (let index = from; index < to; index++) count(job.tasks.get(index));
  return found;
}

function emptyCells({ from, to, width }: CellsAsked): Float64Array {
  return new Float64Array(Math.ceil((to - from) / width));
}
