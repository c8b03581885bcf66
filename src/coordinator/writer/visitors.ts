// Most tasks are only in the store. Before a batch decides, the records that its works name and that memory
// does not hold are read: these are its visitors. After the commit they leave memory again, except those that
// have become open work.

import type { JobRecord, TaskRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { BlobReading, HistoryReading, TaskReading } from '../../store/reading.ts';
import type { StoredTask } from '../../store/rows.ts';
import type { Writing } from '../../store/writing.ts';
import { restoreJob, restoreTask } from './restore.ts';
import type { Work } from './batch.ts';
import { type BlobSight, sightOf, type Visitors, type Wanted } from './wanted.ts';

/** The part of a store that reads visitors. */
export type VisitorStore = Pick<Writing, 'readVisitors'> &
  Pick<TaskReading, 'listTasksByStatus'> &
  Pick<BlobReading, 'isBlobOf'> &
  Pick<HistoryReading, 'sumCheckpoints'>;

const noVisitors: Visitors = {
  workers: new Map(),
  idempotencyKeys: new Map(),
  blobs: new Map(),
  sights: new Set(),
  storedCheckpoints: 0,
  expiring: [],
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

/** Joins visitors that were loaded for one work at a time. */
function joinVisitors(all: readonly Visitors[]): Visitors {
  return {
    workers: new Map(all.flatMap(({ workers }) => [...workers])),
    idempotencyKeys: new Map(all.flatMap(({ idempotencyKeys }) => [...idempotencyKeys])),
    blobs: new Map(all.flatMap(({ blobs }) => [...blobs])),
    sights: new Set(all.flatMap(({ sights }) => [...sights])),
    storedCheckpoints: Math.max(0, ...all.map(({ storedCheckpoints }) => storedCheckpoints)),
    expiring: all.flatMap(({ expiring }) => expiring),
    leave: (after) => {
      for (const visitors of all) visitors.leave(after);
    },
  };
}

/** Loads the visitors of these works. When something cannot be read it throws, and memory is as before. */
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
    sights: [],
    checkpointCount: false,
    expiring: undefined,
  };
  for (const work of works) work.wants?.(state, wanted);
  const { jobs, tasks, retries, workers, idempotencyKeys } = wanted;
  const named = jobs.size + tasks.size + retries.size + workers.size;
  const count = named + idempotencyKeys.size + wanted.blobs.size;
  const isNobody = count === 0 && wanted.expiring === undefined;
  if (isNobody && !wanted.checkpointCount) return noVisitors;

  const loaded: Loaded = { jobs: [], tasks: [] };
  try {
    return await admitWanted(state, store, wanted, loaded, now);
  } catch (error) {
    leave(state, loaded);
    throw error;
  }
}

interface Loaded {
  readonly jobs: JobRecord[];
  readonly tasks: TaskRecord[];
}

async function admitWanted(
  state: State,
  store: VisitorStore,
  wanted: Wanted,
  loaded: Loaded,
  now: number,
): Promise<Visitors> {
  const { retries, checkpointCount } = wanted;
  const jobs = new Set([...wanted.jobs, ...retries]);
  const found = await store.readVisitors({ ...wanted, jobs }, state.jobs, now);
  for (const row of found.jobs) {
    const job = restoreJob(row);
    state.jobs.set(row.spec.id, job);
    loaded.jobs.push(job);
  }
  const byKey = new Map<number, JobRecord>();
  for (const jobId of wanted.tasks.keys()) {
    const job = state.jobs.get(jobId);
    if (job !== undefined) byKey.set(job.spec.key, job);
  }
  for (const stored of found.tasks) admit(byKey.get(stored.row.jobKey)!, stored, loaded.tasks);
  for (const id of retries) await admitRetried(state, store, id, loaded.tasks);
  return {
    workers: new Map(found.workers.map((row) => [row.id, row])),
    idempotencyKeys: new Map(found.idempotencyKeys.map((row) => [row.key, row])),
    blobs: new Map(found.blobs.map(({ sha256, sizeBytes }) => [sha256, sizeBytes])),
    sights: await findSights(store, wanted.sights),
    expiring: found.expiring.map(restoreJob),
    storedCheckpoints: checkpointCount ? (await store.sumCheckpoints({})).count : 0,
    leave: (after) => leave(after, loaded),
  };
}

async function findSights(
  store: VisitorStore,
  wanted: readonly BlobSight[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const sight of wanted) {
    if (await store.isBlobOf(sight.sha256, sight.owner)) found.add(sightOf(sight));
  }
  return found;
}

async function admitRetried(
  state: State,
  store: VisitorStore,
  jobId: string,
  loaded: TaskRecord[],
): Promise<void> {
  const job = state.jobs.get(jobId);
  if (job === undefined) return;
  for (const status of ['failed', 'cancelled'] as const) {
    for (let from = 0; ; ) {
      const page = await store.listTasksByStatus(job.spec.key, status, from, 1000);
      for (const stored of page) admit(job, stored, loaded);
      if (page.length < 1000) break;
      from = page.at(-1)!.row.index + 1;
    }
  }
}

function admit(job: JobRecord, stored: StoredTask, loaded: TaskRecord[]): void {
  if (job.tasks.has(stored.row.index)) return;
  const task = restoreTask(job, stored);
  job.tasks.set(task.index, task);
  loaded.push(task);
}

/** Removes visitors from memory. Those that have become open work stay. */
function leave(state: State, loaded: Loaded): void {
  for (const task of loaded.tasks) {
    const isOpen = task.live.length > 0 || task.status === 'pending';
    if (!isOpen && task.job.tasks.get(task.index) === task) task.job.tasks.delete(task.index);
  }
  for (const job of loaded.jobs) {
    const isSame = state.jobs.get(job.spec.id) === job;
    if (isSame && job.completedAt !== null) state.jobs.delete(job.spec.id);
  }
}
