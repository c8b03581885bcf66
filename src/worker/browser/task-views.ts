// The tasks that are in the executor, as a person sees them: how far they are, how long they still take.

import type {
  AttemptKey,
  ExecutorEvent,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
} from '../executor.ts';
import type { TaskView } from './page-messages.ts';

interface Task {
  readonly key: AttemptKey;
  readonly jobId: string;
  readonly owner: string;
  /** Since when it runs; null: it has not begun, or is too short to tell. */
  startedAtMs: number | null;
  /** How far it was when it began here. */
  readonly from: number;
  progress: number | null;
  /** Of its newest checkpoint; null without one. */
  saved: number | null;
}

/** From fewer nobody can tell how long the rest takes. */
const leastMs = 1_000;
const leastProgress = 0.01;
const jobsMost = 100;
/** Weight of the newest task. */
const smoothing = 0.3;

export class TaskViews {
  readonly #tasks = new Map<AttemptKey, Task>();
  readonly #runMsOfJobs = new Map<string, number>();
  /** Of tasks that were handed over since the rest began. */
  #handedOver: (number | null)[] = [];

  /** Tasks in the executor, whether they have begun or not. */
  get size(): number {
    return this.#tasks.size;
  }

  ran(program: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    for (const { key, owner, stateJson, progress } of tasks) {
      const from = stateJson === null ? null : progress;
      this.#tasks.set(key, {
        key,
        jobId: program.jobId,
        owner,
        startedAtMs: null,
        from: from ?? 0,
        progress: from,
        saved: from,
      });
    }
  }

  heard(event: ExecutorEvent, nowMs: number): void {
    if (event.type === 'finished') {
      for (const outcome of event.outcomes) this.#end(outcome);
    } else if (event.type === 'returned') {
      for (const key of event.keys) this.#tasks.delete(key);
    } else {
      const task = this.#tasks.get(event.key);
      if (task === undefined) return;
      task.startedAtMs ??= nowMs;
      if (event.type === 'progress' || event.type === 'checkpoint') task.progress = event.progress;
      if (event.type === 'checkpoint') task.saved = event.progress;
    }
  }

  #end(outcome: ExecutorOutcome): void {
    const task = this.#tasks.get(outcome.key);
    this.#tasks.delete(outcome.key);
    if (task === undefined) return;
    if (outcome.type === 'stopped') {
      if (outcome.reason === 'leaving') this.#handedOver.push(task.saved);
    } else if (outcome.type === 'result' && task.from === 0) {
      const { jobId } = task;
      const before = this.#runMsOfJobs.get(jobId) ?? outcome.runMs;
      this.#runMsOfJobs.delete(jobId);
      this.#runMsOfJobs.set(jobId, before + smoothing * (outcome.runMs - before));
      const [oldest] = this.#runMsOfJobs.keys();
      if (this.#runMsOfJobs.size > jobsMost) this.#runMsOfJobs.delete(oldest!);
    }
  }

  /** Those that have begun. */
  list(nowMs: number): readonly TaskView[] {
    return [...this.#tasks.values()].flatMap((task) => {
      const { key, jobId, owner, progress, startedAtMs } = task;
      if (startedAtMs === null) return [];
      const ranMs = nowMs - startedAtMs;
      return [{ key, jobId, owner, progress, ranMs, leftMs: this.#leftMs(task, ranMs) }];
    });
  }

  #leftMs({ jobId, from, progress }: Task, ranMs: number): number | null {
    const gained = (progress ?? 0) - from;
    if (gained >= leastProgress && ranMs >= leastMs) {
      return Math.max(0, Math.round((ranMs * (1 - from - gained)) / gained));
    }
    const usualMs = this.#runMsOfJobs.get(jobId);
    if (usualMs === undefined) return null;
    const leftMs = Math.round(usualMs * (1 - from) - ranMs);
    return leftMs > 0 ? leftMs : null;
  }

  restBegins(): void {
    this.#handedOver = [];
  }

  /** Progress that is safe, of those that were handed over since the rest began and of those that are still here. */
  saved(): readonly (number | null)[] {
    const here = [...this.#tasks.values()].filter(({ startedAtMs }) => startedAtMs !== null);
    return [...this.#handedOver, ...here.map(({ saved }) => saved)];
  }
}
