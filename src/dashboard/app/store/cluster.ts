// What is known of the cluster. What comes goes into plain maps at once; what is shown is set at most four times
// a second, and not at all while the page is paused or hidden.

import { batch, signal } from '@preact/signals';
import type { JobDetail } from '../../../protocol/resources.ts';
import type { WorkerResource } from '../../../protocol/workers.ts';
import { ChangeReads } from './change-reads.ts';
import { type Counters, type OpenJobCounters, tellCounters } from './counters.ts';
import { coordinatorTime } from './clock.ts';
import { codeOf, isPassing, pathOfJob, read } from './endpoint.ts';
import { changesWaiting, pausedAtMs } from './freshness.ts';
import { silenceCountsTo } from './hearing.ts';
import { JobReads } from './job-reads.ts';
import { kept, keptList } from './kept.ts';
import { pauseAfter } from './read-pause.ts';

export type JobHead = Omit<JobDetail, 'tasks'>;

/** A worker as lists show it, with what it told of itself in the last minutes. */
export type Worker = WorkerResource;

export type ClusterPart = 'jobs' | 'workers';

const shownEveryMs = 250;
const workersEveryMs = 5_000;
const mostJobs = 200;
const unusedMs = 2_000;
/** While workers cannot be read, they are asked for at each so many-th turn. */
const turnsOfFailure = 6;
/** A page that stays open for days forgets the jobs that ended long ago, as if it had just been opened. */
const mostKeptAtFirst = 2 * mostJobs;
/** After so many changes that were not shown all is read anew. */
const mostWaiting = 10_000;

const jobs = new Map<string, JobHead>();
const workers = new Map<string, Worker>();
/** While the list is read: what the answer may have missed. */
const changedMeanwhile = new Set<string>();
const used: Record<ClusterPart, number> = { jobs: 0, workers: 0 };
const unusedSinceMs: Record<ClusterPart, number> = { jobs: 0, workers: 0 };
const loading: Record<ClusterPart, Promise<void> | null> = { jobs: null, workers: null };
let mostKept = mostKeptAtFirst;
/** Of the jobs since then none is lacking. */
let wholeSince = '';
/** Who draws what workers measured in the last minutes: it is half of what is told of them. */
let usedSeries = 0;
/** Of what somebody else was shown. */
let readsForgotten = 0;
let showTimer: ReturnType<typeof setTimeout> | null = null;
let latest: Counters | null = null;
let heardToMs: number | null = null;

const jobReads = new JobReads<JobHead>({
  one: readJob,
  newest: readNewest,
  isKnown: (id) => jobs.has(id),
  keep: keepJobs,
  drop: dropJob,
  isPassing,
});

const workerReads = new ChangeReads({
  read: () => load('workers'),
  onItsWay: () => loading.workers,
  pauseMs: () => pauseAfter(workers.size),
});

/** Newest first; null until they were read. */
export const jobList = signal<readonly JobHead[] | null>(null);
/** By name; null until they were read. */
export const workerList = signal<readonly Worker[] | null>(null);
/** The silence of the devices in the list counts up to here; since then they may have been heard. */
export const workersHeardToMs = signal(coordinatorTime());
export const counters = signal<Counters | null>(null);
/** Older jobs than those in the list are there. */
export const hasOlderJobs = signal(false);
/** What failed when a part was read, or null. */
export const partErrors = signal<Readonly<Record<ClusterPart, unknown>>>({
  jobs: null,
  workers: null,
});

interface UseOptions {
  /** Of workers: with what each measured in the last minutes. */
  readonly hasSeries?: boolean;
}

/** While somebody uses a part it is kept up to date. Returns what ends that. */
export function usePartOfCluster(
  part: ClusterPart,
  { hasSeries = false }: UseOptions = {},
): () => void {
  const series = hasSeries ? 1 : 0;
  usedSeries += series;
  used[part]++;
  if (used[part] === 1) {
    // What nobody has kept up to date for a while is not shown, not even for a moment.
    if (performance.now() - unusedSinceMs[part] > unusedMs) forgetPart(part);
    void load(part);
  }
  return () => {
    usedSeries -= series;
    used[part]--;
    if (used[part] === 0) unusedSinceMs[part] = performance.now();
  };
}

/** All that is shown is read again, after now. Returns whether that was possible. */
export async function readAnew(): Promise<boolean> {
  jobReads.clear();
  const parts = (['jobs', 'workers'] as const).filter((part) => used[part] > 0);
  // What is on its way already may be of before.
  await Promise.all(parts.map(async (part) => loading[part]));
  await Promise.all(parts.map(load));
  return parts.every((part) => partErrors.value[part] === null);
}

/** What happened after jobs were read, and before the stream began, is told by nothing else. */
export async function readJobsOfBefore(): Promise<void> {
  if (used.jobs === 0) return;
  await loading.jobs;
  await load('jobs');
}

/** Nothing of it is for whoever is here now. */
export function forgetCluster(): void {
  readsForgotten++;
  jobs.clear();
  workers.clear();
  jobReads.forget();
  latest = null;
  batch(() => {
    forgetPart('jobs');
    forgetPart('workers');
    counters.value = null;
    hasOlderJobs.value = false;
  });
}

function forgetPart(part: ClusterPart): void {
  if (part === 'jobs') jobList.value = null;
  else workerList.value = null;
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
  const time = readsForgotten;
  changedMeanwhile.clear();
  const heads = await readNewest();
  if (time !== readsForgotten) return loadJobs();
  jobs.clear();
  mostKept = mostKeptAtFirst;
  wholeSince = heads.at(-1)?.created_at ?? '';
  for (const head of heads) jobs.set(head.id, head);
  hasOlderJobs.value = heads.length === mostJobs;
  if (latest !== null) applyCounters(latest);
  jobReads.noteList(heads);
  for (const id of changedMeanwhile) jobReads.note(id);
  jobList.value ??= [...jobs.values()];
  showSoon();
}

async function loadWorkers(): Promise<void> {
  const time = readsForgotten;
  workerReads.begin();
  const hasSeries = usedSeries > 0;
  const all = await read<readonly Worker[]>(
    '/api/workers',
    hasSeries ? { series: 'cpu,ram,battery', points: 40 } : {},
  );
  if (time !== readsForgotten) return loadWorkers();
  const before = new Map(workers);
  workers.clear();
  for (const worker of all) workers.set(worker.id, kept(before.get(worker.id), worker));
  heardToMs = silenceCountsTo(all, heardToMs);
  if (workerList.value === null) showWorkers();
  showSoon();
  // Somebody wants them since it was asked.
  if (usedSeries > 0 && !hasSeries) return loadWorkers();
}

let turn = 0;

setInterval(() => {
  if (used.workers === 0 || document.hidden || pausedAtMs.value !== null) return;
  if (partErrors.value.workers === null || ++turn % turnsOfFailure === 0) void load('workers');
}, workersEveryMs);

document.addEventListener('visibilitychange', () => showSoon());

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
  if (used.jobs === 0) {
    // The list that is kept for the next page is not the present one any more.
    unusedSinceMs.jobs = Number.NEGATIVE_INFINITY;
    return;
  }
  if (loading.jobs !== null) changedMeanwhile.add(jobId);
  jobReads.note(jobId);
}

export function noteJobDeleted(jobId: string): void {
  // A list that is on its way may have it still.
  if (loading.jobs !== null) changedMeanwhile.add(jobId);
  jobReads.noteDeleted(jobId);
  dropJob(jobId);
}

function dropJob(jobId: string): void {
  if (jobs.delete(jobId)) showSoon();
}

export function noteWorkersChange(): void {
  if (used.workers === 0) return;
  workerReads.note();
}

/** What an answer to a change has told: what somebody has changed here is shown at once, also while the page is paused. */
export function noteWorker(worker: WorkerResource): void {
  const known = { ...workers.get(worker.id), ...worker };
  workers.set(worker.id, known);
  if (pausedAtMs.value === null) return showSoon();
  workerList.value = (workerList.value ?? []).map((each) => (each.id === worker.id ? known : each));
}

/** `isOwn`: somebody has removed it here. */
export function noteWorkerGone(workerId: string, isOwn = false): void {
  if (!workers.delete(workerId)) return;
  if (pausedAtMs.value === null || !isOwn) return showSoon();
  workerList.value = (workerList.value ?? []).filter(({ id }) => id !== workerId);
}

function readNewest(): Promise<readonly JobHead[]> {
  return read('/api/jobs', { heads: true, limit: mostJobs });
}

/** Null: it is not there any more. */
async function readJob(jobId: string): Promise<JobHead | null> {
  try {
    return await read<JobHead>(pathOfJob(jobId), { tasks: false });
  } catch (error) {
    if (codeOf(error) === 'unknown_job') return null;
    throw error;
  }
}

function keepJobs(heads: readonly JobHead[]): void {
  const before = jobs.size;
  for (const head of heads) jobs.set(head.id, head);
  if (jobs.size > before) sortJobs();
  showSoon();
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
  // Where many jobs are told of, the sentence stays away; one of another moment would have other numbers.
  return { ...head, counts, progress, rate_per_second, eta: { method: '', ...eta } };
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
  // Before a part was read there are only those of another page, of before.
  if (used.jobs > 0 && jobList.value !== null) {
    jobList.value = keptList(jobList.value, [...jobs.values()]);
  }
  if (used.workers > 0 && workerList.value !== null) showWorkers();
  counters.value = latest;
}

function showWorkers(): void {
  batch(() => {
    workerList.value = keptList(workerList.value, [...workers.values()]);
    workersHeardToMs.value = heardToMs ?? coordinatorTime();
  });
}
