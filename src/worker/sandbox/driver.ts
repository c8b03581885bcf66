// Runs the attempts that the agent hands over, strictly in order and one at a time. A plain function
// is called; a generator or a guest runs in slices of about 50 ms, between which the event loop turns so that
// messages get through; an async function is awaited.

import { Attempt, type AttemptSettings } from './attempt.ts';
import { CheckpointCost } from './checkpoint-schedule.ts';
import type { DriverPorts } from './driver-ports.ts';
import {
  type Ending,
  endingOfLoading,
  endingOfThrown,
  endingOfValue,
  failed,
  isSuccess,
  stopped,
} from './ending.ts';
import { GeneratorSteps, type GeneratorSettings } from './generator-steps.ts';
import { refuseAsync } from './generators.ts';
import { GuestProgram } from './guest-program.ts';
import { type GuestMakers, Guests } from './guests.ts';
import type { GuestStepsSettings } from './guest-steps.ts';
import { type HandedTask, handedTask } from './handed-task.ts';
import type { Host } from './host.ts';
import { runWidth, type SandboxLimits, type TaskField } from './messages.ts';
import { OutcomeBuffer } from './outcome-buffer.ts';
import { OutputPace } from './output-pace.ts';
import { Program } from './program.ts';
import { Programs } from './programs.ts';
import { StopOrder } from './stop-order.ts';
import type { ThrownContext } from './thrown.ts';

const sliceMs = 50;
const noCost = new CheckpointCost(null, 0);

/** Taken before task code runs, which could otherwise make the driver call something else. */
const promiseThen = Promise.prototype.then;

export class Driver {
  readonly programs: Programs;
  readonly #host: Host;
  readonly #ports: DriverPorts;
  readonly #outcomes: OutcomeBuffer;
  readonly #attemptSettings: AttemptSettings;
  readonly #runSettings: GeneratorSettings & GuestStepsSettings;
  readonly #guests: Guests;
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

  /** `guests`: what it can run beside JavaScript. */
  constructor(limits: SandboxLimits, host: Host, ports: DriverPorts, guests: GuestMakers = {}) {
    const { resultLimitBytes, stateLimitBytes, outputLimitBytes } = limits;
    const { now, giveUp, readLent } = ports;
    this.#host = host;
    this.#ports = ports;
    const outcomes = new OutcomeBuffer(ports.send, now, host);
    this.#outcomes = outcomes;
    this.#guests = new Guests(guests);
    this.programs = new Programs(host, this.#guests, {
      readLent,
      onTimerError: ({ current }, error) => {
        if (current !== null) this.#resume(current, () => this.#fail(current, error));
      },
    });
    const pace = new OutputPace(limits.outputMessagesPerSecond);
    this.#attemptSettings = {
      host,
      stateLimitBytes,
      outputLimitBytes,
      now,
      stopOrder: new StopOrder(ports.readStopOrder),
      send: (message) => {
        outcomes.sendNow(message);
      },
      mayTellOutput: (at) => ports.hasRoom() && pace.mayTell(at),
      nextTurn: () => new Promise((resolve) => host.soon(resolve)),
    };
    const flushIfDue = (at: number) => outcomes.flushIfDue(at);
    this.#runSettings = { host, resultLimitBytes, stateLimitBytes, now, giveUp, flushIfDue };
  }

  /**
   * The realm is sound: so that the first job waits for less. A child that serves nothing but one kind of guests
   * makes what runs them; rejects when it cannot.
   */
  async prepare(serves = 'javascript'): Promise<void> {
    if (serves === 'javascript') this.programs.prepare();
    else await this.#guests.get(serves);
  }

  run(jobId: string, fields: readonly TaskField[]): void {
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
    // Nobody knows in what state it has left what runs a guest.
    if (this.programs.get(attempt.handed.jobId) instanceof GuestProgram) {
      this.#ports.giveUp('an error was thrown while a guest ran');
    }
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
    this.programs.prepare();
  }

  #pause(): void {
    this.#current?.sendProgress();
    if (this.#ports.hasRoom()) this.#current?.tellOutput();
    this.#outcomes.flush();
    this.#host.soon(this.#turnLater);
  }

  #isAwaiting(): boolean {
    return this.#current !== null && this.#current.steps === null;
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
    const program = this.programs.get(handed.jobId);
    const attempt = new Attempt(handed, program?.cost ?? noCost, this.#attemptSettings);
    if (this.#stops.size > 0 && this.#stops.delete(handed.number)) {
      return this.#finish(attempt, stopped);
    }
    if (program === undefined) {
      return this.#finish(attempt, failed('sandbox_crashed', 'the program is not here'));
    }
    attempt.isMuted = program.keepOutput === 'never';
    this.#current = attempt;
    if (program instanceof Program) program.current = attempt;
    if (program.isLoaded) return this.#start(attempt, program);
    // A new program may end the process: outcomes by now must not be lost with it.
    this.#outcomes.flush();
    this.#await(
      attempt,
      program.load(),
      () => {
        this.#start(attempt, program);
      },
      (error) => {
        const isGuest = program instanceof GuestProgram;
        this.#finish(attempt, endingOfLoading(error, this.#contextOf(attempt), isGuest));
      },
    );
  }

  #start(attempt: Attempt, program: Program | GuestProgram): void {
    if (program instanceof Program) return this.#call(attempt, program);
    if (attempt.isStopped()) return this.#finish(attempt, stopped);
    attempt.steps = program.begin(attempt, this.#runSettings);
  }

  #call(attempt: Attempt, program: Program): void {
    try {
      const { input: given } = attempt.handed;
      const input: unknown = typeof given === 'string' ? JSON.parse(given) : given;
      const { task } = program;
      // Called without an object: as a method it would get the `Program` as its `this`.
      const value = task?.(input, attempt.context(input, program.shared));
      if (typeof value !== 'object' || value === null) return this.#complete(attempt, value);
      if (this.#host.kinds.isPromise(value)) return this.#awaitResult(attempt, value);
      if (!this.#host.kinds.isGeneratorObject(value)) return this.#complete(attempt, value);
      refuseAsync(value);
      attempt.steps = new GeneratorSteps(value, attempt, this.#runSettings);
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
    // Between two slices the next turn is scheduled already. A second one would run into the next attempt,
    // which may have no slices.
    const isTurnComing = attempt.steps !== null;
    step();
    if (!isTurnComing && !this.#isAwaiting()) this.#turn();
  }

  /** Works to the end of the slice; true when the attempt has ended. */
  #advance(attempt: Attempt, sliceEnd: number): boolean {
    try {
      const ending = attempt.steps?.step(sliceEnd) ?? null;
      if (ending === null) return false;
      this.#finish(attempt, ending);
    } catch (error) {
      this.#fail(attempt, error);
    }
    return true;
  }

  #complete(attempt: Attempt, value: unknown): void {
    let ending: Ending;
    try {
      ending = endingOfValue(value, this.#runSettings.resultLimitBytes, this.#host);
    } catch (error) {
      return this.#fail(attempt, error);
    }
    this.#finish(attempt, ending);
  }

  #fail(attempt: Attempt, error: unknown): void {
    const isStopped = attempt.cancelled;
    this.#finish(attempt, isStopped ? stopped : endingOfThrown(error, this.#contextOf(attempt)));
  }

  #contextOf(attempt: Attempt): ThrownContext {
    const program = this.programs.get(attempt.handed.jobId);
    const text = program instanceof Program ? program.text : null;
    return { kinds: this.#host.kinds, toOriginal: (place) => text?.toOriginal(place) ?? place };
  }

  #finish(attempt: Attempt, ending: Ending): void {
    const { number, jobId } = attempt.handed;
    if (!this.#outcomes.isWhole) this.#ports.giveUp('a message to the agent was cut short');
    const runMs = this.#ports.now() - attempt.startedAt;
    this.#current = null;
    this.#lastFinished = number;
    attempt.end();
    const program = this.programs.get(jobId);
    if (program instanceof Program) program.leave();
    if (this.#stops.size > 0) this.#stops.delete(number);
    // What a task that succeeds has printed is hardly ever asked for.
    if (!isSuccess(ending) || program?.keepOutput === 'always') attempt.tellOutput();
    this.#outcomes.add(number, ending.kind, ending.text, Math.round(runMs * 1000) / 1000);
  }
}
