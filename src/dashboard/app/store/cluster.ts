// What is known of the cluster. What comes goes into plain maps at once; what is shown is set at most four times
// a second, and not at all while the page is paused or hidden.

import { signal } from '@preact/signals';
import type { JobDetail, WorkerResource } from '../../../protocol/resources.ts';
import { type Counters, type OpenJobCounters, tellCounters } from './counters.ts';
import { coordinatorTime } from './clock.ts';
import { pathOfJob, read } from './endpoint.ts';
import { changesWaiting, pausedAtMs } from './freshness.ts';

export type JobHead = Omit<JobDetail, 'tasks'>;

/** A worker as lists show it, with what it told of itself in the last minutes. */
export type Worker = WorkerResource;

export type ClusterPart = 'jobs' | 'workers';

const shownEveryMs = 250;
const workersEveryMs = 5_000;
const soonMs = 300;
const mostJobs = 200;
const mostAtOnce = 4;
/** A page that stays open for days forgets the jobs that ended long ago, as if it had just been opened. */
const mostKeptAtFirst = 2 * mostJobs;
/** After so many changes that were not shown all is read anew. */
const mostWaiting = 10_000;

const jobs = new Map<string, JobHead>();
const workers = new Map<string, Worker>();
const staleJobs = new Set<string>();
const used: Record<ClusterPart, number> = { jobs: 0, workers: 0 };
const loading: Record<ClusterPart, Promise<void> | null> = { jobs: null, workers: null };
let readsAtOnce = 0;
let mostKept = mostKeptAtFirst;
/** Of the jobs since then none is lacking. */
let wholeSince = '';
let areWorkersStale = false;
let showTimer: ReturnType<typeof setTimeout> | null = null;
let latest: Counters | null = null;

/** Newest first; null until they were read. */
export const jobList = signal<readonly JobHead[] | null>(null);
/** By name; null until they were read. */
export const workerList = signal<readonly Worker[] | null>(null);
export const counters = signal<Counters | null>(null);
/** Older jobs than those in the list are there. */
export const hasOlderJobs = signal(false);
/** What failed when a part was read, or null. */
export const partErrors = signal<Readonly<Record<ClusterPart, unknown>>>({
  jobs: null,
  workers: null,
});

/** While somebody uses a part it is kept up to date. Returns what ends that. */
export function usePartOfCluster(part: ClusterPart): () => void {
  used[part]++;
  if (used[part] === 1) void load(part);
  return () => {
    used[part]--;
  };
}

/** All that is shown is read again. */
export async function readAnew(): Promise<void> {
  staleJobs.clear();
  await Promise.all((['jobs', 'workers'] as const).filter((part) => used[part] > 0).map(load));
}

export function load(part: ClusterPart): Promise<void> {
  loading[part] ??= (part === 'jobs' ? loadJobs() : loadWorkers())
    .then(() => noteError(part, null))
    .catch((error: unknown) => noteError(part, error))
    .finally(() => {
      loading[part] = null;
    });
  return loading[part];
}

function noteError(part: ClusterPart, error: unknown): void {
  if (partErrors.value[part] !== error) partErrors.value = { ...partErrors.value, [part]: error };
}

async function loadJobs(): Promise<void> {
  const heads = await read<readonly JobHead[]>('/api/jobs', { heads: true, limit: mostJobs });
  jobs.clear();
  mostKept = mostKeptAtFirst;
  wholeSince = heads.at(-1)?.created_at ?? '';
  for (const head of heads) jobs.set(head.id, head);
  hasOlderJobs.value = heads.length === mostJobs;
  if (latest !== null) applyCounters(latest);
  showSoon();
}

async function loadWorkers(): Promise<void> {
  areWorkersStale = false;
  const all = await read<readonly Worker[]>('/api/workers', {
    series: 'cpu,ram,battery',
    points: 40,
  });
  workers.clear();
  for (const worker of all) workers.set(worker.id, worker);
  showSoon();
}

setInterval(() => {
  if (used.workers > 0 && !document.hidden && pausedAtMs.value === null) void load('workers');
}, workersEveryMs);

/** The next page of the list, behind the oldest that is there. */
export async function loadOlderJobs(): Promise<void> {
  const oldest = [...jobs.values()].findLast(({ created_at: at }) => at >= wholeSince)?.id;
  if (oldest === undefined) return;
  const heads = await read<readonly JobHead[]>('/api/jobs', {
    heads: true,
    limit: mostJobs,
    after: oldest,
  });
  for (const head of heads) jobs.set(head.id, head);
  mostKept = jobs.size + mostJobs;
  wholeSince = heads.at(-1)?.created_at ?? wholeSince;
  hasOlderJobs.value = heads.length === mostJobs;
  showSoon();
}

/** Something happened to this job: it is read again in a moment. */
export function noteJobChange(jobId: string): void {
  if (used.jobs === 0) return;
  staleJobs.add(jobId);
  setTimeout(() => void pump(), soonMs);
}

export function noteJobDeleted(jobId: string): void {
  staleJobs.delete(jobId);
  if (jobs.delete(jobId)) showSoon();
}

export function noteWorkersChange(): void {
  if (areWorkersStale || used.workers === 0) return;
  areWorkersStale = true;
  setTimeout(() => void load('workers'), soonMs);
}

/** What an answer to a change has told. */
export function noteWorker(worker: WorkerResource): void {
  workers.set(worker.id, { ...workers.get(worker.id), ...worker });
  showSoon();
}

export function noteWorkerGone(workerId: string): void {
  if (workers.delete(workerId)) showSoon();
}

async function pump(): Promise<void> {
  while (readsAtOnce < mostAtOnce) {
    const [jobId] = staleJobs;
    if (jobId === undefined) return;
    staleJobs.delete(jobId);
    readsAtOnce++;
    await readJob(jobId);
    readsAtOnce--;
  }
}

async function readJob(jobId: string): Promise<void> {
  try {
    const head = await read<JobHead>(pathOfJob(jobId), { tasks: false });
    const isNew = !jobs.has(jobId);
    jobs.set(jobId, head);
    if (isNew) sortJobs();
    showSoon();
  } catch {
    // It is gone, or nobody answers: then all is read anew when somebody does.
  }
}

function sortJobs(): void {
  const sorted = [...jobs.values()].toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  jobs.clear();
  for (const job of sorted) jobs.set(job.id, job);
  for (let place = sorted.length - 1; place > 0 && jobs.size > mostKept; place--) {
    const { id, created_at: at, completed_at: ended } = sorted[place]!;
    if (ended === null) continue;
    jobs.delete(id);
    hasOlderJobs.value = true;
    if (at >= wholeSince) wholeSince = sorted[place - 1]!.created_at;
  }
}

export function noteCounters(told: Counters): void {
  latest = told;
  tellCounters(told);
  applyCounters(told);
  showSoon();
}

function applyCounters({ open_jobs: open }: Counters): void {
  for (const one of open) {
    const head = jobs.get(one.job_id);
    if (head !== undefined) jobs.set(head.id, withCounters(head, one));
  }
}

export function withCounters(head: JobHead, told: OpenJobCounters): JobHead {
  const { counts, progress, rate_per_second, eta } = told;
  return { ...head, counts, progress, rate_per_second, eta };
}

/** A change that is not shown before the page goes on. */
export function noteHiddenChange(): void {
  if (pausedAtMs.value !== null) changesWaiting.value++;
}

export function pausePage(): void {
  pausedAtMs.value = coordinatorTime();
}

export function resumePage(): void {
  const hasManyWaiting = changesWaiting.value > mostWaiting;
  pausedAtMs.value = null;
  changesWaiting.value = 0;
  if (hasManyWaiting) void readAnew();
  else show();
}

function showSoon(): void {
  if (pausedAtMs.value !== null || document.hidden) return;
  showTimer ??= setTimeout(() => requestAnimationFrame(show), shownEveryMs);
}

function show(): void {
  showTimer = null;
  if (pausedAtMs.value !== null) return;
  if (used.jobs > 0) jobList.value = [...jobs.values()];
  if (used.workers > 0) workerList.value = [...workers.values()];
  counters.value = latest;
}
