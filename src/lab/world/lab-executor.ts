// Runs tasks in virtual time: each takes the work that its job says, on the processor of its device. From a
// checkpoint it goes on where that was taken.

import type { Clock } from '../../simulator/clock.ts';
import type {
  AttemptKey,
  Executor,
  ExecutorEvent,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../../worker/executor.ts';
import type { Stream } from '../chance/stream.ts';
import { sizeOf } from '../scenario/plan.ts';
import type { Computation, Processor } from './processor.ts';
import type { Works } from './works.ts';

/** An attempt that runs longer is reported as started. */
const startedAfterMs = 5;
const stopMs = 2;

export interface LabExecutorOptions {
  readonly clock: Clock;
  readonly processor: Processor;
  readonly works: Works;
  readonly slots: number;
  /** From the hand-over of a task to the beginning of its work, in ms. */
  readonly startMs: number;
  /** Share of attempts that fail here, and the chance that decides. */
  readonly fails: number;
  readonly chance: Stream;
  readonly onEvent: (event: ExecutorEvent) => void;
  /** Called when another number of slots is busy. */
  readonly onBusy: () => void;
}

interface Running {
  readonly task: ExecutorTask;
  readonly slot: number;
  beganAt: number;
  /** Work seconds of the whole task, and those that the checkpoint has brought along. */
  readonly work: number;
  readonly brought: number;
  /** Of a core, while nobody slows it. */
  readonly cpuShare: number;
  /** Null while it starts, and when it has ended or is about to. */
  computation: Computation | null;
  isStopping: boolean;
  saved: number;
  readonly timers: (() => void)[];
}

interface Waiting {
  readonly jobId: string;
  readonly task: ExecutorTask;
}

export class LabExecutor implements Executor {
  readonly slots: number;
  readonly isolation = 'simulated';
  readonly #options: LabExecutorOptions;
  readonly #waiting: Waiting[][];
  readonly #running: (Running | undefined)[];
  #isClosed = false;

  constructor(options: LabExecutorOptions) {
    this.#options = options;
    this.slots = options.slots;
    this.#waiting = Array.from({ length: options.slots }, () => []);
    this.#running = Array.from({ length: options.slots }, () => undefined);
  }

  run(slot: number, { jobId }: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    for (const task of tasks) this.#waiting[slot]!.push({ jobId, task });
    this.#begin(slot);
  }

  stop(slot: number, key: AttemptKey, reason: StopReason): void {
    const queue = this.#waiting[slot]!;
    const place = queue.findIndex(({ task }) => task.key === key);
    const { clock } = this.#options;
    if (place >= 0) {
      queue.splice(place, 1);
      clock.after(0, () => this.#report(slot, { type: 'stopped', key, reason }));
      return;
    }
    const running = this.#running[slot];
    if (running?.task.key !== key || running.isStopping) return;
    running.isStopping = true;
    if (reason === 'leaving') this.#save(running);
    this.#pause(running);
    running.timers.push(
      clock.after(stopMs, () => this.#finish(running, { type: 'stopped', key, reason })),
    );
  }

  checkpoint(slot: number, key: AttemptKey): void {
    const running = this.#running[slot];
    if (running?.task.key === key && running.computation !== null) this.#save(running);
  }

  forget(): void {}

  /** The power is cut: what was done is lost. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const running of this.#running) if (running !== undefined) this.#pause(running);
    return Promise.resolve();
  }

  #begin(slot: number): void {
    if (this.#running[slot] !== undefined || this.#isClosed) return;
    const next = this.#waiting[slot]!.shift();
    if (next === undefined) return;
    const { task, jobId } = next;
    const { clock, works, startMs } = this.#options;
    const job = works.job(jobId);
    const work = job.workSeconds[task.index]!;
    const brought = Math.min(work, savedWork(task.stateJson));
    const running: Running = {
      task,
      slot,
      beganAt: clock.now,
      work,
      brought,
      cpuShare: sizeOf(job.cpuShares, task.index),
      computation: null,
      isStopping: false,
      saved: 0,
      timers: [],
    };
    this.#running[slot] = running;
    const everyMs = job.checkpoints?.everyMs ?? null;
    if (startMs === 0) this.#start(running, everyMs);
    else running.timers.push(clock.after(startMs, () => this.#start(running, everyMs)));
  }

  /** `saveEveryMs`: null without checkpoints. */
  #start(running: Running, saveEveryMs: number | null): void {
    const { clock, fails, chance } = this.#options;
    const { slot, task } = running;
    running.beganAt = clock.now;
    this.#compute(running, fails > 0 && chance.next() < fails ? chance.next() : null);
    running.timers.push(
      clock.after(startedAfterMs, () => this.#emit({ type: 'started', slot, key: task.key })),
    );
    if (saveEveryMs !== null) this.#saveEvery(running, saveEveryMs);
    this.#options.onBusy();
  }

  /** `failsAt`: after this share of what is left; null: it succeeds. */
  #compute(running: Running, failsAt: number | null): void {
    const left = running.work - running.brought;
    const { key } = running.task;
    const work = left * (failsAt ?? 1);
    running.computation = this.#options.processor.begin(work, running.cpuShare, () => {
      this.#pause(running);
      const spent = this.#spent(running, work);
      const outcome: ExecutorOutcome =
        failsAt === null
          ? { type: 'result', key, valueJson: 'null', ...spent }
          : { type: 'failure', key, ...deviceError, ...spent };
      this.#finish(running, outcome);
    });
  }

  #saveEvery(running: Running, everyMs: number): void {
    running.timers.push(
      this.#options.clock.after(everyMs, () => {
        this.#save(running);
        this.#saveEvery(running, everyMs);
      }),
    );
  }

  #save(running: Running): void {
    const { task, slot, work, brought, beganAt, computation } = running;
    if (computation === null) return;
    const { clock, processor } = this.#options;
    const done = brought + processor.doneBy(computation);
    const state = { encoding: 'json', text: JSON.stringify(done) } as const;
    this.#emit({
      type: 'checkpoint',
      slot,
      key: task.key,
      sequence: ++running.saved,
      progress: work === 0 ? 1 : Math.min(1, done / work),
      state,
      runMs: clock.now - beganAt,
    });
  }

  /** Counts what was done, and does nothing more. */
  #pause(running: Running): void {
    const { computation } = running;
    const { processor, works } = this.#options;
    if (computation !== null) {
      works.doneSeconds += processor.doneBy(computation);
      processor.end(computation);
      running.computation = null;
    }
    for (const cancel of running.timers.splice(0)) cancel();
  }

  #spent({ beganAt, cpuShare }: Running, work: number): { runMs: number; cpuSeconds: number } {
    const { clock, processor } = this.#options;
    return { runMs: clock.now - beganAt, cpuSeconds: processor.cpuSeconds(work, cpuShare) };
  }

  #finish(running: Running, outcome: ExecutorOutcome): void {
    for (const cancel of running.timers.splice(0)) cancel();
    this.#running[running.slot] = undefined;
    this.#report(running.slot, outcome);
    this.#begin(running.slot);
    this.#options.onBusy();
  }

  #report(slot: number, outcome: ExecutorOutcome): void {
    this.#emit({ type: 'finished', slot, outcomes: [outcome] });
  }

  #emit(event: ExecutorEvent): void {
    if (!this.#isClosed) this.#options.onEvent(event);
  }
}

const deviceError = {
  errorType: 'DeviceError',
  errorMessage: 'This device has failed the task.',
  retryable: true,
} as const;

function savedWork(stateJson: string | null): number {
  return stateJson === null ? 0 : Number(stateJson);
}
