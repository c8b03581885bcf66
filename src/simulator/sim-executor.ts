// Task code in virtual time. What a task does (how long, in how many steps, whether it fails, what it
// returns) is written in its input, so that every device gives the same answer. After each step but
// the last it gives a checkpoint that says how much was computed, and it resumes from one.

import type {
  AttemptKey,
  Executor,
  ExecutorEvent,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../worker/executor.ts';
import type { DeviceClock } from './device-clock.ts';
import { type Behaviour, behaviourOf, resultOf } from './workload.ts';

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
  private readonly clock: Pick<DeviceClock, 'now' | 'after'>;
  private readonly listener: (event: ExecutorEvent) => void;
  private readonly waiting: ExecutorTask[][];
  private readonly running: (Running | undefined)[];
  private isClosed = false;

  constructor(
    clock: Pick<DeviceClock, 'now' | 'after'>,
    slots: number,
    listener: (event: ExecutorEvent) => void,
  ) {
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
    const done = stepsDone(task, behaviour);
    const stepMs = behaviour.runMs / behaviour.steps;
    const runMs = stepMs * (behaviour.steps - done);
    const running: Running = { task, startedAt: this.clock.now, cancel: [] };
    this.running[slot] = running;
    const { key } = task;
    const after = (ms: number, act: () => void) => running.cancel.push(this.clock.after(ms, act));
    if (runMs > startedAfterMs) {
      after(startedAfterMs, () => this.emit({ type: 'started', slot, key }));
    }
    for (let step = done + 1; step < behaviour.steps; step++) {
      after(stepMs * (step - done), () => this.save(slot, task, behaviour, step, step - done));
    }
    after(runMs, () => this.finish(slot, outcomeOf(task, behaviour, runMs)));
  }

  private save(
    slot: number,
    { key }: ExecutorTask,
    { id, steps }: Behaviour,
    step: number,
    sequence: number,
  ): void {
    const progress = step / steps;
    this.emit({ type: 'progress', slot, key, progress, message: null });
    const stateJson = JSON.stringify({ id, step } satisfies SavedState);
    this.emit({ type: 'checkpoint', slot, key, sequence, progress, stateJson });
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

/** What a checkpoint of a simulated task holds. */
interface SavedState {
  readonly id: number;
  /** Steps that are computed. */
  readonly step: number;
}

/** Steps that need not be computed again. The state of another task is a broken promise. */
function stepsDone({ key, stateJson }: ExecutorTask, { id, steps }: Behaviour): number {
  if (stateJson === null) return 0;
  const saved = JSON.parse(stateJson) as SavedState;
  if (saved.id !== id || saved.step >= steps) {
    throw new Error(`${key} was given a checkpoint that is not its own: ${stateJson}`);
  }
  return saved.step;
}

function outcomeOf(task: ExecutorTask, behaviour: Behaviour, runMs: number): ExecutorOutcome {
  const { key, attempt } = task;
  if (attempt > behaviour.failures) {
    return { type: 'result', key, valueJson: resultOf(task.inputJson), runMs, cpuSeconds: 0 };
  }
  return {
    type: 'failure',
    key,
    errorType: 'Error',
    errorMessage: `planned failure at attempt ${attempt}`,
    retryable: true,
    runMs,
    cpuSeconds: 0,
  };
}
