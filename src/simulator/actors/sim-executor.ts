// An executor whose tasks run in virtual time. The input of a task says how long it takes, in how
// many steps, whether it fails and what it returns, so that every device gives the same answer.
// After each step but the last the task saves a checkpoint, and it can resume from one: its result
// is computed from the state that it was given and from its own steps.
//
// A device may be slower than others, and a bad device fails every attempt.

import type {
  AttemptKey,
  Executor,
  ExecutorEvent,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../../worker/executor.ts';
import { BrokenPromise } from '../broken-promise.ts';
import type { DeviceClock } from './device-clock.ts';
import { advance, type Behaviour, behaviourOf, resultAfter, type SavedState } from '../workload.ts';

/** An attempt that runs longer is reported as started. */
const startedAfterMs = 5;
const stopMs = 2;
/** Run time of an attempt on a bad device. */
const failsAfterMs = 20;

export interface Nature {
  /** Factor by which tasks take longer here than their input says. */
  readonly slowness: number;
  readonly isBad: boolean;
}

export const sound: Nature = { slowness: 1, isBad: false };

interface Running {
  readonly task: ExecutorTask;
  readonly startedAt: number;
  readonly cancel: (() => void)[];
}

interface Work {
  readonly task: ExecutorTask;
  readonly behaviour: Behaviour;
  readonly running: Running;
}

export class SimExecutor implements Executor {
  readonly slots: number;
  readonly isolation = 'simulated';
  private readonly clock: Pick<DeviceClock, 'now' | 'after'>;
  private readonly listener: (event: ExecutorEvent) => void;
  private readonly nature: Nature;
  private readonly waiting: ExecutorTask[][];
  private readonly running: (Running | undefined)[];
  private isClosed = false;

  constructor(
    clock: Pick<DeviceClock, 'now' | 'after'>,
    slots: number,
    nature: Nature,
    listener: (event: ExecutorEvent) => void,
  ) {
    this.clock = clock;
    this.nature = nature;
    this.slots = slots;
    this.listener = listener;
    this.waiting = Array.from({ length: slots }, () => []);
    this.running = Array.from({ length: slots }, () => undefined);
  }

  get isIdle(): boolean {
    return this.running.every((running) => running === undefined);
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

  /** Does nothing: every step is saved anyway. */
  checkpoint(): void {}

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  private begin(slot: number): void {
    if (this.running[slot] !== undefined || this.isClosed) return;
    const task = this.waiting[slot]!.shift();
    if (task === undefined) return;
    const running: Running = { task, startedAt: this.clock.now, cancel: [] };
    this.running[slot] = running;
    const work = { task, behaviour: behaviourOf(task.inputJson), running };
    if (this.nature.isBad) this.fail(slot, work);
    else this.compute(slot, work);
  }

  private compute(slot: number, { task, behaviour, running }: Work): void {
    const { id, steps } = behaviour;
    const saved = savedState(task, behaviour);
    const done = saved?.step ?? 0;
    const stepMs = (behaviour.runMs * this.nature.slowness) / steps;
    const runMs = stepMs * (steps - done);
    let chain = saved?.chain ?? id;
    if (runMs > startedAfterMs) this.sayStarted(slot, running);
    for (let step = done + 1; step < steps; step++) {
      this.after(running, stepMs * (step - done), () => {
        chain = advance(chain, step);
        const { attempt } = task;
        this.save(slot, running, { id, attempt, step, chain }, step / steps, step - done);
      });
    }
    this.after(running, runMs, () => {
      const result = resultAfter(id, advance(chain, steps));
      this.finish(slot, outcomeOf(task, behaviour, result, runMs));
    });
  }

  private fail(slot: number, { task: { key }, behaviour, running }: Work): void {
    const runMs = Math.min(failsAfterMs, behaviour.runMs);
    if (runMs > startedAfterMs) this.sayStarted(slot, running);
    const error = { errorType: 'BadDevice', errorMessage: 'nothing works here', retryable: true };
    this.after(running, runMs, () =>
      this.finish(slot, { type: 'failure', key, ...error, runMs, cpuSeconds: 0 }),
    );
  }

  private sayStarted(slot: number, running: Running): void {
    const { key } = running.task;
    this.after(running, startedAfterMs, () => this.emit({ type: 'started', slot, key }));
  }

  private after({ cancel }: Running, ms: number, act: () => void): void {
    cancel.push(this.clock.after(ms, act));
  }

  private save(
    slot: number,
    { task: { key }, startedAt }: Running,
    saved: SavedState,
    progress: number,
    sequence: number,
  ): void {
    this.emit({ type: 'progress', slot, key, progress, message: null });
    const runMs = this.clock.now - startedAt;
    const state = { encoding: 'json', text: JSON.stringify(saved) } as const;
    this.emit({ type: 'checkpoint', slot, key, sequence, progress, state, runMs });
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

/** The state to resume from. A state of another task is a broken promise. */
function savedState(
  { key, stateJson }: ExecutorTask,
  { id, steps }: Behaviour,
): SavedState | undefined {
  if (stateJson === null) return undefined;
  const saved = JSON.parse(stateJson) as SavedState;
  if (saved.id !== id || saved.step >= steps) {
    throw new BrokenPromise(`${key} was given a checkpoint that is not its own: ${stateJson}`);
  }
  return saved;
}

function outcomeOf(
  task: ExecutorTask,
  behaviour: Behaviour,
  valueJson: string,
  runMs: number,
): ExecutorOutcome {
  const { key, attempt } = task;
  if (attempt > behaviour.failures) {
    return { type: 'result', key, valueJson, runMs, cpuSeconds: 0 };
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
