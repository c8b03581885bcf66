// Everything that clients read. A read waits for the batch that is running, then sees memory and store as
// they are after its commit; long lists come in chunks, between which the coordinator goes on.

import { isMeant } from '../../core/handle.ts';
import { leaseOf } from '../../core/lease.ts';
import { countersOf } from '../../core/owner.ts';
import type { JobRecord, WorkerRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import { workerStatus } from '../../core/worker-status.ts';
import type {
  JobDetail,
  JobErrors,
  JobSummary,
  SystemStats,
  TaskEntry,
  TaskMap,
} from '../../protocol/resources.ts';
import type { WorkerDetail, WorkerFailure, WorkerResource } from '../../protocol/workers.ts';
import type { Reading } from '../../store/reading.ts';
import type { JobRow } from '../../store/rows.ts';
import type { NewestReplay } from '../decisions/newest-replay.ts';
import type {
  Census,
  JobDetailStream,
  JobListFilter,
  ReadPort,
  ResultsAsked,
  SeriesAsked,
  TaskMapAsked,
  TaskPage,
  TaskPageAsked,
  WorkersAsked,
} from '../port/reads.ts';
import type { MeasuredSeries } from '../workers/measured-series.ts';
import type { JobRates } from '../rates/job-rates.ts';
import { workerDetail, workerResource } from '../workers/worker-resource.ts';
import { type Audience, WorkerTexts } from '../workers/worker-texts.ts';
import { takeCensus, takeOwnCensus } from './census.ts';
import type { JobErrorReads } from './job-errors.ts';
import { jobRows, type JobListSource } from './job-list.ts';
import { JobRemoved } from './job-removed.ts';
import type { JobTasks } from './job-tasks.ts';
import type { ResultReads } from './result-reads.ts';
import type { TaskMaps } from './task-map.ts';
import * as views from './views.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

/** Rows per chunk: some 64 KiB as text. */
const chunkRows = 250;
const headsInChunk = 50;
/** Workers of which the text is made anew in one turn, and all that are looked at: some milliseconds. */
const mostTextsMade = 400;
const mostInPiece = 10_000;
/** Failures of one worker that are shown. */
const failureLimit = 10_000;

export interface ReadOptions {
  readonly state: State;
  readonly store: Reading;
  readonly loop: Pick<WriterLoop, 'settled' | 'allDecisions'>;
  readonly newest: Pick<NewestReplay, 'scores'>;
  readonly results: ResultReads;
  readonly jobTasks: JobTasks;
  readonly jobErrors: JobErrorReads;
  readonly series: Pick<MeasuredSeries, 'of'>;
  readonly rates: Pick<JobRates, 'outlookOf'>;
  readonly taskMaps: TaskMaps;
  readonly isRegistered: (workerId: string) => boolean | Promise<boolean>;
  readonly now: () => number;
  /** Resolves after other work had a turn of the event loop. */
  readonly turn: () => Promise<void>;
  readonly startedAt: number;
}

type JobHead = Omit<JobDetail, 'tasks'>;

export class Reads implements ReadPort {
  private readonly options: ReadOptions;
  private readonly listed: JobListSource;
  private readonly texts = { all: new WorkerTexts('all'), owners: new WorkerTexts('owners') };

  constructor(options: ReadOptions) {
    const { store } = options;
    this.options = options;
    this.listed = {
      head: (jobId, owner) => this.head(jobId, owner),
      listJobs: (...asked) => store.listJobs(...asked),
      next: () => this.next(),
    };
  }

  async stats(owner?: string): Promise<SystemStats> {
    const { state, loop, now, startedAt } = this.options;
    await loop.settled();
    const { workers } = state;
    const counters = owner === undefined ? state.counters : countersOf(state, owner);
    let online = 0;
    for (const worker of workers.values()) {
      const status = workerStatus(worker);
      if (status === 'online' || status === 'busy') online++;
    }
    return {
      total_workers: workers.size,
      online_workers: online,
      total_jobs: counters.jobs,
      completed_jobs: counters.completedJobs,
      failed_jobs: counters.failedJobs,
      running_jobs: counters.runningJobs,
      total_tasks_completed: counters.tasksCompleted,
      uptime_seconds: Math.floor((now() - startedAt) / 1000),
    };
  }

  async census(owner?: string): Promise<Census> {
    const { state, loop } = this.options;
    await loop.settled();
    if (owner !== undefined) return takeOwnCensus(state, owner);
    return { ...takeCensus(state), decisions: loop.allDecisions };
  }

  async *jobs(filter: JobListFilter): AsyncGenerator<readonly JobSummary[]> {
    await this.options.loop.settled();
    for await (const rows of jobRows(this.listed, filter)) yield rows.map(views.jobSummary);
  }

  async *jobHeads(filter: JobListFilter): AsyncGenerator<readonly JobHead[]> {
    await this.options.loop.settled();
    for await (const rows of jobRows(this.listed, filter, headsInChunk)) {
      // Memory may be ahead of the disk, if the store had to wait for that.
      await this.options.loop.settled();
      yield rows.map((row) => this.headOf(row));
    }
  }

  async meantJobs(handle: string, limit: number, owner?: string): Promise<readonly JobSummary[]> {
    const { store, loop } = this.options;
    await loop.settled();
    const whole = await this.head(handle, owner);
    const rows = whole === undefined ? await store.listMeantJobs(handle, limit, owner) : [whole];
    return rows.map(views.jobSummary);
  }

  async findJob(jobId: string): Promise<JobHead | undefined> {
    return (await this.find(jobId))?.head;
  }

  async findJobDetail(jobId: string): Promise<JobDetailStream | undefined> {
    const found = await this.find(jobId);
    if (found === undefined) return undefined;
    return { head: found.head, tasks: this.tasks(found.head, found.key) };
  }

  async findResults(
    jobId: string,
    options: ResultsAsked,
  ): Promise<AsyncIterable<string[]> | undefined> {
    const found = await this.find(jobId);
    if (found === undefined) return undefined;
    return this.options.results.open(found.head, found.key, options);
  }

  findTasks(jobId: string, asked: TaskPageAsked): Promise<TaskPage | undefined> {
    return this.options.jobTasks.find(jobId, asked);
  }

  findErrors(jobId: string, limit: number): Promise<JobErrors | undefined> {
    return this.options.jobErrors.find(jobId, limit);
  }

  findTaskMap(jobId: string, asked: TaskMapAsked): Promise<TaskMap | undefined> {
    return this.options.taskMaps.find(jobId, asked);
  }

  async workers(): Promise<readonly WorkerResource[]> {
    const { loop, state } = this.options;
    await loop.settled();
    return this.resourcesOf([...state.workers.values()]);
  }

  /** The workers registered at the begin, each as it is when its piece is made. */
  async *workerTexts(
    { pieceChars, series }: WorkersAsked,
    audience: Audience = 'all',
  ): AsyncGenerator<string> {
    const { loop, state, newest } = this.options;
    const texts = this.texts[audience];
    await loop.settled();
    const { scores } = newest;
    let pieces: string[] = [];
    let [chars, madeBefore] = [0, texts.made];
    let separator = '[';
    let hasPaused = false;
    const all = [...state.workers.values()];
    for (const worker of all) {
      if (hasPaused) await loop.settled();
      hasPaused = false;
      if (state.workers.get(worker.id) !== worker) continue;
      const score = scores.get(worker.id) ?? null;
      const text = this.withSeries(
        texts.textOf(worker, leaseOf(state, worker), score),
        worker,
        series,
      );
      pieces.push(pieces.length === 0 ? separator + text : text);
      chars += text.length;
      const isDue = texts.made - madeBefore >= mostTextsMade || pieces.length >= mostInPiece;
      if (chars < pieceChars && !isDue) continue;
      yield pieces.join(',');
      hasPaused = true;
      separator = ',';
      pieces = [];
      [chars, madeBefore] = [0, texts.made];
    }
    if (pieces.length > 0) yield pieces.join(',');
    yield pieces.length === 0 && separator === '[' ? '[]' : ']';
  }

  /** All are in memory, and no longer text is made than is answered. */
  async meantWorkers(
    handle: string,
    limit: number,
    series?: SeriesAsked,
  ): Promise<readonly WorkerResource[]> {
    const { loop, state } = this.options;
    await loop.settled();
    const all = state.workers.has(handle)
      ? [state.workers.get(handle)!]
      : [...state.workers.values()].filter((worker) => isMeant(handle, worker));
    return this.resourcesOf(all.slice(0, limit), series);
  }

  async findWorker(workerId: string, owner?: string): Promise<WorkerDetail | undefined> {
    const { loop, state } = this.options;
    await loop.settled();
    const worker = state.workers.get(workerId);
    return worker && workerDetail(worker, this.resourcesOf([worker])[0]!, owner);
  }

  async findFailures(
    workerId: string,
    limit = failureLimit,
    owner?: string,
  ): Promise<readonly WorkerFailure[] | undefined> {
    const { isRegistered, store, loop } = this.options;
    await loop.settled();
    // The failures of a removed worker stay visible in their tasks.
    if (!(await isRegistered(workerId))) return undefined;
    return (await store.listFailures(workerId, limit, owner)).map(views.workerFailure);
  }

  private resourcesOf(
    workers: readonly WorkerRecord[],
    asked?: SeriesAsked,
  ): readonly WorkerResource[] {
    const { state, series, now, newest } = this.options;
    const { scores } = newest;
    const at = now();
    return workers.map((worker) => {
      const score = scores.get(worker.id) ?? null;
      const resource = workerResource(worker, leaseOf(state, worker), score);
      return asked === undefined
        ? resource
        : { ...resource, series: series.of(worker.id, asked, at) };
    });
  }

  private withSeries(text: string, { id }: WorkerRecord, asked: SeriesAsked | undefined): string {
    if (asked === undefined) return text;
    const series = this.options.series.of(id, asked, this.options.now());
    return `${text.slice(0, -1)},"series":${JSON.stringify(series)}}`;
  }

  /**
   * Called between two chunks, so that other work gets a turn. Otherwise a reader as fast as the disk
   * would hold up all other work until the end of its list.
   */
  private async next(): Promise<void> {
    await this.options.turn();
    await this.options.loop.settled();
  }

  /** With an owner: of no job of another, which costs what it costs when there is none. */
  private async head(jobId: string, owner: string | undefined): Promise<JobRow | undefined> {
    const { store } = this.options;
    if (owner !== undefined && (await store.findJobOwner(jobId)) !== owner) return undefined;
    return store.findJobHead(jobId);
  }

  private async find(jobId: string): Promise<{ head: JobHead; key: number } | undefined> {
    const { state, store, loop } = this.options;
    await loop.settled();
    const open = state.jobs.get(jobId);
    if (open !== undefined) return { head: this.openHead(open), key: open.spec.key };
    const row = await store.findJobHead(jobId);
    if (row === undefined) return undefined;
    return { head: views.jobHeadOfRow(row, state.settings), key: row.spec.key };
  }

  private headOf(row: JobRow): JobHead {
    const { state } = this.options;
    const open = state.jobs.get(row.spec.id);
    return open === undefined ? views.jobHeadOfRow(row, state.settings) : this.openHead(open);
  }

  private openHead(job: JobRecord): JobHead {
    const { state, rates } = this.options;
    return views.jobHead(job, state.settings, rates.outlookOf(job));
  }

  /** Stored tasks, and in the gaps between them the tasks that were never assigned. */
  private async *tasks(head: JobHead, jobKey: number): AsyncGenerator<readonly TaskEntry[]> {
    const { state, store } = this.options;
    const { id, task_count: count } = head;
    let next = 0;
    while (next < count) {
      await this.next();
      const live = state.jobs.get(id);
      const rows = await store.listTasks(jobKey, next, chunkRows);
      const job = live ?? (await store.findJobHead(id));
      // Without this, all others would be told as tasks that were never assigned.
      if (job === undefined) throw new JobRemoved(id);
      const isLast = rows.length < chunkRows;
      const end = isLast ? Math.min(count, next + chunkRows) : rows.at(-1)!.index + 1;
      const entries: TaskEntry[] = [];
      let at = 0;
      for (; next < end; next++) {
        const row = rows[at];
        if (row?.index === next) {
          entries.push(views.taskEntry(id, row, live?.tasks.get(next)));
          at++;
        } else {
          entries.push(views.unassignedTask(id, next, job.status));
        }
        if (entries.length === chunkRows) yield entries.splice(0);
      }
      if (entries.length > 0) yield entries;
    }
  }
}
