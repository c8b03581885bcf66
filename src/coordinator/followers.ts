// Readers that stay with a job until it is final. A follower scans what is stored once, then gets
// every result as it is committed. When it reads too slowly its queue is dropped and it scans again;
// a bit per task says what it has had, so that it sees each result exactly once.

import type { Event } from '../core/events.ts';
import { isFinal } from '../core/job-status.ts';
import type { JobRecord, TaskRecord } from '../core/records.ts';
import { taskId } from '../core/task-key.ts';

/** What may wait for one follower before it has to read from the store instead. */
const queueBytes = 8 * 1024 * 1024;

export interface QueuedResult {
  readonly index: number;
  readonly text: string;
}

export class Follower {
  readonly jobId: string;
  /** Stored results must be looked through (again). */
  needsScan = true;
  isJobFinal = false;
  private readonly had: Uint8Array;
  private queue: QueuedResult[] = [];
  private bytes = 0;
  private wake: (() => void) | undefined;

  constructor(jobId: string, taskCount: number) {
    this.jobId = jobId;
    this.had = new Uint8Array((taskCount + 7) >> 3);
  }

  offer(result: QueuedResult): void {
    this.queue.push(result);
    this.bytes += result.text.length;
    if (this.bytes > queueBytes) this.rescan();
    this.notify();
  }

  rescan(): void {
    this.needsScan = true;
    this.queue = [];
    this.bytes = 0;
  }

  /** The job ended; tasks that were cancelled with it are only found by a scan. */
  end(hasUnsent: boolean): void {
    this.isJobFinal = true;
    if (hasUnsent) this.needsScan = true;
    this.notify();
  }

  takeQueue(): readonly QueuedResult[] {
    const taken = this.queue;
    this.queue = [];
    this.bytes = 0;
    return taken;
  }

  /** True once per index. */
  takeOnce(index: number): boolean {
    const byte = index >> 3;
    const bit = 1 << (index & 7);
    if ((this.had[byte]! & bit) !== 0) return false;
    this.had[byte]! |= bit;
    return true;
  }

  /** The tasks run again: what was said of them is no longer their result. */
  reopen(indices: Iterable<number>): void {
    const again = new Set(indices);
    this.isJobFinal = false;
    this.queue = this.queue.filter(({ index }) => !again.has(index));
    for (const index of again) this.had[index >> 3]! &= ~(1 << (index & 7));
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
}

export class Followers {
  private readonly byJob = new Map<string, Set<Follower>>();
  private readonly onError: (error: Error) => void;

  constructor(onError: (error: Error) => void) {
    this.onError = onError;
  }

  add(follower: Follower): void {
    const group = this.byJob.get(follower.jobId);
    if (group === undefined) this.byJob.set(follower.jobId, new Set([follower]));
    else group.add(follower);
  }

  remove(follower: Follower): void {
    const group = this.byJob.get(follower.jobId);
    group?.delete(follower);
    if (group?.size === 0) this.byJob.delete(follower.jobId);
  }

  get isEmpty(): boolean {
    return this.byJob.size === 0;
  }

  /** Once for each that follows. */
  jobIds(): readonly string[] {
    return [...this.byJob].flatMap(([jobId, group]) => Array.from(group, () => jobId));
  }

  /** The coordinator ends: nobody may wait for news that never come. */
  wakeAll(): void {
    for (const group of this.byJob.values()) for (const follower of group) follower.notify();
  }

  /**
   * Before memory forgets the results of a batch: hands them to who follows. Texts are made once per
   * result, and only for jobs that somebody follows. Call it after the commit.
   */
  offer(events: readonly Event[]): void {
    if (this.isEmpty) return;
    for (const event of events) {
      try {
        this.tell(event);
      } catch (error) {
        this.onError(error as Error);
        // The event is committed: it is found where it is stored.
        for (const group of this.byJob.values()) for (const one of group) one.rescan();
      }
    }
  }

  private tell(event: Event): void {
    switch (event.type) {
      case 'task_completed':
        return this.give(event.task, () => completedText(event.task, event.resultJson));
      case 'task_failed':
        return this.give(event.task, () => failedText(event.task, event.error));
      case 'job_retried':
        for (const follower of this.byJob.get(event.job.spec.id) ?? []) {
          follower.reopen(retriedIndices(event.job));
        }
        return;
      case 'job_finished':
        return this.end(event.job);
      case 'database_cleared':
        for (const group of this.byJob.values()) for (const one of group) one.end(false);
        return;
      default:
        return;
    }
  }

  private give(task: TaskRecord, makeText: () => string): void {
    const group = this.byJob.get(task.job.spec.id);
    if (group === undefined) return;
    const result = { index: task.index, text: makeText() };
    for (const follower of group) follower.offer(result);
  }

  private end(job: JobRecord): void {
    if (!isFinal(job.status)) return;
    for (const follower of this.byJob.get(job.spec.id) ?? []) {
      follower.end(job.counts.cancelled > 0);
    }
  }
}

function completedText(task: TaskRecord, resultJson: string): string {
  return `{"index":${task.index},"task_id":"${taskId(task.job.spec.id, task.index)}","status":"completed","value":${resultJson}}`;
}

function failedText(task: TaskRecord, error: { type: string; message: string }): string {
  const text = JSON.stringify({ type: error.type, message: error.message });
  return `{"index":${task.index},"task_id":"${taskId(task.job.spec.id, task.index)}","status":"failed","error":${text}}`;
}

/** A retry has every task that runs again in memory. */
function* retriedIndices(job: JobRecord): Generator<number> {
  for (const task of job.tasks.values()) {
    if (task.status !== 'completed' && task.status !== 'failed') yield task.index;
  }
}
