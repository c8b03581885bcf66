// Which attempts are live, told by committed events alone, so that nothing that the core believes is
// taken as proof of itself. A task has one, or with copies so many as its job allows; the end of one
// of several changes no budget; who is beaten to the result is told to stop.

import type { ToldAs, ToldAttempt, ToldEvent, ToldJob, ToldTask } from '../../core/told-events.ts';
import type { State } from '../../core/state.ts';
import { parseTaskId, taskId } from '../../core/task-key.ts';
import type { AttemptRef, CoordinatorMessage } from '../../protocol/messages.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { TaskRow } from '../../store/rows.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { findRow, visibleJobs } from './disk-view.ts';

/**
 * An order to stop leaves with the batch that makes it needless, behind what is being read for the same
 * worker: programs of many jobs, one after the other, while reads are slow.
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
  /** Failed or cancelled: a retry of its job begins the budgets anew. */
  isGivenUp: boolean;
}

const unspent = { errors: 0, losses: 0, timeouts: 0, isGivenUp: false } as const;

/** Somebody who works for nothing and has to be told. */
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

  /** A committed event, in order. */
  observe(event: ToldEvent): void {
    const id = this.take(event);
    if (id !== undefined) this.touched.add(id);
  }

  /** After the events of one commit: the budgets of its tasks are as they should be. */
  compare(): void {
    for (const id of this.touched) this.compareBudgets(id);
    this.touched.clear();
  }

  /** After a crash: what is live is what is stored as such. */
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

  /** A frame leaves for a worker. */
  frame(messages: readonly CoordinatorMessage[]): void {
    for (const message of messages) {
      if (message.type === 'cancel') for (const order of message.attempts) this.told(order);
    }
  }

  /** After every command. */
  checkOrders({ workers }: State): void {
    for (const [name, { workerId, connectionId, until }] of this.beaten) {
      if (this.options.now() < until) continue;
      this.beaten.delete(name);
      const connection = workers.get(workerId)?.connection;
      if (connection?.state !== 'connected' || connection.id !== connectionId) continue;
      throw new BrokenPromise(`${name} was beaten to the result and is not told to stop.`);
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
    const { attempt, charge, outcome } = event;
    const id = this.end(attempt);
    const life = this.lifeOf(id);
    // Another one carries the task on: nothing is lost for the task.
    if (life.live.length === 0) {
      if (charge === 'error') life.errors++;
      if (charge === 'loss') life.losses++;
      if (charge === 'timeout') life.timeouts++;
    }
    const workerId = attempt.worker.id;
    const connectionId = this.sockets.get(workerId);
    if (outcome === 'superseded' && connectionId !== undefined) {
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
