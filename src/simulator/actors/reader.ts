// A reader requests everything at any moment and remembers the answers. What an answer shows must
// be on the disk at that moment and after every crash. A reader of results may stall between two of
// them, and may leave at any moment, even before the answer.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import { taskId } from '../../core/task-key.ts';
import type { JobDetail, TaskResult } from '../../protocol/resources.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { JobRow, TaskRow, WriteBatch } from '../../store/rows.ts';
import { BrokenPromise } from '../broken-promise.ts';
import type { AcknowledgedJob, ClientActor } from './client-actor.ts';
import type { Clock } from '../clock.ts';
import { findFolder, isOpenJob, visibleJobs } from '../checkers/disk-view.ts';
import { isDiskFault } from '../disk-fault.ts';
import type { Prng } from '../prng.ts';
import { ToldResults } from '../checkers/told-results.ts';

export interface ReaderOptions {
  readonly prng: Prng;
  readonly disk: MemoryDisk;
  readonly client: ClientActor;
  readonly clock: Pick<Clock, 'after'>;
  /** Whether this coordinator is the one that runs now. */
  readonly isCurrent: (coordinator: RunningCoordinator) => boolean;
  readonly onLeft: () => void;
  readonly onStall: () => void;
  readonly onBug: (error: Error) => void;
}

/** Share of readers that leave, how long those stay at most, share of chunks before which one stalls. */
const leavingShare = 0.4;
const longestStayMs = 20_000;
const stalls = 0.3;
const longestStallMs = 20_000;

interface Reading {
  readonly coordinator: RunningCoordinator;
  readonly job: AcknowledgedJob;
  /** Aborted when the reader has left. */
  readonly signal: AbortSignal;
}

/** What was shown of one job. Only facts that nothing but a retry can undo are remembered. */
interface Shown {
  completed: number;
  isCompleted: boolean;
  /** Values of completed tasks, as JSON text. */
  readonly values: Map<number, string>;
}

export class Reader {
  /** How many answers were compared. */
  answers = 0;
  private readonly options: ReaderOptions;
  private readonly shown = new Map<string, Shown>();
  private readonly reading = new Set<Reading>();
  /** Newest attempt of each task that ever was on the disk: one that nobody fetched is taken back. */
  private readonly newest = new Map<string, number>();

  constructor(options: ReaderOptions) {
    this.options = options;
  }

  /** Makes one request. */
  act(coordinator: RunningCoordinator): void {
    const { prng, client } = this.options;
    const job = client.jobs.length > 0 ? prng.pick(client.jobs) : undefined;
    if (job === undefined || prng.chance(0.2)) return this.readTotals(coordinator);
    switch (prng.integer(0, 3)) {
      case 0:
        return this.readJob(coordinator, job);
      case 1:
        return this.readTask(coordinator, job, prng.integer(0, job.taskCount - 1));
      default:
        return this.readResults(coordinator, job, prng.chance(0.5));
    }
  }

  /** Follows a job to its end. */
  follow(coordinator: RunningCoordinator, job: AcknowledgedJob): void {
    this.readResults(coordinator, job, true);
  }

  /** Requests a task that is being written at this moment, and the totals that change with it. */
  look(coordinator: RunningCoordinator, { tasks }: WriteBatch): void {
    const { prng, client, disk } = this.options;
    if (tasks.length === 0) return;
    const { jobKey, index } = prng.pick(tasks);
    const jobId = disk.jobs.get(jobKey)?.row.spec.id;
    const job = client.jobs.find(({ id }) => id === jobId);
    if (job === undefined) return;
    this.readTask(coordinator, job, index);
    if (prng.chance(0.2)) this.readTotals(coordinator);
  }

  /** A batch is on the disk. */
  written({ tasks }: WriteBatch): void {
    for (const { jobKey, index, attempt } of tasks) {
      const jobId = this.options.disk.jobs.get(jobKey)?.row.spec.id;
      if (jobId === undefined) continue;
      const id = taskId(jobId, index);
      this.newest.set(id, Math.max(attempt, this.newest.get(id) ?? 0));
    }
  }

  /** Jobs whose results are being read. */
  get jobsInReading(): readonly string[] {
    const current = [...this.reading].filter(({ coordinator, signal }) => {
      return this.options.isCurrent(coordinator) && !signal.aborted;
    });
    return current.map(({ job }) => job.id);
  }

  /** Compares what was shown with the disk; called after a crash and at the end. */
  verify(): void {
    for (const [jobId, shown] of this.shown) this.compare(jobId, shown);
  }

  private readTotals(coordinator: RunningCoordinator): void {
    this.take(coordinator, coordinator.reads.stats(), (stats) => {
      const rows = visibleJobs(this.options.disk).map(({ row }) => row);
      const stored = {
        total_jobs: rows.length,
        completed_jobs: rows.filter(({ status }) => status === 'completed').length,
        failed_jobs: rows.filter(({ status }) => status === 'failed').length,
        total_tasks_completed: rows.reduce((sum, { completed }) => sum + completed, 0),
      };
      for (const [name, value] of Object.entries(stored)) {
        const shown = stats[name as keyof typeof stored];
        if (shown !== value) throw new BrokenPromise(`${name} reads ${shown}, stored is ${value}.`);
      }
    });
  }

  private readJob(coordinator: RunningCoordinator, job: AcknowledgedJob): void {
    this.take(coordinator, coordinator.reads.findJob(job.id), (head) => {
      if (head === undefined) return this.missing(job);
      this.remember(head);
    });
  }

  private readTask(coordinator: RunningCoordinator, job: AcknowledgedJob, index: number): void {
    this.take(coordinator, coordinator.taskReads.findTask(job.id, index), (task) => {
      if (task === 'unknown_job') return this.missing(job);
      if (task === 'unknown_task') throw new BrokenPromise(`Task ${job.id}.${index} is unknown.`);
      const newest = this.newest.get(task.id) ?? 0;
      if (job.fate === 'kept' && task.attempts.some(({ attempt }) => attempt > newest)) {
        const what = `An attempt of ${task.id} is shown, on the disk are ${newest}`;
        throw new BrokenPromise(`${what}.`);
      }
      if (task.status !== 'completed') return;
      this.see(job.id, { index, task_id: task.id, status: 'completed', value: task.result });
    });
  }

  private readResults(
    coordinator: RunningCoordinator,
    job: AcknowledgedJob,
    follow: boolean,
  ): void {
    const { prng, clock, onLeft } = this.options;
    const line = new AbortController();
    const { signal } = line;
    if (prng.chance(leavingShare)) {
      clock.after(prng.spread(0.01, longestStayMs), () => {
        onLeft();
        line.abort();
      });
    }
    const reading: Reading = { coordinator, job, signal };
    this.take(coordinator, coordinator.reads.findResults(job.id, { follow, signal }), (results) => {
      if (results === undefined) return this.missing(job);
      // The reader has left, so there is no answer to compare.
      if (signal.aborted) return;
      const isOpen = isOpenJob(this.options.disk, job.id);
      const told = follow && isOpen ? new ToldResults(job) : null;
      this.reading.add(reading);
      const read = this.readAll(reading, results, told);
      this.guard(read.finally(() => this.reading.delete(reading)));
    });
  }

  private async readAll(
    { coordinator, job, signal }: Reading,
    results: AsyncIterable<readonly string[]>,
    told: ToldResults | null,
  ): Promise<void> {
    const { isCurrent, client, disk } = this.options;
    for await (const chunk of this.untilRemoved(job, results)) {
      if (!isCurrent(coordinator)) return;
      // A following stream may still have lines of a job that was cleared meanwhile.
      if (job.fate !== 'kept') return;
      for (const text of chunk) {
        const result = JSON.parse(text) as TaskResult;
        this.see(job.id, result);
        told?.hear(result, client.askedRetry.has(job.id));
      }
      await this.stall(signal);
      if (signal.aborted) return;
    }
    if (!isCurrent(coordinator) || job.fate !== 'kept' || signal.aborted) return;
    const folder = findFolder(disk, job.id);
    // A retry may be on the disk and not told yet: to whoever reads the job has ended.
    if (client.askedRetry.has(job.id) && isOpenJob(disk, job.id)) return;
    if (folder !== undefined) told?.compare(folder);
  }

  /** A list ends with an error when its job goes meanwhile: it is not whole. */
  private async *untilRemoved(job: AcknowledgedJob, results: AsyncIterable<readonly string[]>) {
    try {
      yield* results;
    } catch (error) {
      if ((error as Error).name !== 'JobRemoved') throw error;
      if (!this.options.client.mayBeGone(job.id)) this.missing(job);
    }
  }

  private async stall(signal: AbortSignal): Promise<void> {
    const { prng, clock, onStall } = this.options;
    if (signal.aborted || !prng.chance(stalls)) return;
    onStall();
    await new Promise<void>((resolve) => {
      clock.after(prng.spread(1, longestStallMs), resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  private remember(head: Omit<JobDetail, 'tasks'>): void {
    const shown = this.shownOf(head.id);
    shown.completed = Math.max(shown.completed, head.counts.completed);
    shown.isCompleted ||= head.status === 'completed';
    this.compare(head.id, shown);
  }

  private see(jobId: string, result: TaskResult): void {
    this.answers++;
    if (result.status !== 'completed') return;
    const shown = this.shownOf(jobId);
    const value = JSON.stringify(result.value);
    const before = shown.values.get(result.index);
    if (before !== undefined && before !== value) {
      throw new BrokenPromise(`The result of ${result.task_id} was ${before} and is ${value}.`);
    }
    shown.values.set(result.index, value);
    this.compare(jobId, shown);
  }

  private compare(jobId: string, shown: Shown): void {
    const folder = findFolder(this.options.disk, jobId);
    if (folder === undefined) {
      if (!this.options.client.mayBeGone(jobId)) {
        throw new BrokenPromise(`Job ${jobId} was shown and is not on the disk.`);
      }
      return;
    }
    compareJob(folder.row, shown);
    for (const [index, value] of shown.values) {
      compareTask(`${jobId}.${index}`, folder.tasks.get(index), value);
    }
  }

  private missing(job: AcknowledgedJob): void {
    if (job.fate === 'kept') throw new BrokenPromise(`Job ${job.id} was acknowledged and is gone.`);
  }

  private shownOf(jobId: string): Shown {
    let shown = this.shown.get(jobId);
    if (shown === undefined) {
      shown = { completed: 0, isCompleted: false, values: new Map() };
      this.shown.set(jobId, shown);
    }
    return shown;
  }

  private take<T>(coordinator: RunningCoordinator, asked: Promise<T>, see: (got: T) => void): void {
    this.guard(
      asked.then((got) => {
        if (!this.options.isCurrent(coordinator)) return;
        this.answers++;
        see(got);
      }),
    );
  }

  private guard(seen: Promise<void>): void {
    seen.catch((error: unknown) => {
      // After a fault of the disk, or a stop of the coordinator, nothing was shown or a stream
      // ended early.
      if (!isDiskFault(error)) this.options.onBug(error as Error);
    });
  }
}

function compareJob({ spec, completed, status }: JobRow, shown: Shown): void {
  if (completed < shown.completed) {
    throw new BrokenPromise(
      `Job ${spec.id} was shown with ${shown.completed} completed tasks, stored are ${completed}.`,
    );
  }
  if (shown.isCompleted && status !== 'completed') {
    throw new BrokenPromise(`Job ${spec.id} was shown as completed and is stored as ${status}.`);
  }
}

function compareTask(id: string, row: TaskRow | undefined, value: string): void {
  if (row?.status === 'completed' && row.resultJson === value) return;
  throw new BrokenPromise(
    `The result of ${id} was shown as ${value}, stored is ${row?.resultJson ?? row?.status ?? 'nothing'}.`,
  );
}
