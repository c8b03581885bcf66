// Task code in virtual time. What a task does (how long, whether it fails, what it returns) is
// written in its input, so that every device gives the same answer.

import type {
  AttemptKey,
  Executor,
  ExecutorEvent,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../worker/executor.ts';
import type { Clock } from './clock.ts';
import { behaviourOf, resultOf } from './workload.ts';

/** An attempt that runs longer is reported as started. */
const startedAfterMs = 5;
const stopMs = 2;

interface Running {
  readonly task: ExecutorTask;
  readonly startedAt: number;
  readonly cancel: (() => void)[];
}

export class SimExecutor implements Executor {
  readonly slots: number;
  readonly isolation = 'simulated';
  private readonly clock: Clock;
  private readonly listener: (event: ExecutorEvent) => void;
  private readonly waiting: ExecutorTask[][];
  private readonly running: (Running | undefined)[];
  private isClosed = false;

  constructor(clock: Clock, slots: number, listener: (event: ExecutorEvent) => void) {
    this.clock = clock;
    this.slots = slots;
    this.listener = listener;
    this.waiting = Array.from({ length: slots }, () => []);
    this.running = Array.from({ length: slots }, () => undefined);
  }

  run(slot: number, _program: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    this.waiting[slot]!.push(...tasks);
    this.begin(slot);
  }

  stop(slot: number, key: AttemptKey, reason: StopReason): void {
    const queue = this.waiting[slot]!;
    const place = queue.findIndex((task) => task.key === key);
    if (place >= 0) {
      queue.splice(place, 1);
      this.clock.after(0, () => this.report(slot, { type: 'stopped', key, reason }));
      return;
    }
    const running = this.running[slot];
    if (running?.task.key !== key) return;
    for (const cancel of running.cancel.splice(0)) cancel();
    running.cancel.push(
      this.clock.after(stopMs, () => this.finish(slot, { type: 'stopped', key, reason })),
    );
  }

  forget(): void {}

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  private begin(slot: number): void {
    if (this.running[slot] !== undefined || this.isClosed) return;
    const task = this.waiting[slot]!.shift();
    if (task === undefined) return;
    const behaviour = behaviourOf(task.inputJson);
    const running: Running = { task, startedAt: this.clock.now, cancel: [] };
    this.running[slot] = running;
    const { key, attempt } = task;
    if (behaviour.runMs > startedAfterMs) {
      running.cancel.push(
        this.clock.after(startedAfterMs, () => this.emit({ type: 'started', slot, key })),
      );
    }
    const runMs = behaviour.runMs;
    const fails = attempt <= behaviour.failures;
    const outcome: ExecutorOutcome = fails
      ? {
          type: 'failure',
          key,
          errorType: 'Error',
          errorMessage: `planned failure at attempt ${attempt}`,
          retryable: true,
          runMs,
          cpuSeconds: 0,
        }
      : { type: 'result', key, valueJson: resultOf(task.inputJson), runMs, cpuSeconds: 0 };
    running.cancel.push(this.clock.after(runMs, () => this.finish(slot, outcome)));
  }

  private finish(slot: number, outcome: ExecutorOutcome): void {
    for (const cancel of this.running[slot]?.cancel ?? []) cancel();
    this.running[slot] = undefined;
    this.report(slot, outcome);
    this.begin(slot);
  }

  private report(slot: number, outcome: ExecutorOutcome): void {
    this.emit({ type: 'finished', slot, outcomes: [outcome] });
  }

  private emit(event: ExecutorEvent): void {
    if (!this.isClosed) this.listener(event);
  }
}
