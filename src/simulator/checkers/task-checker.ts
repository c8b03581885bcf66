// What must hold for a task from its first assignment on, told by committed events: numbers of
// attempts rise, a task is completed once and with the right result, final is left by retry only.

import type { ToldAs, ToldEvent, ToldJob, ToldTask } from '../../core/told-events.ts';
import { taskId } from '../../core/task-key.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { findRow, storedInput } from './disk-view.ts';
import { resultOf } from '../workload.ts';

/** Stands in everything that a liar makes up: whatever has it was never true. */
export const lie = 'a lie';
export const lieProgress = 0.123456;

interface TaskHistory {
  newestAttempt: number;
  final: 'completed' | 'failed' | null;
  /** Attempts that were seen to be given up. */
  readonly givenUp: Set<number>;
}

export interface TaskCheckerOptions {
  readonly disk: () => MemoryDisk;
  /** Jobs whose retry was asked for, acknowledged or not. */
  readonly askedRetry: ReadonlySet<string>;
  readonly broken: (taskId: string, what: string) => never;
}

export class TaskChecker {
  private readonly tasks = new Map<string, TaskHistory>();
  private readonly options: TaskCheckerOptions;

  constructor(options: TaskCheckerOptions) {
    this.options = options;
  }

  finalOf(id: string): 'completed' | 'failed' | null {
    return this.tasks.get(id)?.final ?? null;
  }

  /** Committed events, in order. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'task_assigned':
        return this.assigned(event);
      case 'attempt_withdrawn': {
        // It was never handed out and gives its number back.
        const { task, attempt } = event.attempt;
        this.history(nameOf(task)).newestAttempt = attempt - 1;
        return;
      }
      case 'attempt_ended':
        return this.ended(event);
      case 'attempt_progressed':
        if (event.progress === lieProgress)
          this.broken(event.attempt.task, 'a lie is its progress');
        return;
      case 'task_completed':
        this.finalise(event.task, 'completed');
        if (event.task.job.spec.lateResults === 'reject') this.expectInTime(event);
        return this.compare(event.task, event.resultJson);
      case 'task_failed':
        this.finalise(event.task, 'failed');
        return this.account(event);
      case 'job_retried':
        return this.retried(event.job);
      default:
        return;
    }
  }

  /**
   * After a crash: what was seen committed is on the disk, and what was committed but not seen any
   * more (the coordinator died before it could tell) is taken from there.
   */
  resume(): void {
    const { disk, askedRetry, broken } = this.options;
    for (const { row: job, tasks } of disk().jobs.values()) {
      for (const row of tasks.values()) {
        const id = taskId(job.spec.id, row.index);
        const history = this.history(id);
        const isWithdrawn = row.status === 'pending' && row.attempt === history.newestAttempt - 1;
        if (row.attempt < history.newestAttempt && !isWithdrawn) {
          broken(id, 'its newest attempt is gone');
        }
        const final = row.status === 'completed' || row.status === 'failed' ? row.status : null;
        const wasRetried = history.final === 'failed' && askedRetry.has(job.spec.id);
        if (history.final !== null && history.final !== final && !wasRetried) {
          broken(id, `it was ${history.final} and is stored as ${row.status}`);
        }
        history.newestAttempt = row.attempt;
        history.final = final;
      }
    }
  }

  private assigned(event: ToldAs<'task_assigned'>): void {
    const id = taskId(event.job.spec.id, event.index);
    const history = this.history(id);
    const { newestAttempt, final } = history;
    if (final !== null) this.options.broken(id, `assigned although ${final}`);
    if (event.attempt !== newestAttempt + 1) {
      this.options.broken(id, `attempt ${event.attempt} was made after attempt ${newestAttempt}`);
    }
    history.newestAttempt = event.attempt;
  }

  private ended(event: ToldAs<'attempt_ended'>): void {
    const { attempt, outcome, charge, errorType, startedAt } = event;
    if (errorType === lie) this.broken(attempt.task, 'a lie ended its attempt');
    if (charge === 'loss' && startedAt === null) {
      this.broken(attempt.task, 'charged for the loss of an attempt that had not started');
    }
    if (outcome === 'lost' && startedAt !== null && charge !== 'loss') {
      this.broken(attempt.task, 'not charged for the loss of an attempt that had started');
    }
    if (outcome !== 'superseded') this.history(nameOf(attempt.task)).givenUp.add(attempt.attempt);
  }

  /** A task fails only with a budget that is used up. */
  private account({ task, error }: ToldAs<'task_failed'>): void {
    // A retry within the same commit has reset the budgets.
    const row = findRow(this.options.disk(), nameOf(task));
    if (row?.status !== 'failed') return;
    const { maxAttempts, maxLostAttempts } = task.job.spec;
    const isSpent =
      row.errors >= maxAttempts || row.timeouts >= maxAttempts || row.losses >= maxLostAttempts;
    if (!isSpent) this.broken(task, `failed (${error.type}) with budget left`);
  }

  private retried(job: ToldJob): void {
    // The one way out of a final state.
    for (const [id, history] of this.tasks) {
      const isOfJob = id.startsWith(`${job.spec.id}.`);
      if (isOfJob && history.final === 'failed') history.final = null;
    }
  }

  private finalise(task: ToldTask, final: 'completed' | 'failed'): void {
    const history = this.history(nameOf(task));
    if (history.final !== null) this.broken(task, `${final} although it was ${history.final}`);
    history.final = final;
  }

  /** The attempt that brings the result was given up before. */
  isLate({ task, attempt }: ToldAs<'task_completed'>): boolean {
    return this.history(nameOf(task)).givenUp.has(attempt);
  }

  private expectInTime(event: ToldAs<'task_completed'>): void {
    if (!this.isLate(event)) return;
    const { task, attempt } = event;
    this.broken(task, `the late result of attempt ${attempt} counts, which its job rejects`);
  }

  private compare(task: ToldTask, resultJson: string): void {
    const folder = this.options.disk().jobs.get(task.job.spec.key);
    // Deleted or cleared by the same batch.
    if (folder === undefined) return;
    const right = resultOf(storedInput(folder, task.index));
    if (resultJson !== right) this.broken(task, `its result is ${resultJson}, right is ${right}`);
  }

  private history(id: string): TaskHistory {
    let history = this.tasks.get(id);
    if (history === undefined) {
      history = { newestAttempt: 0, final: null, givenUp: new Set() };
      this.tasks.set(id, history);
    }
    return history;
  }

  private broken(task: ToldTask, what: string): never {
    return this.options.broken(nameOf(task), what);
  }
}

function nameOf(task: ToldTask): string {
  return taskId(task.job.spec.id, task.index);
}
