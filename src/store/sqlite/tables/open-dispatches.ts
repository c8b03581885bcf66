// Which tasks stand in a dispatch and have no row of their own yet. Kept in memory beside the table, so that
// finding this out costs no query for the many tasks that go well; read from the file when it is first needed,
// and again after a write that was undone.

import { jobKeyOf } from '../../../core/task-key.ts';
import type { TaskRow } from '../../rows.ts';
import { type DispatchHead, type DispatchTable, mostTasksInDispatch } from './dispatch-table.ts';

/** Fewer tasks get rows of their own: a dispatch is written and deleted, which costs as much as two of them. */
const fewestTasks = 4;

interface OpenDispatch extends DispatchHead {
  /** How many of its tasks stand here. */
  left: number;
}

type ByIndex = Map<number, OpenDispatch>;

export class OpenDispatches {
  readonly #table: DispatchTable;
  readonly #onDamage: (jobId: string) => void;
  /** By the key of the job. */
  #known: Map<number, ByIndex> | undefined;

  constructor(table: DispatchTable, onDamage: (jobId: string) => void) {
    this.#table = table;
    this.#onDamage = onDamage;
  }

  /**
   * Writes dispatches of those that are given out for the first time, and returns the others, for rows of their own. A
   * dispatch of which all tasks have one is deleted.
   */
  write(rows: readonly TaskRow[]): readonly TaskRow[] {
    const open = this.#open();
    const own: TaskRow[] = [];
    const fresh: TaskRow[] = [];
    let ofJob: ByIndex | undefined;
    let jobKey = -1;
    for (const row of rows) {
      if (row.jobKey !== jobKey) {
        jobKey = row.jobKey;
        ofJob = open.get(jobKey);
      }
      const dispatch = ofJob?.get(row.index);
      if (dispatch !== undefined) {
        ofJob!.delete(row.index);
        if (ofJob!.size === 0) open.delete(jobKey);
        if (--dispatch.left === 0) this.#table.drop(dispatch.key);
      } else if (isFirst(row)) {
        fresh.push(row);
        continue;
      }
      own.push(row);
    }
    for (const group of fresh.length < fewestTasks ? [fresh] : together(fresh)) {
      if (this.#mayShare(group)) this.#add(group);
      else own.push(...group);
    }
    return own;
  }

  find(jobKey: number, index: number): TaskRow | undefined {
    const dispatch = this.#open().get(jobKey)?.get(index);
    return dispatch && this.#row(dispatch, jobKey, index);
  }

  /** From one index to before another, in order; at most `limit`, unless that is negative. */
  list(jobKey: number, fromIndex: number, beforeIndex: number, limit: number): TaskRow[] {
    const indices = this.indices(jobKey, fromIndex, beforeIndex);
    const ofJob = this.#open().get(jobKey);
    const tokens = new Map<OpenDispatch, ReadonlyMap<number, string>>();
    return (limit < 0 ? indices : indices.slice(0, limit)).map((index) => {
      const dispatch = ofJob!.get(index)!;
      let ofDispatch = tokens.get(dispatch);
      if (ofDispatch === undefined) {
        ofDispatch = this.#table.tokensOf(dispatch.key);
        tokens.set(dispatch, ofDispatch);
      }
      return rowOf(dispatch, jobKey, index, ofDispatch);
    });
  }

  /** Of the tasks from one index to before another, in order. */
  indices(jobKey: number, fromIndex: number, beforeIndex: number): readonly number[] {
    const ofJob = this.#open().get(jobKey);
    if (ofJob === undefined) return none;
    const found: number[] = [];
    for (const index of ofJob.keys()) {
      if (index >= fromIndex && index < beforeIndex) found.push(index);
    }
    return found.sort((a, b) => a - b);
  }

  /** One more than the largest index; 0 without any. */
  endIndex(jobKey: number): number {
    let end = 0;
    for (const index of this.#open().get(jobKey)?.keys() ?? []) end = Math.max(end, index + 1);
    return end;
  }

  /** What was written since is perhaps not in the file, or what is there cannot be seen any more. */
  forget(): void {
    this.#known = undefined;
  }

  /** The job was deleted. */
  forgetJob(jobKey: number): void {
    this.#known?.delete(jobKey);
  }

  #open(): Map<number, ByIndex> {
    this.#known ??= this.#read();
    return this.#known;
  }

  #read(): Map<number, ByIndex> {
    const open = new Map<number, ByIndex>();
    for (const { indices, ...head } of this.#table.list(this.#onDamage)) {
      const jobKey = jobKeyOf(head.key);
      const standing = indices.filter((index) => !this.#table.hasTaskBetween(jobKey, index, index));
      if (standing.length > 0) stand(open, { ...head, left: standing.length }, standing);
    }
    return open;
  }

  #add(rows: readonly TaskRow[]): void {
    for (let from = 0; from < rows.length; from += mostTasksInDispatch) {
      const some = rows.slice(from, from + mostTasksInDispatch);
      const dispatch = { ...this.#table.write(some), left: some.length };
      stand(
        this.#open(),
        dispatch,
        some.map(({ index }) => index),
      );
    }
  }

  /** Fresh tasks lie beyond all that have rows. Where any has one, perhaps one of these does. */
  #mayShare(rows: readonly TaskRow[]): boolean {
    if (rows.length < fewestTasks) return false;
    const isInOrder = rows.every((row, i) => i === 0 || row.index > rows[i - 1]!.index);
    const [first] = rows as readonly [TaskRow];
    return isInOrder && !this.#table.hasTaskBetween(first.jobKey, first.index, rows.at(-1)!.index);
  }

  #row(dispatch: OpenDispatch, jobKey: number, index: number): TaskRow {
    return rowOf(dispatch, jobKey, index, this.#table.tokensOf(dispatch.key));
  }
}

const none: readonly number[] = [];

function stand(
  open: Map<number, ByIndex>,
  dispatch: OpenDispatch,
  indices: readonly number[],
): void {
  const jobKey = jobKeyOf(dispatch.key);
  let ofJob = open.get(jobKey);
  if (ofJob === undefined) open.set(jobKey, (ofJob = new Map<number, OpenDispatch>()));
  for (const index of indices) ofJob.set(index, dispatch);
}

/** Nothing is known of the task but who has it since when, and by what token. */
function isFirst(row: TaskRow): boolean {
  return (
    row.status === 'assigned' &&
    row.attempt === 1 &&
    row.workerId !== null &&
    row.token !== null &&
    row.assignedAt !== null &&
    row.runBeforeMs === 0 &&
    row.startedAt === null &&
    row.completedAt === null &&
    row.runMs === null &&
    row.acceptedAttempt === null &&
    row.errors + row.losses + row.timeouts === 0 &&
    row.notBefore === 0 &&
    row.avoid.length + row.others.length === 0 &&
    row.errorType === null &&
    row.errorMessage === null &&
    row.resultJson === null &&
    row.account === null
  );
}

/** Those of one job, worker and moment, in the order in which they come. */
function together(rows: readonly TaskRow[]): Iterable<readonly TaskRow[]> {
  const groups: TaskRow[][] = [];
  const byWorker = new Map<string, TaskRow[]>();
  for (const row of rows) {
    const group = byWorker.get(row.workerId!);
    if (
      group !== undefined &&
      group[0]!.jobKey === row.jobKey &&
      group[0]!.assignedAt === row.assignedAt
    ) {
      group.push(row);
      continue;
    }
    const begun = [row];
    groups.push(begun);
    byWorker.set(row.workerId!, begun);
  }
  return groups;
}

/** A task whose token cannot be read has one that nobody knows: its attempt counts as lost in time. */
function rowOf(
  { workerId, assignedAt }: DispatchHead,
  jobKey: number,
  index: number,
  tokens: ReadonlyMap<number, string>,
): TaskRow {
  return {
    jobKey,
    index,
    status: 'assigned',
    attempt: 1,
    workerId,
    token: tokens.get(index) ?? '',
    others: [],
    runBeforeMs: 0,
    acceptedAttempt: null,
    errors: 0,
    losses: 0,
    timeouts: 0,
    notBefore: 0,
    avoid: [],
    assignedAt,
    startedAt: null,
    completedAt: null,
    runMs: null,
    errorType: null,
    errorMessage: null,
    account: null,
    resultJson: null,
  };
}
