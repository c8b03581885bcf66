// Readers that stay with a job until it is final. A follower scans what is stored once, then gets
// every result as it is committed. When it reads too slowly its queue is dropped and it scans again;
// a bit per task says what it has had, so that it sees each result exactly once.

import { taskId } from '../../core/task-key.ts';
import type { ToldAs, ToldEvent, ToldTask } from '../../core/told-events.ts';
import { IndexSet } from '../../protocol/index-set.ts';

/** Bytes that may wait for one follower, and for all; beyond that a follower reads from the store. */
const queueBytes = 8 * 1024 * 1024;
const allQueuesBytes = 64 * 1024 * 1024;

export interface QueuedResult {
  readonly index: number;
  readonly text: string;
}

/** Bytes that wait for all followers together. A text that waits for several counts for each. */
interface Backlog {
  bytes: number;
}

export class Follower {
  readonly jobId: string;
  /** The follower must scan the stored results (again). */
  needsScan = true;
  isJobFinal = false;
  /** How the job ended, if it did while it was followed. */
  ending: ToldAs<'job_finished'> | undefined;
  /** How often tasks of the job were made to run again. */
  retries = 0;
  /** Indices of the results that the reader had at first, or was given. */
  readonly had: IndexSet;
  /** Those of them that were cancelled without an attempt: a retry has no record that would name them. */
  neverAssigned = new IndexSet();
  private queue: QueuedResult[] = [];
  private bytes = 0;
  private readonly backlog: Backlog;
  private wake: (() => void) | undefined;

  constructor(jobId: string, had: IndexSet, backlog: Backlog) {
    this.jobId = jobId;
    this.had = had;
    this.backlog = backlog;
  }

  offer(result: QueuedResult): void {
    this.queue.push(result);
    this.count(result.text.length);
    if (this.bytes > queueBytes || this.backlog.bytes > allQueuesBytes) this.rescan();
    this.notify();
  }

  rescan(): void {
    this.needsScan = true;
    this.drop();
  }

  drop(): void {
    this.queue = [];
    this.count(-this.bytes);
  }

  /** The job ended; tasks that were cancelled with it are only found by a scan. */
  end(hasUnsent: boolean, ending?: ToldAs<'job_finished'>): void {
    this.isJobFinal = true;
    this.ending = ending;
    if (hasUnsent) this.needsScan = true;
    this.notify();
  }

  get hasQueue(): boolean {
    return this.queue.length > 0;
  }

  /** Queued results that the reader does not have yet, about so many bytes of them. */
  takePiece(mostBytes: number): string[] {
    const texts: string[] = [];
    let bytes = 0;
    let end = 0;
    for (; end < this.queue.length && bytes < mostBytes; end++) {
      const { index, text } = this.queue[end]!;
      bytes += text.length;
      if (this.had.add(index)) texts.push(text);
    }
    this.queue.splice(0, end);
    this.count(-bytes);
    return texts;
  }

  /** The tasks run again: their earlier results no longer count. */
  reopen(indices: Iterable<number>): void {
    const again = new Set(indices);
    this.isJobFinal = false;
    this.ending = undefined;
    this.retries++;
    this.needsScan = true;
    const kept = this.queue.filter(({ index }) => !again.has(index));
    this.drop();
    this.queue = kept;
    this.count(kept.reduce((sum, { text }) => sum + text.length, 0));
    for (const index of again) this.had.delete(index);
    this.had.subtract(this.neverAssigned);
    this.neverAssigned = new IndexSet();
  }

  get hasNews(): boolean {
    return this.queue.length > 0 || this.needsScan || this.isJobFinal;
  }

  /** Resolves at the next news, or when aborted. */
  async news(signal: AbortSignal | undefined): Promise<void> {
    if (this.hasNews || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', wake);
        this.wake = undefined;
        resolve();
      };
      this.wake = wake;
      signal?.addEventListener('abort', wake);
    });
  }

  notify(): void {
    this.wake?.();
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    this.backlog.bytes += bytes;
  }
}

export class Followers {
  private readonly byJob = new Map<string, Set<Follower>>();
  private readonly backlog: Backlog = { bytes: 0 };
  private readonly onError: (error: Error) => void;

  constructor(onError: (error: Error) => void) {
    this.onError = onError;
  }

  open(jobId: string, had: IndexSet): Follower {
    const follower = new Follower(jobId, had, this.backlog);
    const group = this.byJob.get(jobId);
    if (group === undefined) this.byJob.set(jobId, new Set([follower]));
    else group.add(follower);
    return follower;
  }

  close(follower: Follower): void {
    follower.drop();
    const group = this.byJob.get(follower.jobId);
    group?.delete(follower);
    if (group?.size === 0) this.byJob.delete(follower.jobId);
  }

  get isEmpty(): boolean {
    return this.byJob.size === 0;
  }

  /** The id of a job once for each of its followers. */
  jobIds(): readonly string[] {
    return [...this.byJob].flatMap(([jobId, group]) => Array.from(group, () => jobId));
  }

  /** The coordinator ends: no follower may wait for news that never come. */
  wakeAll(): void {
    for (const group of this.byJob.values()) for (const follower of group) follower.notify();
  }

  /**
   * Hands the results of a batch to the followers, from its events. A text is made once per result, and
   * only for jobs that are followed. Call it after the commit.
   */
  offer(events: readonly ToldEvent[]): void {
    if (this.isEmpty) return;
    for (const event of events) {
      try {
        this.tell(event);
      } catch (error) {
        this.onError(error as Error);
        // The event is committed, so its result is found by a scan.
        for (const group of this.byJob.values()) for (const one of group) one.rescan();
      }
    }
  }

  private tell(event: ToldEvent): void {
    switch (event.type) {
      case 'task_completed':
        return this.give(event.task, () => completedText(event.task, event.resultJson));
      case 'task_failed':
        return this.give(event.task, () => failedText(event.task, event.error));
      case 'job_retried':
        for (const follower of this.byJob.get(event.job.spec.id) ?? []) {
          follower.reopen(event.indices);
        }
        return;
      case 'job_finished':
        return this.end(event);
      case 'database_cleared':
        for (const group of this.byJob.values()) for (const one of group) one.end(false);
        return;
      default:
        return;
    }
  }

  private give(task: ToldTask, makeText: () => string): void {
    const group = this.byJob.get(task.job.spec.id);
    if (group === undefined) return;
    const result = { index: task.index, text: makeText() };
    for (const follower of group) follower.offer(result);
  }

  private end(event: ToldAs<'job_finished'>): void {
    const { job, cancelled } = event;
    for (const follower of this.byJob.get(job.spec.id) ?? []) follower.end(cancelled > 0, event);
  }
}

function completedText(task: ToldTask, resultJson: string): string {
  return `{"index":${task.index},"task_id":"${taskId(task.job.spec.id, task.index)}","status":"completed","value":${resultJson}}`;
}

function failedText(task: ToldTask, error: { type: string; message: string }): string {
  const text = JSON.stringify({ type: error.type, message: error.message });
  return `{"index":${task.index},"task_id":"${taskId(task.job.spec.id, task.index)}","status":"failed","error":${text}}`;
}
