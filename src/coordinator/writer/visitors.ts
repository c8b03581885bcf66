// Most tasks are only in the store. Before a batch decides, everything that it names and memory does
// not hold is read, and leaves again after the commit.

import type { JobRecord, TaskRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { HistoryReading, TaskReading } from '../../store/reading.ts';
import type { StoredTask } from '../../store/rows.ts';
import type { Writing } from '../../store/writing.ts';
import { restoreJob, restoreTask } from './restore.ts';
import type { Work } from './batch.ts';
import type { Visitors, Wanted } from './wanted.ts';

/** The part of a store from which visitors come. */
export type VisitorStore = Pick<Writing, 'readVisitors'> &
  Pick<TaskReading, 'listTasksByStatus'> &
  Pick<HistoryReading, 'sumCheckpoints'>;

const nobody: Visitors = {
  workers: new Map(),
  idempotencyKeys: new Map(),
  blobs: new Map(),
  storedCheckpoints: 0,
  leave: () => undefined,
};

/**
 * Reads what the works want, with `load`. When that fails, one by one: a work that wants what cannot be
 * read is refused.
 */
export async function admitWorks(
  works: readonly Work[],
  load: (some: readonly Work[]) => Promise<Visitors>,
  refuse: (work: Work, failure: Error) => void,
): Promise<{ readonly admitted: readonly Work[]; readonly visitors: Visitors }> {
  try {
    return { admitted: works, visitors: await load(works) };
  } catch (error) {
    const admitted: Work[] = [];
    const loaded: Visitors[] = [];
    if (works.length === 1) refuse(works[0]!, error as Error);
    for (const work of works.length === 1 ? [] : works) {
      try {
        loaded.push(await load([work]));
        admitted.push(work);
      } catch (cause) {
        refuse(work, cause as Error);
      }
    }
    return { admitted, visitors: joinVisitors(loaded) };
  }
}

/** As one, when they were loaded one by one. */
function joinVisitors(all: readonly Visitors[]): Visitors {
  return {
    workers: new Map(all.flatMap(({ workers }) => [...workers])),
    idempotencyKeys: new Map(all.flatMap(({ idempotencyKeys }) => [...idempotencyKeys])),
    blobs: new Map(all.flatMap(({ blobs }) => [...blobs])),
    storedCheckpoints: Math.max(0, ...all.map(({ storedCheckpoints }) => storedCheckpoints)),
    leave: (after) => {
      for (const visitors of all) visitors.leave(after);
    },
  };
}

/** When something cannot be read, nobody has come. */
export async function loadVisitors(
  state: State,
  store: VisitorStore,
  works: readonly Work[],
  now: number,
): Promise<Visitors> {
  const wanted: Wanted = {
    jobs: new Set(),
    tasks: new Map(),
    retries: new Set(),
    workers: new Set(),
    idempotencyKeys: new Set(),
    blobs: new Set(),
    checkpointCount: false,
  };
  for (const work of works) work.wants?.(state, wanted);
  const { jobs, tasks, retries, workers, idempotencyKeys } = wanted;
  const named = jobs.size + tasks.size + retries.size + workers.size;
  const count = named + idempotencyKeys.size + wanted.blobs.size;
  if (count === 0 && !wanted.checkpointCount) return nobody;

  const came: Came = { jobs: [], tasks: [] };
  try {
    return await admitWanted(state, store, wanted, came, now);
  } catch (error) {
    leave(state, came);
    throw error;
  }
}

interface Came {
  readonly jobs: JobRecord[];
  readonly tasks: TaskRecord[];
}

async function admitWanted(
  state: State,
  store: VisitorStore,
  wanted: Wanted,
  came: Came,
  now: number,
): Promise<Visitors> {
  const { retries, checkpointCount } = wanted;
  const jobs = new Set([...wanted.jobs, ...retries]);
  const found = await store.readVisitors({ ...wanted, jobs }, state.jobs, now);
  for (const row of found.jobs) {
    const job = restoreJob(row);
    state.jobs.set(row.spec.id, job);
    came.jobs.push(job);
  }
  const byKey = new Map<number, JobRecord>();
  for (const jobId of wanted.tasks.keys()) {
    const job = state.jobs.get(jobId);
    if (job !== undefined) byKey.set(job.spec.key, job);
  }
  for (const stored of found.tasks) admit(byKey.get(stored.row.jobKey)!, stored, came.tasks);
  for (const id of retries) await admitRetried(state, store, id, came.tasks);
  return {
    workers: new Map(found.workers.map((row) => [row.id, row])),
    idempotencyKeys: new Map(found.idempotencyKeys.map((row) => [row.key, row])),
    blobs: new Map(found.blobs.map(({ sha256, sizeBytes }) => [sha256, sizeBytes])),
    storedCheckpoints: checkpointCount ? (await store.sumCheckpoints({})).count : 0,
    leave: (after) => leave(after, came),
  };
}

async function admitRetried(
  state: State,
  store: VisitorStore,
  jobId: string,
  came: TaskRecord[],
): Promise<void> {
  const job = state.jobs.get(jobId);
  if (job === undefined) return;
  for (const status of ['failed', 'cancelled'] as const) {
    for (let from = 0; ; ) {
      const page = await store.listTasksByStatus(job.spec.key, status, from, 1000);
      for (const stored of page) admit(job, stored, came);
      if (page.length < 1000) break;
      from = page.at(-1)!.row.index + 1;
    }
  }
}

function admit(job: JobRecord, stored: StoredTask, came: TaskRecord[]): void {
  if (job.tasks.has(stored.row.index)) return;
  const task = restoreTask(job, stored);
  job.tasks.set(task.index, task);
  came.push(task);
}

/** Those that found work here stay. */
function leave(state: State, came: Came): void {
  for (const task of came.tasks) {
    const isOpen = task.live.length > 0 || task.status === 'pending';
    if (!isOpen && task.job.tasks.get(task.index) === task) task.job.tasks.delete(task.index);
  }
  for (const job of came.jobs) {
    const isSame = state.jobs.get(job.spec.id) === job;
    if (isSame && job.completedAt !== null) state.jobs.delete(job.spec.id);
  }
}
