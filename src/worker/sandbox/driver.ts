// Runs the attempts that the agent hands over, strictly in order and one at a time. A plain function
// is called; a generator runs in slices of about 50 ms, between which the event loop turns so that
// messages get through; an async function is awaited.

import { Attempt, type AttemptSettings } from './attempt.ts';
import { CheckpointCost } from './checkpoint-schedule.ts';
import type { DriverPorts } from './driver-ports.ts';
import { generatorNext, generatorReturn, refuseAsync } from './generators.ts';
import { type HandedTask, handedTask } from './handed-task.ts';
import type { Host } from './host.ts';
import {
  doneFailure,
  doneFinalFailure,
  doneResult,
  doneStopped,
  failureText,
  type KeepOutput,
  runWidth,
  type SandboxLimits,
} from './messages.ts';
import { OutcomeBuffer } from './outcome-buffer.ts';
import { OutputPace } from './output-pace.ts';
import { Program } from './program.ts';
import { ProgramShells } from './program-shells.ts';
import { ProgramTexts } from './program-texts.ts';
import { toResultJson } from './result-json.ts';
import { describeThrown, type Thrown } from './thrown.ts';

const sliceMs = 50;
const noCost = new CheckpointCost(null, 0);

/** Taken before task code runs, which could otherwise make the driver call something else. */
const promiseThen = Promise.prototype.then;

export class Driver {
  readonly #settings: SandboxLimits;
  readonly #host: Host;
  readonly #ports: DriverPorts;
  readonly #outcomes: OutcomeBuffer;
  readonly #attemptSettings: AttemptSettings;
  readonly #programs = new Map<string, Program>();
  readonly #texts = new ProgramTexts();
  readonly #shells: ProgramShells;
  readonly #stops = new Map<number, boolean>();
  #queue: HandedTask[] = [];
  #head = 0;
  #current: Attempt | null = null;
  #isBusy = false;
  #lastFinished = 0;
  /** The job that may have left promises behind since the event loop turned last. */
  #leftBy: string | null = null;
  readonly #turnLater = () => {
    this.#turn();
  };
  readonly #restLater = () => {
    this.#rest();
  };

  constructor(settings: SandboxLimits, host: Host, ports: DriverPorts) {
    this.#settings = settings;
    this.#host = host;
    this.#ports = ports;
    this.#outcomes = new OutcomeBuffer(ports.send, ports.now, host);
    this.#shells = new ProgramShells(host);
    const pace = new OutputPace(settings.outputMessagesPerSecond);
    this.#attemptSettings = {
      host,
      stateLimitBytes: settings.stateLimitBytes,
      outputLimitBytes: settings.outputLimitBytes,
      now: ports.now,
      send: (message) => {
        this.#outcomes.sendNow(message);
      },
      mayTellOutput: (now) => ports.hasRoom() && pace.mayTell(now),
      nextTurn: () => new Promise((resolve) => host.soon(resolve)),
    };
  }

  /** The realm is sound: so that the first job waits for less, too. */
  prepare(): void {
    this.#shells.prepare();
  }

  /**
   * `source` is null when another job here has the same program. `ownMs` is the job's own interval of
   * checkpoints, `meanTimeMs` the mean time between losses.
   */
  addProgram(
    jobId: string,
    sha256: string | null,
    source: string | null,
    ownMs: number | null,
    meanTimeMs: number,
    keepOutput: KeepOutput = 'on_failure',
  ): void {
    const text = this.#texts.take(sha256, source);
    if (text === undefined) return;
    const program = new Program(jobId, text, new CheckpointCost(ownMs, meanTimeMs), this.#shells);
    program.keepOutput = keepOutput;
    program.onTimerError = (error) => {
      const attempt = program.current;
      if (attempt !== null) this.#resume(attempt, () => this.#fail(attempt, error));
    };
    this.#programs.set(jobId, program);
  }

  forget(jobId: string): void {
    const program = this.#programs.get(jobId);
    if (program === undefined) return;
    this.#programs.delete(jobId);
    this.#texts.letGo(program.text);
  }

  run(jobId: string, fields: readonly (string | number | null)[]): void {
    for (let at = 0; at < fields.length; at += runWidth) {
      this.#queue.push(handedTask(jobId, fields, at));
    }
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#outcomes.wake();
    this.#turn();
  }

  /**
   * Takes an error that nothing caught. Task code can make one: a promise of its own class may throw
   * when the driver calls `then`. Otherwise the platform would print the error and end the process.
   */
  threw(error: unknown): void {
    const attempt = this.#current;
    if (attempt === null) this.#ports.giveUp('an error was thrown that belongs to no attempt');
    this.#resume(attempt, () => this.#fail(attempt, error));
  }

  stop(number: number, wantsCheckpoint: boolean): void {
    if (number <= this.#lastFinished) return;
    this.#stops.set(number, wantsCheckpoint);
    if (this.#current?.handed.number === number) this.#current.stop(wantsCheckpoint);
  }

  orderCheckpoint(number: number): void {
    if (this.#current?.handed.number === number) this.#current.isOrdered = true;
  }

  notePacked(number: number, packMs: number, meanTimeMs: number): void {
    const attempt = this.#current;
    if (attempt?.handed.number !== number) return;
    attempt.notePacked(packMs, meanTimeMs);
  }

  /** Works for one slice; a plain function may take longer, because it cannot be interrupted. */
  #turn(): void {
    const startedAt = this.#ports.now();
    const sliceEnd = startedAt + sliceMs;
    this.#outcomes.flushIfDue(startedAt);
    for (;;) {
      if (this.#current !== null) {
        if (!this.#advance(this.#current, sliceEnd)) return this.#pause();
      } else {
        const handed = this.#queue[this.#head];
        if (handed === undefined) break;
        if (this.#leftBy !== null && this.#leftBy !== handed.jobId) return this.#changeJob();
        this.#removeFirst();
        this.#begin(handed);
        // The promise of the attempt goes on later.
        if (this.#isAwaiting()) return;
      }
      const now = this.#ports.now();
      if (now >= sliceEnd) return this.#pause();
      this.#outcomes.flushIfDue(now);
    }
    this.#isBusy = false;
    this.#outcomes.flush();
    this.#host.soon(this.#restLater);
  }

  /**
   * The loop has turned since the last attempt, so nothing of its job waits in microtasks, and what the next
   * job needs can be made while there is nothing else to do.
   */
  #rest(): void {
    if (this.#isBusy) return;
    this.#leftBy = null;
    this.#shells.prepare();
  }

  #pause(): void {
    this.#current?.sendProgress();
    if (this.#ports.hasRoom()) this.#current?.tellOutput();
    this.#outcomes.flush();
    this.#host.soon(this.#turnLater);
  }

  #isAwaiting(): boolean {
    return this.#current !== null && this.#current.generator === null;
  }

  /**
   * Microtasks that attempts of one job left behind run before an attempt of another job begins. If
   * they never end, the position still names an attempt that is over, and no other job is blamed.
   */
  #changeJob(): void {
    this.#outcomes.flush();
    this.#host.soon(() => {
      this.#leftBy = null;
      this.#turn();
    });
  }

  #removeFirst(): void {
    if (++this.#head < this.#queue.length) return;
    this.#queue = [];
    this.#head = 0;
  }

  #begin(handed: HandedTask): void {
    this.#ports.writePosition(handed.number);
    this.#leftBy = handed.jobId;
    const program = this.#programs.get(handed.jobId);
    const attempt = new Attempt(handed, program?.cost ?? noCost, this.#attemptSettings);
    if (this.#stops.size > 0 && this.#stops.delete(handed.number)) {
      return this.#finish(attempt, doneStopped, '');
    }
    if (program === undefined) {
      const text = failureText('sandbox_crashed', 'the program is not here');
      return this.#finish(attempt, doneFailure, text);
    }
    attempt.isMuted = program.keepOutput === 'never';
    this.#current = attempt;
    program.current = attempt;
    if (program.task !== null) return this.#call(attempt, program);
    // A new program may end the process: outcomes by now must not be lost with it.
    this.#outcomes.flush();
    this.#await(
      attempt,
      program.load(),
      () => {
        this.#call(attempt, program);
      },
      (error) => {
        this.#failLoading(attempt, error);
      },
    );
  }

  #call(attempt: Attempt, program: Program): void {
    try {
      const input: unknown = JSON.parse(attempt.handed.inputJson);
      const { task } = program;
      // Called without an object: as a method it would get the `Program` as its `this`.
      const value = task?.(input, attempt.context(input));
      if (typeof value !== 'object' || value === null) return this.#complete(attempt, value);
      if (this.#host.kinds.isPromise(value)) return this.#awaitResult(attempt, value);
      if (!this.#host.kinds.isGeneratorObject(value)) return this.#complete(attempt, value);
      refuseAsync(value);
      attempt.generator = value;
    } catch (error) {
      this.#fail(attempt, error);
    }
  }

  #awaitResult(attempt: Attempt, promise: Promise<unknown>): void {
    this.#await(
      attempt,
      promise,
      (value) => {
        this.#complete(attempt, value);
      },
      (error) => {
        this.#fail(attempt, error);
      },
    );
  }

  /**
   * Goes on in a turn of its own once the promise has settled. So while other promises of the attempt
   * keep the microtasks busy, it still counts as the running one, with its deadline. For a promise
   * that settles at once, one check after a turn is enough.
   */
  #await(
    attempt: Attempt,
    promise: Promise<unknown>,
    onValue: (value: unknown) => void,
    onError: (error: unknown) => void,
  ): void {
    let next: (() => void) | null = null;
    let hasTurned = false;
    const goOn = (step: () => void) => {
      if (hasTurned) this.#host.soon(() => this.#resume(attempt, step));
      else next = step;
    };
    void promiseThen.call(
      promise,
      (value: unknown) => {
        goOn(() => onValue(value));
      },
      (error: unknown) => {
        goOn(() => onError(error));
      },
    );
    this.#host.soon(() => {
      hasTurned = true;
      if (next === null) this.#outcomes.flush();
      else this.#resume(attempt, next);
    });
  }

  /** Takes a step outside of a turn: a promise has settled, or a timer has thrown. */
  #resume(attempt: Attempt, step: () => void): void {
    if (this.#current !== attempt) return;
    // Between two slices of a generator the next turn is scheduled already. A second one would run
    // into the next attempt, which may have no generator.
    const isTurnComing = attempt.generator !== null;
    step();
    if (!isTurnComing && !this.#isAwaiting()) this.#turn();
  }

  /** Runs a generator to the end of the slice; true when it has ended. */
  #advance(attempt: Attempt, sliceEnd: number): boolean {
    try {
      for (;;) {
        if (attempt.mayGiveWay) {
          this.#giveWay(attempt);
          return true;
        }
        const step = generatorNext.call(attempt.generator as Generator);
        if (step.done === true) {
          this.#complete(attempt, step.value);
          return true;
        }
        const now = this.#ports.now();
        attempt.yielded(step.value, now);
        if (now >= sliceEnd) return false;
        this.#outcomes.flushIfDue(now);
      }
    } catch (error) {
      this.#fail(attempt, error);
      return true;
    }
  }

  #giveWay(attempt: Attempt): void {
    attempt.lastCheckpoint();
    try {
      generatorReturn.call(attempt.generator as Generator, undefined);
    } catch {
      // Errors of its `finally` blocks change nothing: it was stopped.
    }
    this.#finish(attempt, doneStopped, '');
  }

  #complete(attempt: Attempt, value: unknown): void {
    let result: ReturnType<typeof toResultJson>;
    try {
      result = toResultJson(value, this.#settings.resultLimitBytes, this.#host);
    } catch (error) {
      return this.#fail(attempt, error);
    }
    if (result.type === 'json') return this.#finish(attempt, doneResult, result.text);
    this.#finish(attempt, doneFinalFailure, failureText(result.errorType, result.message));
  }

  #fail(attempt: Attempt, error: unknown): void {
    if (attempt.cancelled) return this.#finish(attempt, doneStopped, '');
    const { type, message, isRetryable, stack } = this.#describe(attempt, error);
    const kind = isRetryable ? doneFailure : doneFinalFailure;
    this.#finish(attempt, kind, failureText(type, message, stack));
  }

  #failLoading(attempt: Attempt, error: unknown): void {
    const { type, message, stack } = this.#describe(attempt, error);
    const isForm = type === 'ProgramInvalid' || type === 'SyntaxError';
    const text = isForm
      ? failureText('program_invalid', message)
      : failureText(type, `${message} (at the top level)`, stack);
    this.#finish(attempt, doneFinalFailure, text);
  }

  #describe(attempt: Attempt, error: unknown): Thrown {
    const program = this.#programs.get(attempt.handed.jobId);
    return describeThrown(error, {
      kinds: this.#host.kinds,
      toOriginal: (place) => program?.text.toOriginal(place) ?? place,
    });
  }

  #finish(attempt: Attempt, kind: number, text: string): void {
    const { number, jobId } = attempt.handed;
    if (!this.#outcomes.isWhole) this.#ports.giveUp('a message to the agent was cut short');
    const runMs = this.#ports.now() - attempt.startedAt;
    this.#current = null;
    this.#lastFinished = number;
    attempt.end();
    const program = this.#programs.get(jobId);
    program?.leave();
    if (this.#stops.size > 0) this.#stops.delete(number);
    // What a task that succeeds has printed is hardly ever asked for.
    if (kind !== doneResult || program?.keepOutput === 'always') attempt.tellOutput();
    this.#outcomes.add(number, kind, text, Math.round(runMs * 1000) / 1000);
  }
}
