// One attempt inside the child: the task that the agent handed over, and the `task` argument that its
// function gets.

import { type CheckpointCost, CheckpointSchedule } from './checkpoint-schedule.ts';
import { CapturedOutput } from './captured-output.ts';
import type { HandedTask } from './handed-task.ts';
import type { Host } from './host.ts';
import type { FromChild } from './messages.ts';
import { type StateJson, toStateJson, withinLimit } from './result-json.ts';
import { type RandomState, SeededRandom } from './seeded-random.ts';
import { claimStackRoom } from './stack-room.ts';
import type { Steps } from './steps.ts';
import type { StopOrder } from './stop-order.ts';

export interface AttemptSettings {
  readonly host: Host;
  readonly stateLimitBytes: number;
  readonly outputLimitBytes: number;
  readonly now: () => number;
  readonly stopOrder: StopOrder;
  readonly send: (message: FromChild) => void;
  /** Whether a message with what is printed may be sent now; the next one may have to wait. */
  readonly mayTellOutput: (now: number) => boolean;
  /** Resolves after the event loop has turned once. */
  readonly nextTurn: () => Promise<void>;
}

/** The object that a generator yields, or that `task.checkpoint` gets as its second argument. */
interface Offer {
  readonly state?: unknown;
  readonly progress?: unknown;
  readonly message?: unknown;
}

const progressEveryMs = 100;
const turnEveryMs = 50;
const messageLimit = 200;

export class Attempt {
  readonly handed: HandedTask;
  readonly startedAt: number;
  /** What runs in slices; null for a function that is called. */
  steps: Steps | null = null;
  cancelled = false;
  /** The next offered state is saved, due or not. */
  isOrdered = false;
  /** What it prints is of no use to anybody. */
  isMuted = false;
  #output: CapturedOutput | null = null;
  readonly #settings: AttemptSettings;
  readonly #cost: CheckpointCost;
  readonly #schedule: CheckpointSchedule;
  #wantsLast = false;
  #random: SeededRandom | null = null;
  /** State of the random numbers at the checkpoint, until the first number is drawn. */
  #randomState: RandomState | null = null;
  #sequence = 0;
  /** The state that the generator offered at its last yield; undefined when it offered none. */
  #offered: unknown = undefined;
  #hasOffered = false;
  /** The newest state of a guest that was not saved. */
  #offeredText: string | null = null;
  #turnAt: number;
  #turning: Promise<void> | null = null;
  #noWait: Promise<void> | null = null;
  #isOver = false;
  #progressAt: number;
  #progress: number;
  #unsent: string | null | undefined;
  #progressTimer: unknown = null;
  readonly #progressDue = () => {
    this.sendProgress();
  };

  constructor(handed: HandedTask, cost: CheckpointCost, settings: AttemptSettings) {
    this.handed = handed;
    this.#cost = cost;
    this.#settings = settings;
    this.startedAt = settings.now();
    this.#schedule = new CheckpointSchedule(cost, this.startedAt);
    this.#turnAt = this.startedAt;
    this.#progressAt = this.startedAt;
    this.#progress = handed.progress;
  }

  /**
   * Whether a generator that was asked to stop can be ended at this yield. When a last checkpoint is
   * wanted, only at a yield that offers a state: the state offered before may be half changed by now.
   */
  get mayGiveWay(): boolean {
    if (!this.cancelled) return false;
    return !this.#wantsLast || !this.#hasOffered || this.#offered !== undefined;
  }

  /** Code that does not yield hears of its stop here only. */
  isStopped(): boolean {
    if (this.cancelled || this.#isOver) return true;
    const order = this.#settings.stopOrder.look(this.handed.number, this.#settings.now());
    if (order !== null) this.stop(order.wantsCheckpoint);
    return this.cancelled;
  }

  /** Whether a state that is offered now would be saved. */
  isCheckpointDue(): boolean {
    if (this.#isOver) return false;
    if (this.isStopped()) return this.#wantsLast;
    return this.#isDue(this.#settings.now());
  }

  /** A state as JSON text, as guests offer it. */
  offerText(stateJson: string): void {
    if (this.#isOver) return;
    this.#offeredText = stateJson;
    if (!this.isCheckpointDue()) return;
    this.#saveOffered();
    // The first one that is offered after the order to stop is the last.
    if (this.cancelled) this.#wantsLast = false;
  }

  /** Saves the state that a guest offered last, if that was not done; false when it has offered none. */
  saveOffered(): boolean {
    if (this.#offeredText !== null) this.#saveOffered();
    return this.#sequence > 0;
  }

  random(): number {
    return this.#generator().next();
  }

  /**
   * The `task` argument. Its functions are closures, so a program may take them out of the object.
   * Promises that the attempt left behind may call them when it is over; then they do nothing.
   */
  context(input: unknown, shared: unknown): object {
    const { taskId, jobId, index, attempt, stateJson } = this.handed;
    const isStopped = () => this.isStopped();
    return {
      input,
      shared,
      index,
      task_id: taskId,
      job_id: jobId,
      attempt,
      resumed: stateJson !== null,
      state: stateJson === null ? null : this.#restore(stateJson),
      random: () => this.random(),
      progress: (share: unknown, message?: unknown) => {
        this.report(share, message, this.#settings.now());
      },
      checkpoint: (state: unknown, offer?: Offer) =>
        this.#isOver ? never() : this.#checkpoint(state, offer),
      checkpoint_due: () => this.isCheckpointDue(),
      get cancelled() {
        return isStopped();
      },
    };
  }

  stop(wantsCheckpoint: boolean): void {
    this.cancelled = true;
    this.#wantsLast = wantsCheckpoint;
  }

  /** Called at each yield of a generator. A state that it offers is only written when one is due. */
  yielded(value: unknown, now: number): void {
    this.#offered = undefined;
    if (typeof value !== 'object' || value === null) return;
    const { state, progress, message } = value as Offer;
    if (progress !== undefined) this.report(progress, message, now);
    if (state === undefined) return;
    this.#offered = state;
    this.#hasOffered = true;
    if (this.#isDue(now)) this.#save(state);
  }

  /** Saves the state that a generator offered last, when it is stopped and a last one is wanted. */
  lastCheckpoint(): void {
    if (this.#wantsLast && this.#offered !== undefined) this.#save(this.#offered);
  }

  notePacked(packMs: number, meanTimeBetweenLossesMs: number): void {
    this.#cost.notePacked(packMs);
    this.#cost.meanTimeBetweenLossesMs = meanTimeBetweenLossesMs;
    this.#schedule.charge(packMs);
  }

  log(line: string): void {
    this.print(`${line}\n`);
  }

  /** What is printed is told soon, because the process may be ended while the attempt runs. */
  print(text: string): void {
    if (this.isMuted || this.#isOver) return;
    this.#output ??= new CapturedOutput(this.#settings.outputLimitBytes);
    this.#output.add(text);
    if (!this.#settings.mayTellOutput(this.#settings.now())) return;
    claimStackRoom();
    this.tellOutput();
  }

  tellOutput(): void {
    if (this.#output === null || this.#output.isEmpty) return;
    this.#settings.send(['output', this.handed.number, this.#output.take()]);
  }

  /** Ends the attempt: nothing more is sent for it, and promises of `task.checkpoint` never settle. */
  end(): void {
    this.#isOver = true;
    this.#stopProgressTimer();
  }

  /** Sends progress that was held back because it came too soon after the last. */
  sendProgress(): void {
    this.#stopProgressTimer();
    if (this.#unsent === undefined) return;
    const message = this.#unsent;
    this.#unsent = undefined;
    this.#progressAt = this.#settings.now();
    this.#settings.send(['progress', this.handed.number, this.#progress, message]);
  }

  #stopProgressTimer(): void {
    if (this.#progressTimer !== null) this.#settings.host.stopTimer(this.#progressTimer);
    this.#progressTimer = null;
  }

  report(share: unknown, message: unknown, now: number): void {
    const progress = Number(share);
    if (this.#isOver) return;
    if (Number.isFinite(progress)) this.#progress = Math.min(1, Math.max(0, progress));
    this.#unsent = typeof message === 'string' ? message.slice(0, messageLimit) : null;
    const waitMs = this.#progressAt + progressEveryMs - now;
    if (waitMs > 0 && (this.steps !== null || this.#progressTimer !== null)) return;
    claimStackRoom();
    if (waitMs <= 0) this.sendProgress();
    else this.#progressTimer = this.#settings.host.startTimer(this.#progressDue, waitMs);
  }

  #isDue(now: number): boolean {
    return this.isOrdered || this.#schedule.isDue(now);
  }

  /**
   * Calls share their promises: a function that does not wait for them may call a million times before
   * the event loop turns.
   */
  #checkpoint(state: unknown, offer?: Offer): Promise<void> {
    const now = this.#settings.now();
    if (offer?.progress !== undefined) this.report(offer.progress, offer.message, now);
    if (this.isStopped()) {
      if (this.#wantsLast && state !== undefined) this.#save(state);
      return Promise.reject(cancelled());
    }
    if (state !== undefined && this.#isDue(now)) this.#save(state);
    if (now - this.#turnAt < turnEveryMs) return (this.#noWait ??= Promise.resolve());
    if (this.#turning === null) claimStackRoom();
    return (this.#turning ??= this.#turn());
  }

  async #turn(): Promise<void> {
    await this.#settings.nextTurn();
    if (this.#isOver) return never();
    this.#turnAt = this.#settings.now();
    this.#turning = null;
  }

  #save(state: unknown): void {
    const { host, now, stateLimitBytes } = this.#settings;
    const beganAt = now();
    const written = toStateJson(state, stateLimitBytes, host);
    if (written.type === 'refused') return this.#tellState(beganAt, written);
    const text = withRandom(written.text, this.#random?.state() ?? this.#randomState);
    this.#tellState(beganAt, { type: 'json', text });
  }

  #saveOffered(): void {
    const { host, now, stateLimitBytes } = this.#settings;
    const text = this.#offeredText ?? 'null';
    this.#offeredText = null;
    this.#tellState(now(), withinLimit(text, 'state', stateLimitBytes, host));
  }

  #tellState(beganAt: number, written: StateJson): void {
    const { number } = this.handed;
    const { now, send } = this.#settings;
    this.isOrdered = false;
    if (written.type === 'json') {
      const runMs = Math.round(beganAt - this.startedAt);
      this.#sequence++;
      send(['checkpoint', number, this.#sequence, this.#progress, runMs, written.text]);
    } else {
      send(['unsaved', number, written.message]);
    }
    const endedAt = now();
    this.#cost.noteWritten(endedAt - beganAt);
    this.#schedule.taken(beganAt, endedAt);
  }

  #generator(): SeededRandom {
    if (this.#random !== null) return this.#random;
    const state = this.#randomState;
    this.#random =
      state === null ? SeededRandom.fromText(this.handed.taskId) : new SeededRandom(state);
    return this.#random;
  }

  #restore(stateJson: string): unknown {
    const saved: unknown = JSON.parse(stateJson);
    if (!stateJson.startsWith(randomPrefix)) return saved;
    const { $muster_random, state } = saved as { $muster_random: RandomState; state: unknown };
    this.#randomState = $muster_random;
    return state;
  }
}

/**
 * The error that ends an async task at a checkpoint when its attempt was asked to stop. It has no class
 * of its own: that would be an object which all jobs could reach and change.
 */
function cancelled(): Error {
  const error = new Error('the attempt was asked to stop');
  return Object.defineProperty(error, 'name', { value: 'Cancelled' });
}

/** A new promise for each call: two jobs could communicate through a shared one. */
function never(): Promise<never> {
  return new Promise(() => {});
}

const randomPrefix = '{"$muster_random":';

/**
 * Wraps the state of a task that has drawn random numbers, so that it resumes in the middle of its
 * sequence. A state that looks like a wrapped one is wrapped too, so that it comes back as it was.
 */
function withRandom(stateJson: string, random: RandomState | null): string {
  if (random === null && !stateJson.startsWith(randomPrefix)) return stateJson;
  return `${randomPrefix}${JSON.stringify(random)},"state":${stateJson}}`;
}
