// A slot: the attempts handed to it, and the child that runs them. What must happen in time is decided
// by `ChildWatch`.
//
// Invariant: a child is given attempts of one owner only, from its first to its end.

import type {
  AttemptKey,
  ExecutorEvent,
  ExecutorListener,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../executor.ts';
import { aftermathOf, continuedFrom } from './aftermath.ts';
import { Fifo } from './fifo.ts';
import {
  type ChildAttempt,
  ChildAttempts,
  type QueuedAttempt,
  wantsLastCheckpoint,
} from './child-attempts.ts';
import { possibleRunMs, readOutcome, withOutput } from './child-outcomes.ts';
import { CapturedOutput } from '../sandbox/captured-output.ts';
import {
  doneAgain,
  doneWidth,
  type FromChild,
  type OutcomeField,
  runWidth,
  type TaskField,
  type ToChild,
} from '../sandbox/messages.ts';
import { ChildWatch } from './child-watch.ts';
import type { Child, ChildListener } from './child.ts';
import { startLooseTimer } from './loose-timer.ts';
import { common, isForOneJob, servedBy } from './serving.ts';
import { lentBytes, LendingFault, orderToForget, teach } from './teaching.ts';

export interface SlotRunnerOptions {
  readonly index: number;
  readonly listener: ExecutorListener;
  /** Time from the stop of a running attempt until its child is ended. */
  readonly softKillMs: number;
  /** A child whose tasks may take so much memory, and what it is there for. */
  readonly takeChild: (listener: ChildListener, memoryMb: number, serves: string) => Child;
  /** Told what a task prints while it runs. */
  readonly onOutput: ((slot: number, key: AttemptKey, text: string) => void) | null;
  /** Characters of what an attempt prints that are kept. */
  readonly outputLimit: number;
  /** For programs that do not say how much they need. */
  readonly memoryLimitMb: number;
  readonly meanTimeBetweenLossesMs: () => number;
  /** A child may end with a process that others have a part in. */
  readonly childrenShareProcess: boolean;
  /** What becomes of attempts that wait while no child starts: they fail, or are given back unbegun. */
  readonly withoutChild: 'failed' | 'returned';
  /** Called once per attempt whose task offers states that cannot be saved, with the reason. */
  readonly onUnsaved: (key: AttemptKey, why: string) => void;
}

const startFailuresLimit = 3;

export class SlotRunner implements ChildListener {
  readonly #options: SlotRunnerOptions;
  readonly #queue = new Fifo<QueuedAttempt>();
  readonly #held = new ChildAttempts();
  readonly #watch: ChildWatch;
  #child: Child | null = null;
  #startFailures = 0;
  #isHandingOver = false;
  #isInUse = true;
  #isClosed = false;

  constructor(options: SlotRunnerOptions) {
    this.#options = options;
    this.#watch = new ChildWatch({
      held: this.#held,
      child: () => this.#child,
      softKillMs: options.softKillMs,
      onStarted: (held) => this.#reportStarted(held),
      onOverdue: (held) => this.#askToStop(held, 'deadline'),
    });
  }

  get child(): Child | null {
    return this.#child;
  }

  warmUp(): void {
    if (this.#child !== null || this.#isClosed || this.#isUnused) return;
    this.#watch.begin();
    const next = this.#queue.at(0);
    const serves = next === undefined ? common : servedBy(next.program.kind);
    this.#child = this.#options.takeChild(this, this.#memoryOf(next), serves);
    if (this.#child.isReady) this.#handOverSoon();
  }

  /** Out of use, it keeps its child until what it holds has come to its end. */
  use(isInUse: boolean): void {
    this.#isInUse = isInUse;
    if (this.#isUnused) this.#rest();
    else this.warmUp();
  }

  run(program: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    for (const task of tasks) this.#queue.push({ program, task, again: null });
    if (!this.#isInUse) this.warmUp();
    this.#handOverSoon();
  }

  stop(key: AttemptKey, reason: StopReason): void {
    if (this.#queue.remove(({ task }) => task.key === key) !== undefined) {
      this.#report([{ type: 'stopped', key, reason }]);
      return;
    }
    const held = this.#held.byKey(key);
    if (held !== undefined) this.#askToStop(held, reason);
  }

  checkpoint(key: AttemptKey): void {
    const held = this.#held.byKey(key);
    if (held !== undefined) this.#child?.send(['checkpoint', held.number]);
  }

  /** Tells the child how long packing took; it counts that as a cost of the checkpoint. */
  notePacked(key: AttemptKey, packMs: number): void {
    const held = this.#held.byKey(key);
    const meanTimeMs = this.#options.meanTimeBetweenLossesMs();
    if (held !== undefined) this.#child?.send(['packed', held.number, packMs, meanTimeMs]);
  }

  forget(jobId: string): void {
    const child = this.#child;
    if (child?.programs.forget(jobId) !== true) return;
    child.send(orderToForget(child, jobId));
    if (isForOneJob(child.serves)) this.#handOverSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#watch.close();
  }

  childReady(): void {
    this.#startFailures = 0;
    this.#handOver();
  }

  childSaid(child: Child, message: FromChild): void {
    if (child !== this.#child || this.#isClosed) return;
    this.#watch.heard();
    if (message[0] === 'done') return this.#done(message[1]);
    if (message[0] === 'ready' || message[0] === 'pong') return;
    const held = this.#held.byNumber(message[1]);
    if (held === undefined) return;
    const { key } = held.task;
    const { index: slot } = this.#options;
    if (message[0] === 'progress') {
      this.#emit({ type: 'progress', slot, key, progress: message[2], message: message[3] });
    } else if (message[0] === 'checkpoint') {
      const [, , , progress, saidMs, text] = message;
      const runMs = possibleRunMs(held, saidMs, performance.now());
      const state = { encoding: 'json', text } as const;
      const sequence = ++held.sequence;
      if (held.mayGoOn || this.#options.childrenShareProcess)
        held.checkpoint = { stateJson: text, progress };
      this.#emit({ type: 'checkpoint', slot, key, sequence, progress, state, runMs });
    } else if (message[0] === 'unsaved') {
      if (!held.isUnsaved) this.#options.onUnsaved(key, message[2]);
      held.isUnsaved = true;
    } else {
      held.output ??= new CapturedOutput(this.#options.outputLimit);
      held.output.add(message[2]);
      this.#options.onOutput?.(slot, key, message[2]);
      if (held.program.liveOutput === true)
        this.#emit({ type: 'output', slot, key, text: message[2] });
    }
  }

  childEnded(child: Child): void {
    if (child !== this.#child || this.#isClosed) return;
    this.#child = null;
    const held = this.#held.drain();
    const { outcomes, returned, again } = aftermathOf(child, held);
    for (const each of again.toReversed()) this.#queue.unshift(each);
    if (outcomes.length > 0) this.#report(outcomes);
    const { index: slot } = this.#options;
    if (returned.length > 0) this.#emit({ type: 'returned', slot, keys: returned });
    this.#replace(child);
  }

  #replace(ended: Child): void {
    if (ended.isReady) return this.warmUp();
    const failures = ++this.#startFailures;
    if (failures >= startFailuresLimit) this.#failQueue(ended);
    startLooseTimer(
      () => {
        this.warmUp();
      },
      Math.min(100 * 2 ** failures, 10_000),
    );
  }

  /** The sandbox of this worker cannot be started: failures let the coordinator know. */
  #failQueue(ended: Child): void {
    const { index: slot, withoutChild } = this.#options;
    if (withoutChild === 'returned') {
      const keys = this.#queue.drain().map(({ task }) => task.key);
      if (keys.length > 0) this.#emit({ type: 'returned', slot, keys });
      return;
    }
    const errorMessage = `the sandbox does not start (${ended.endedBy}): ${ended.output.slice(-1000)}`;
    const outcomes = this.#queue.drain().map(({ task }): ExecutorOutcome => {
      const failure = { errorType: 'sandbox_crashed', errorMessage, retryable: true };
      return { type: 'failure', key: task.key, ...failure, runMs: 0, cpuSeconds: 0 };
    });
    if (outcomes.length > 0) this.#report(outcomes);
  }

  /**
   * Hands over in a microtask, so that attempts that come one by one go to the child in one
   * message.
   */
  #handOverSoon(): void {
    if (this.#isHandingOver) return;
    this.#isHandingOver = true;
    queueMicrotask(() => {
      this.#isHandingOver = false;
      this.#handOver();
    });
  }

  #handOver(): void {
    const child = this.#child;
    if (child === null || !child.isReady || child.endCause !== null || this.#isClosed) return;
    let next = this.#queue.at(0);
    if (this.#isUnused) return this.#rest();
    if (this.#shouldRetire(child, next)) return this.#retire();
    const orders: ToChild[] = [];
    while (next !== undefined && this.#mayFollow(child, next)) {
      next = this.#handOverRun(child, next.program, orders);
    }
    if (orders.length > 0) child.send(...orders);
    if (this.#held.isEmpty) return;
    this.#watch.handedOver();
  }

  /** Hands over the next attempts that have the same program; returns the one after them. */
  #handOverRun(
    child: Child,
    program: ExecutorProgram,
    orders: ToChild[],
  ): QueuedAttempt | undefined {
    const { jobId } = program;
    if (!this.#teach(child, program, orders)) return this.#queue.at(0);
    const fields: TaskField[] = [];
    const handedAt = performance.now();
    let next = this.#queue.at(0);
    while (next?.program.jobId === jobId && this.#mayFollow(child, next)) {
      this.#queue.shift();
      const { task } = next;
      const number = ++child.lastNumber;
      child.owner = task.owner;
      child.programs.hold(jobId);
      this.#held.add(next, number, handedAt, child.programs.areShared);
      const { taskId, index, attempt, stateJson, progress } = task;
      const input = task.inputBytes ?? task.inputJson;
      fields.push(number, taskId, index, attempt, input, stateJson, progress);
      next = this.#queue.at(0);
    }
    if (fields.length >= runWidth) orders.push(['run', jobId, fields]);
    return next;
  }

  /** False when what it names cannot be given to the child: its attempts that come next have failed. */
  #teach(child: Child, program: ExecutorProgram, orders: ToChild[]): boolean {
    if (child.programs.has(program.jobId)) return true;
    const { memoryLimitMb, meanTimeBetweenLossesMs } = this.#options;
    const meanTimeMs = meanTimeBetweenLossesMs();
    try {
      teach(child, program, { meanTimeMs, memoryLimitMb }, orders);
      return true;
    } catch (error) {
      if (!(error instanceof LendingFault)) throw error;
      this.#failNext(program.jobId, error.message);
      return false;
    }
  }

  /** Attempts of the job that are next in the queue. */
  #failNext(jobId: string, errorMessage: string): void {
    const failure = { errorType: 'file_unavailable', errorMessage, retryable: true } as const;
    const outcomes: ExecutorOutcome[] = [];
    while (this.#queue.at(0)?.program.jobId === jobId) {
      const { key } = this.#queue.shift()!.task;
      outcomes.push({ type: 'failure', key, ...failure, runMs: 0, cpuSeconds: 0 });
    }
    this.#report(outcomes);
  }

  /**
   * Not in a child that ran attempts of another owner, or of another job where it is for one; that is for another
   * kind, or may take less or more memory; a second try only in one that has run nothing.
   */
  #mayRun(child: Child, { program, task, again }: QueuedAttempt): boolean {
    if (child.memoryLimitMb !== (program.memoryMb ?? this.#options.memoryLimitMb)) return false;
    if (child.serves !== servedBy(program.kind)) return false;
    if (child.lastNumber === 0) return true;
    if (child.owner !== task.owner || again?.isFirst === true) return false;
    return !isForOneJob(child.serves) || child.programs.has(program.jobId);
  }

  #memoryOf(next: QueuedAttempt | undefined): number {
    return next?.program.memoryMb ?? this.#options.memoryLimitMb;
  }

  #mayFollow(child: Child, next: QueuedAttempt): boolean {
    if (!this.#mayRun(child, next) || !this.#held.hasRoomFor(next.task)) return false;
    const { program } = next;
    return (
      program.blobs === undefined || child.programs.hasRoomFor(program.jobId, lentBytes(program))
    );
  }

  #done(items: readonly OutcomeField[]): void {
    const outcomes: ExecutorOutcome[] = [];
    const nowMs = performance.now();
    for (let i = 0; i < items.length; i += doneWidth) {
      const held = this.#held.first();
      if (held === undefined || held.number !== items[i]) {
        this.#child?.kill(null);
        break;
      }
      this.#held.removeFirst();
      this.#letGo(held.program.jobId);
      const wantsMore = items[i + 1] === doneAgain;
      const continued = wantsMore ? continuedFrom(held, items[i + 3] as number, nowMs) : null;
      if (continued === null) outcomes.push(withOutput(held, readOutcome(held, items, i, nowMs)));
      else this.#queue.unshift(continued);
    }
    if (outcomes.length > 0) this.#report(outcomes);
    this.#watch.readMemory();
    this.#handOver();
    if (this.#held.isEmpty) this.#watch.lookWhenIdle();
  }

  #letGo(jobId: string): void {
    const child = this.#child;
    if (child?.programs.letGo(jobId) === true) child.send(orderToForget(child, jobId));
  }

  #shouldRetire(child: Child, next: QueuedAttempt | undefined): boolean {
    const hasGrown = child.grownMb > child.memoryLimitMb / 2;
    // It was for one job, which is over: it would only hold the memory of its interpreter.
    const isUsedUp = isForOneJob(child.serves) && child.lastNumber > 0 && child.programs.isEmpty;
    return hasGrown || isUsedUp || (next !== undefined && !this.#mayRun(child, next));
  }

  /**
   * Ends a child once it holds no attempt, and takes another. Until then nothing is handed over.
   */
  #retire(): void {
    if (!this.#held.isEmpty) return this.#watch.lookSoon();
    this.#rest();
    this.warmUp();
  }

  /** Out of use, and nothing is left to do. */
  get #isUnused(): boolean {
    return !this.#isInUse && this.#held.isEmpty && this.#queue.length === 0;
  }

  #rest(): void {
    const child = this.#child;
    if (child === null) return;
    child.listener = null;
    child.kill('retired');
    this.#child = null;
  }

  #askToStop(held: ChildAttempt, reason: StopReason | 'deadline'): void {
    if (held.stop !== null) return;
    held.stop = reason;
    this.#child?.send(['stop', held.number, wantsLastCheckpoint(reason)]);
    this.#watch.look();
  }

  #reportStarted(held: ChildAttempt): void {
    held.isStarted = true;
    this.#emit({ type: 'started', slot: this.#options.index, key: held.task.key });
  }

  #report(outcomes: readonly ExecutorOutcome[]): void {
    this.#emit({ type: 'finished', slot: this.#options.index, outcomes });
  }

  #emit(event: ExecutorEvent): void {
    if (!this.#isClosed) this.#options.listener(event);
  }
}
