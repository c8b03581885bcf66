// Follows which attempts are live, from committed events alone: the core's own state must not prove
// itself. A task has one live attempt, or with copies as many as its job allows. When one of
// several ends, no budget changes. A worker whose copy came second to the result, or whose attempt was handed
// over, is told to stop.

import type { ToldAs, ToldAttempt, ToldEvent, ToldJob, ToldTask } from '../../core/told-events.ts';
import type { State } from '../../core/state.ts';
import { parseTaskId, taskId } from '../../core/task-key.ts';
import type { SentMessage } from '../../coordinator/workers/sessions.ts';
import type { AttemptRef } from '../../protocol/messages.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { TaskRow } from '../../store/rows.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { findRow, visibleJobs } from './disk-view.ts';

/**
 * Bound for an order to stop. It is sent with the batch in which the attempt is beaten, but after
 * messages for the same worker whose inputs and programs are still being read, which may be slow.
 */
const orderMs = 10_000;

export interface LiveAttempt {
  readonly attempt: number;
  readonly token: string;
  readonly workerId: string;
}

interface TaskLife {
  /** The original first, then its copies. */
  readonly live: LiveAttempt[];
  errors: number;
  losses: number;
  timeouts: number;
  /** True when the task has failed or was cancelled: a retry of its job resets the budgets. */
  isGivenUp: boolean;
}

const unspent = { errors: 0, losses: 0, timeouts: 0, isGivenUp: false } as const;

/** An attempt whose task another attempt has completed, or was handed: its worker must be told to stop. */
interface Beaten {
  readonly workerId: string;
  readonly connectionId: number;
  readonly until: number;
}

export interface AttemptCheckerOptions {
  readonly now: () => number;
  readonly disk: MemoryDisk;
}

export class AttemptChecker {
  private readonly options: AttemptCheckerOptions;
  private tasks = new Map<string, TaskLife>();
  private readonly touched = new Set<string>();
  private readonly beaten = new Map<string, Beaten>();
  /** The sockets of workers, by worker. */
  private readonly sockets = new Map<string, number>();

  constructor(options: AttemptCheckerOptions) {
    this.options = options;
  }

  /** The original first. */
  liveOf(id: string): readonly LiveAttempt[] {
    return this.tasks.get(id)?.live ?? [];
  }

  /** Every live attempt. */
  all(): readonly LiveAttempt[] {
    return [...this.tasks.values()].flatMap(({ live }) => live);
  }

  /** How many attempts the worker holds. */
  heldBy(workerId: string): number {
    let held = 0;
    for (const { live } of this.tasks.values()) {
      for (const attempt of live) if (attempt.workerId === workerId) held++;
    }
    return held;
  }

  /** Workers that hold attempts. */
  holders(): readonly string[] {
    return [...this.tasks.values()].flatMap(({ live }) => live.map(({ workerId }) => workerId));
  }

  /** Called with committed events, in order. */
  observe(event: ToldEvent): void {
    const id = this.take(event);
    if (id !== undefined) this.touched.add(id);
  }

  /** After the events of one commit: compares the budgets of its tasks. */
  compare(): void {
    for (const id of this.touched) this.compareBudgets(id);
    this.touched.clear();
  }

  /** After a crash: takes the live attempts from the disk. */
  resume(): void {
    this.beaten.clear();
    this.sockets.clear();
    this.tasks = new Map();
    for (const { row: job, tasks } of visibleJobs(this.options.disk)) {
      for (const row of tasks.values()) {
        const { errors, losses, timeouts } = row;
        const live = row.status === 'assigned' ? storedAttempts(row) : [];
        const isOpen = row.status === 'assigned' || row.status === 'pending';
        const isGivenUp = !isOpen || job.completedAt !== null;
        const life = { live, errors, losses, timeouts, isGivenUp };
        this.tasks.set(taskId(job.spec.id, row.index), life);
      }
    }
  }

  /** Called when a frame leaves for a worker. */
  frame(messages: readonly SentMessage[]): void {
    for (const message of messages) {
      if (message.type !== 'cancel' && message.type !== 'revoke') continue;
      for (const order of message.attempts) this.told(order);
    }
  }

  /** After every command. */
  checkOrders({ workers }: State): void {
    for (const [name, { workerId, connectionId, until }] of this.beaten) {
      if (this.options.now() < until) continue;
      this.beaten.delete(name);
      const connection = workers.get(workerId)?.connection;
      if (connection?.state !== 'connected' || connection.id !== connectionId) continue;
      throw new BrokenPromise(
        `${name} was beaten to the result or handed over, and is not told to stop.`,
      );
    }
  }

  private told({ task_id, attempt }: Pick<AttemptRef, 'task_id' | 'attempt'>): void {
    this.beaten.delete(`${task_id} #${attempt}`);
  }

  /** The task whose budgets or attempts the event changes. */
  private take(event: ToldEvent): string | undefined {
    switch (event.type) {
      case 'task_assigned':
        return this.assigned(event);
      case 'attempt_withdrawn':
        return this.end(event.attempt);
      case 'attempt_ended':
        return this.ended(event);
      case 'task_completed':
        return this.completed(event);
      case 'job_retried':
        for (const [, life] of this.livesOf(event.job)) {
          if (life.isGivenUp) Object.assign(life, unspent);
        }
        return undefined;
      case 'job_cancelled':
      case 'job_abandoned':
        for (const [, life] of this.livesOf(event.job)) life.isGivenUp = true;
        return undefined;
      case 'task_failed':
        this.lifeOf(idOf(event.task)).isGivenUp = true;
        return undefined;
      case 'job_deleted':
        for (const [id] of this.livesOf(event.job)) this.tasks.delete(id);
        return undefined;
      case 'database_cleared':
        this.tasks.clear();
        this.sockets.clear();
        return undefined;
      case 'worker_connected':
        this.sockets.set(event.worker.id, event.connectionId);
        return undefined;
      case 'worker_attached':
      case 'worker_disconnected':
      case 'worker_lost':
      case 'worker_left':
      case 'worker_deregistered':
        this.sockets.delete(event.worker.id);
        return undefined;
      default:
        return undefined;
    }
  }

  private assigned(event: ToldAs<'task_assigned'>): string {
    const { job, index, worker, attempt, token, isCopy } = event;
    const id = taskId(job.spec.id, index);
    const { live } = this.lifeOf(id);
    const most = isCopy ? (job.spec.speculation?.maxCopies ?? 0) : 0;
    if (isCopy ? live.length === 0 || live.length > most : live.length > 0) {
      const what = isCopy ? 'copied' : 'assigned';
      throw new BrokenPromise(`Task ${id} is ${what} beside ${live.length} live attempts.`);
    }
    if (live.some((other) => other.workerId === worker.id)) {
      throw new BrokenPromise(`Task ${id} is copied to a worker that has it already.`);
    }
    live.push({ attempt, token, workerId: worker.id });
    return id;
  }

  private ended(event: ToldAs<'attempt_ended'>): string {
    const { attempt, charge, outcome, isHandedOver } = event;
    const id = this.end(attempt);
    const life = this.lifeOf(id);
    // While another attempt is live, the task itself loses nothing.
    if (life.live.length === 0) {
      if (charge === 'error') life.errors++;
      if (charge === 'loss') life.losses++;
      if (charge === 'timeout') life.timeouts++;
    }
    const workerId = attempt.worker.id;
    const connectionId = this.sockets.get(workerId);
    const mustStop = outcome === 'superseded' || isHandedOver;
    if (mustStop && connectionId !== undefined) {
      const until = this.options.now() + orderMs;
      this.beaten.set(nameOf(attempt), { workerId, connectionId, until });
    }
    return id;
  }

  private completed({ task, attempt }: ToldAs<'task_completed'>): string {
    const id = idOf(task);
    const { live } = this.lifeOf(id);
    const place = live.findIndex((one) => one.attempt === attempt);
    if (place >= 0) live.splice(place, 1);
    const [left] = live;
    if (left !== undefined) {
      throw new BrokenPromise(`Task ${id} is completed and its #${left.attempt} goes on.`);
    }
    return id;
  }

  private end(attempt: ToldAttempt): string {
    const id = idOf(attempt.task);
    const { live } = this.lifeOf(id);
    const place = live.findIndex((one) => one.token === attempt.token);
    if (place < 0) throw new BrokenPromise(`${nameOf(attempt)} ended and was not live.`);
    live.splice(place, 1);
    return id;
  }

  private compareBudgets(id: string): void {
    const row = findRow(this.options.disk, id);
    const life = this.tasks.get(id);
    if (row === undefined || life === undefined) return;
    const [says, counted] = [row, life].map(
      ({ errors, losses, timeouts }) => `${errors} errors, ${losses} losses, ${timeouts} time-outs`,
    );
    if (says === counted) return;
    throw new BrokenPromise(`Task ${id} is charged ${says}; there were ${counted}.`);
  }

  private livesOf({ spec }: ToldJob): [string, TaskLife][] {
    return [...this.tasks].filter(([id]) => parseTaskId(id)?.jobId === spec.id);
  }

  private lifeOf(id: string): TaskLife {
    let life = this.tasks.get(id);
    if (life === undefined) {
      life = { live: [], ...unspent };
      this.tasks.set(id, life);
    }
    return life;
  }
}

function storedAttempts({ attempt, token, workerId, others }: TaskRow): LiveAttempt[] {
  const live = others.map((other) => ({ ...other }));
  return token === null || workerId === null ? live : [...live, { attempt, token, workerId }];
}

function idOf({ job, index }: ToldTask): string {
  return taskId(job.spec.id, index);
}

function nameOf({ task, attempt }: ToldAttempt): string {
  return `${idOf(task)} #${attempt}`;
}
