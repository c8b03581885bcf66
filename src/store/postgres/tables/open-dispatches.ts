// What the writer knows of the tasks of open jobs: which stand in a dispatch, and from where on none has a row. So finding
// out costs no query: a fresh task is known to be one, and one that ends is added without being looked for. It is read when
// the first batch is written, and holds for as long as nobody else writes.

import { isFinalJob } from '../../../core/job-status.ts';
import { taskKey } from '../../../core/task-key.ts';
import type { TaskRow, WriteBatch } from '../../rows.ts';
import type { Query } from '../driver/statement.ts';
import {
  type DispatchPlace,
  largestJobKey,
  listOpenEnds,
  listStanding,
  mostTasksInDispatch,
} from './dispatch-table.ts';

/** One alone gets a row of its own: a dispatch is written and deleted. */
const fewestTasks = 2;

interface OpenDispatch extends DispatchPlace {
  /** How many of its tasks stand here. */
  left: number;
}

interface OpenJob {
  /** No task from here on has a row, or stands in a dispatch. */
  end: number;
  readonly standing: Map<number, OpenDispatch>;
}

/** The tasks of a batch by how they are written. */
export interface SortedTasks {
  /** Each group is a new dispatch. */
  readonly dispatches: readonly (readonly TaskRow[])[];
  /** None of them has a row yet. */
  readonly added: readonly TaskRow[];
  /** They may have one. */
  readonly others: readonly TaskRow[];
  /** In which nothing stands any more. */
  readonly emptied: readonly DispatchPlace[];
}

export class OpenDispatches {
  readonly #jobs = new Map<number, OpenJob>();
  /** A job with a larger key was not there when this was read. */
  #newestKey = 0;

  /** Of nobody who writes meanwhile. */
  static async read(query: Query): Promise<OpenDispatches> {
    const read = new OpenDispatches();
    read.#newestKey = await largestJobKey(query);
    for (const { jobKey, end } of await listOpenEnds(query)) {
      read.#jobs.set(jobKey, { end, standing: new Map() });
    }
    for (const { indices, jobKey, index } of await listStanding(query)) {
      const dispatch = { jobKey, index, left: indices.length };
      const standing = read.#jobs.get(jobKey)?.standing;
      for (const each of indices) standing?.set(each, dispatch);
    }
    return read;
  }

  /** Of a batch that is written next. */
  sort(batch: Pick<WriteBatch, 'jobs' | 'tasks' | 'payloads' | 'deletedJobs' | 'generation'>) {
    this.#learn(batch);
    const sorted = this.#sortTasks(batch.tasks);
    this.#forget(batch);
    return sorted;
  }

  /** Tasks of new jobs have no rows. Of one that was open before, or has ended, only what was read or seen is known. */
  #learn({ jobs, payloads }: Pick<WriteBatch, 'jobs' | 'payloads'>): void {
    const submitted = new Set(payloads.map(({ jobKey }) => jobKey));
    for (const { spec } of jobs) {
      if (spec.key <= this.#newestKey && !submitted.has(spec.key)) continue;
      this.#jobs.set(spec.key, { end: 0, standing: new Map() });
      this.#newestKey = Math.max(this.#newestKey, spec.key);
    }
  }

  #sortTasks(rows: readonly TaskRow[]): SortedTasks {
    const seen = new Set<number>();
    const ends = new Map<OpenJob, number>();
    const fresh: TaskRow[] = [];
    const added: TaskRow[] = [];
    const others: TaskRow[] = [];
    const again: TaskRow[] = [];
    const emptied: DispatchPlace[] = [];
    for (const row of rows) {
      const { jobKey, index } = row;
      const job = this.#jobs.get(jobKey);
      const key = taskKey(jobKey, index);
      if (job === undefined) others.push(row);
      else if (seen.has(key)) again.push(row);
      else if (take(job, index, emptied)) added.push(row);
      else if (index < job.end) others.push(row);
      else {
        (isFirst(row) ? fresh : added).push(row);
        ends.set(job, Math.max(ends.get(job) ?? 0, index + 1));
      }
      seen.add(key);
    }
    for (const [job, end] of ends) job.end = end;
    const groups = [...together(fresh)].flatMap(parts);
    const dispatches = groups.filter((group) => group.length >= fewestTasks);
    for (const group of dispatches) this.#stand(group);
    for (const row of again) take(this.#jobs.get(row.jobKey)!, row.index, emptied);
    return {
      dispatches,
      added: [...added, ...groups.filter((group) => group.length < fewestTasks).flat()],
      others: [...others, ...again],
      emptied,
    };
  }

  #stand(rows: readonly TaskRow[]): void {
    const { jobKey, index } = rows[0]!;
    const dispatch = { jobKey, index, left: rows.length };
    const { standing } = this.#jobs.get(jobKey)!;
    for (const row of rows) standing.set(row.index, dispatch);
  }

  /** What still stands in their dispatches is swept with the jobs. */
  #forget({
    jobs,
    deletedJobs,
    generation,
  }: Pick<WriteBatch, 'jobs' | 'deletedJobs' | 'generation'>) {
    if (generation !== null) this.#jobs.clear();
    for (const jobKey of deletedJobs) this.#jobs.delete(jobKey);
    for (const { status, spec } of jobs) if (isFinalJob(status)) this.#jobs.delete(spec.key);
  }
}

/** True when it stood in a dispatch, where it does not any more. */
function take(job: OpenJob, index: number, emptied: DispatchPlace[]): boolean {
  const dispatch = job.standing.get(index);
  if (dispatch === undefined) return false;
  job.standing.delete(index);
  if (--dispatch.left === 0) emptied.push(dispatch);
  return true;
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

/** Those of one job, worker and moment, by index. */
function together(rows: readonly TaskRow[]): Iterable<readonly TaskRow[]> {
  const groups = Map.groupBy(
    rows,
    ({ jobKey, workerId, assignedAt }) => `${jobKey} ${assignedAt} ${workerId}`,
  );
  for (const group of groups.values()) group.sort((a, b) => a.index - b.index);
  return groups.values();
}

function parts(rows: readonly TaskRow[]): readonly (readonly TaskRow[])[] {
  if (rows.length <= mostTasksInDispatch) return [rows];
  const count = Math.ceil(rows.length / mostTasksInDispatch);
  return Array.from({ length: count }, (_, i) =>
    rows.slice(i * mostTasksInDispatch, (i + 1) * mostTasksInDispatch),
  );
}
