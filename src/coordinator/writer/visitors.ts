// Most tasks are only in the store. Before a batch decides, everything that it names and memory does
// not hold is read, and leaves again after the commit. A frame may name thousands that are not there at all:
// after some looks others have their turn.

import type { JobRecord, TaskRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { IdempotencyRow, StoredTask, WorkerRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { restoreJob, restoreTask } from './restore.ts';
import type { Work } from './batch.ts';
import type { Visitors, Wanted } from './wanted.ts';

const nobody: Visitors = {
  workers: new Map(),
  idempotencyKeys: new Map(),
  blobs: new Map(),
  storedCheckpoints: 0,
  leave: () => undefined,
};

/** As one, when they were loaded one by one. */
export function joinVisitors(all: readonly Visitors[]): Visitors {
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

/** Looks in a row: some milliseconds. */
const looksPerTurn = 100;

/** Called before every look. */
type Pace = () => Promise<void> | undefined;

function paced(turn: () => Promise<void>): Pace {
  let looks = 0;
  return () => (++looks % looksPerTurn === 0 ? turn() : undefined);
}

/** When something cannot be read, nobody has come. */
export async function loadVisitors(
  state: State,
  store: Store,
  works: readonly Work[],
  { now, turn }: { readonly now: number; readonly turn: () => Promise<void> },
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
    return await admitWanted(state, store, wanted, { now, came, pace: paced(turn) });
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
  store: Store,
  { jobs, tasks, retries, workers, idempotencyKeys, blobs, checkpointCount }: Wanted,
  { now, came, pace }: { readonly now: number; readonly came: Came; readonly pace: Pace },
): Promise<Visitors> {
  const keys = new Map<string, IdempotencyRow>();
  for (const key of idempotencyKeys) {
    await pace();
    const row = await store.findIdempotencyKey(key);
    if (row === undefined) continue;
    keys.set(key, row);
    // Its job is the answer.
    jobs.add(row.jobId);
  }
  for (const id of new Set([...jobs, ...tasks.keys(), ...retries])) {
    if (state.jobs.has(id)) continue;
    await pace();
    const row = await store.findJob(id);
    if (row === undefined) continue;
    const job = restoreJob(row);
    state.jobs.set(id, job);
    came.jobs.push(job);
  }
  for (const stored of await readNamed(state, store, tasks)) admit(stored, came.tasks);
  for (const id of retries) await admitRetried(state, store, id, came.tasks);
  const rows = new Map<string, WorkerRow>();
  for (const id of workers) {
    await pace();
    const row = await store.findWorker(id);
    if (row !== undefined) rows.set(id, row);
  }
  const sizes = await touchBlobs(store, blobs, now, pace);
  return {
    workers: rows,
    idempotencyKeys: keys,
    blobs: sizes,
    storedCheckpoints: checkpointCount ? (await store.sumCheckpoints({})).count : 0,
    leave: (after) => leave(after, came),
  };
}

async function touchBlobs(
  store: Store,
  hashes: ReadonlySet<string>,
  now: number,
  pace: Pace,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const sha256 of hashes) {
    await pace();
    // Looked for first: many that are not there must not cost a write each.
    const blob = await store.findBlob(sha256);
    if (blob !== undefined && (await store.touchBlob(sha256, now))) {
      sizes.set(sha256, blob.sizeBytes);
    }
  }
  return sizes;
}

async function readNamed(
  state: State,
  store: Store,
  tasks: Wanted['tasks'],
): Promise<readonly (StoredTask & { readonly job: JobRecord })[]> {
  const keys: { jobKey: number; index: number }[] = [];
  const byKey = new Map<number, JobRecord>();
  for (const [jobId, indices] of tasks) {
    const job = state.jobs.get(jobId);
    if (job === undefined) continue;
    byKey.set(job.spec.key, job);
    for (const index of indices) {
      const isPossible = index < job.spec.taskCount && !job.tasks.has(index);
      if (isPossible) keys.push({ jobKey: job.spec.key, index });
    }
  }
  if (keys.length === 0) return [];
  const found = await store.readTasks(keys);
  return found.map((stored) => ({ ...stored, job: byKey.get(stored.row.jobKey)! }));
}

async function admitRetried(
  state: State,
  store: Store,
  jobId: string,
  came: TaskRecord[],
): Promise<void> {
  const job = state.jobs.get(jobId);
  if (job === undefined) return;
  for (const status of ['failed', 'cancelled'] as const) {
    for (let from = 0; ; ) {
      const page = await store.listTasksByStatus(job.spec.key, status, from, 1000);
      for (const stored of page) admit({ ...stored, job }, came);
      if (page.length < 1000) break;
      from = page.at(-1)!.row.index + 1;
    }
  }
}

function admit(stored: StoredTask & { readonly job: JobRecord }, came: TaskRecord[]): void {
  const { job } = stored;
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
