// One attempt inside the child: what the agent handed over, and what its `task` argument can do.

import { type CheckpointCost, CheckpointSchedule } from './checkpoint-schedule.ts';
import type { Host } from './host.ts';
import type { FromChild } from './messages.ts';
import { toStateJson } from './result-json.ts';
import { type RandomState, SeededRandom } from './seeded-random.ts';
import { claimStackRoom } from './stack-room.ts';

export interface HandedTask {
  readonly number: number;
  readonly jobId: string;
  readonly taskId: string;
  readonly index: number;
  readonly attempt: number;
  readonly inputJson: string;
  readonly stateJson: string | null;
  /** Of the checkpoint that it resumes from. */
  readonly progress: number;
}

export interface AttemptSettings {
  readonly host: Host;
  readonly stateLimitBytes: number;
  readonly outputLimitBytes: number;
  readonly now: () => number;
  readonly send: (message: FromChild) => void;
  /** Resolves after the event loop has turned once. */
  readonly nextTurn: () => Promise<void>;
}

/** What a generator yields, and what `task.checkpoint` is given. */
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
  /** The generator object when the task is one. */
  generator: unknown = null;
  cancelled = false;
  /** The next offer is taken, due or not. */
  isOrdered = false;
  output = '';
  readonly #settings: AttemptSettings;
  readonly #cost: CheckpointCost;
  readonly #schedule: CheckpointSchedule;
  #wantsLast = false;
  #random: SeededRandom | null = null;
  /** Where the sequence stood at the checkpoint, until the first number is drawn. */
  #randomState: RandomState | null = null;
  #sequence = 0;
  /** What the generator offered at the yield where it stands; undefined for nothing. */
  #offered: unknown = undefined;
  #hasOffered = false;
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
   * Whether a generator that was asked to stop can be left where it stands: not between two offers
   * when a last checkpoint is wanted, for what it offered before may be half changed by now.
   */
  get mayGiveWay(): boolean {
    if (!this.cancelled) return false;
    return !this.#wantsLast || !this.#hasOffered || this.#offered !== undefined;
  }

  random(): number {
    return this.#generator().next();
  }

  /**
   * The `task` argument. Plain closures: they may be taken out of the object and passed on. They may
   * also be called when the attempt is over, by what it left behind; then they do nothing.
   */
  context(input: unknown): object {
    const { taskId, jobId, index, attempt, stateJson } = this.handed;
    const isCancelled = () => this.cancelled || this.#isOver;
    return {
      input,
      index,
      task_id: taskId,
      job_id: jobId,
      attempt,
      resumed: stateJson !== null,
      state: stateJson === null ? null : this.#restore(stateJson),
      random: () => this.random(),
      progress: (share: unknown, message?: unknown) => {
        this.#report(share, message, this.#settings.now());
      },
      checkpoint: (state: unknown, offer?: Offer) =>
        this.#isOver ? never() : this.#checkpoint(state, offer),
      checkpoint_due: () => !this.#isOver && (this.#wantsLast || this.#isDue(this.#settings.now())),
      get cancelled() {
        return isCancelled();
      },
    };
  }

  stop(wantsCheckpoint: boolean): void {
    this.cancelled = true;
    this.#wantsLast = wantsCheckpoint;
  }

  /** A safe point: takes note of what a generator yielded. An offer that is not due costs no more. */
  yielded(value: unknown, now: number): void {
    this.#offered = undefined;
    if (typeof value !== 'object' || value === null) return;
    const { state, progress, message } = value as Offer;
    if (progress !== undefined) this.#report(progress, message, now);
    if (state === undefined) return;
    this.#offered = state;
    this.#hasOffered = true;
    if (this.#isDue(now)) this.#save(state);
  }

  /** Of a generator that gives way. */
  lastCheckpoint(): void {
    if (this.#wantsLast && this.#offered !== undefined) this.#save(this.#offered);
  }

  notePacked(packMs: number, meanTimeBetweenLossesMs: number): void {
    this.#cost.notePacked(packMs);
    this.#cost.meanTimeBetweenLossesMs = meanTimeBetweenLossesMs;
    this.#schedule.charge(packMs);
  }

  log(line: string): void {
    const room = this.#settings.outputLimitBytes - this.output.length;
    if (room <= 0) return;
    this.output += line.length < room ? `${line}\n` : `${line.slice(0, room - 1)}…`;
  }

  /** For good: nothing more is sent for it, and whoever waits for its checkpoints waits for ever. */
  end(): void {
    this.#isOver = true;
    this.#stopProgressTimer();
  }

  /** Sends progress that came too soon after the last. */
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

  #report(share: unknown, message: unknown, now: number): void {
    const progress = Number(share);
    if (this.#isOver) return;
    if (Number.isFinite(progress)) this.#progress = Math.min(1, Math.max(0, progress));
    this.#unsent = typeof message === 'string' ? message.slice(0, messageLimit) : null;
    const waitMs = this.#progressAt + progressEveryMs - now;
    if (waitMs > 0 && (this.generator !== null || this.#progressTimer !== null)) return;
    claimStackRoom();
    if (waitMs <= 0) this.sendProgress();
    else this.#progressTimer = this.#settings.host.startTimer(this.#progressDue, waitMs);
  }

  #isDue(now: number): boolean {
    return this.isOrdered || this.#schedule.isDue(now);
  }

  /**
   * Promises are shared between calls: a function that does not wait for them may come by a million
   * times before the event loop turns.
   */
  #checkpoint(state: unknown, offer?: Offer): Promise<void> {
    const now = this.#settings.now();
    if (offer?.progress !== undefined) this.#report(offer.progress, offer.message, now);
    if (this.cancelled) {
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
    const { number } = this.handed;
    const { host, now, send, stateLimitBytes } = this.#settings;
    const beganAt = now();
    this.isOrdered = false;
    const written = toStateJson(state, stateLimitBytes, host);
    if (written.type === 'json') {
      const text = withRandom(written.text, this.#random?.state() ?? this.#randomState);
      const runMs = Math.round(beganAt - this.startedAt);
      this.#sequence++;
      send(['checkpoint', number, this.#sequence, this.#progress, runMs, text]);
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
 * Ends an async task at a checkpoint when its attempt is no longer wanted. Not of a class of ours:
 * that would be one object which all jobs could reach and change.
 */
function cancelled(): Error {
  const error = new Error('the attempt was asked to stop');
  return Object.defineProperty(error, 'name', { value: 'Cancelled' });
}

/** A new one for each who asks: what two share, they could write on. */
function never(): Promise<never> {
  return new Promise(() => {});
}

const randomPrefix = '{"$muster_random":';

/**
 * A task that has drawn random numbers resumes in the middle of its sequence. A state that looks like
 * one of these is wrapped too, so that it comes back as it was.
 */
function withRandom(stateJson: string, random: RandomState | null): string {
  if (random === null && !stateJson.startsWith(randomPrefix)) return stateJson;
  return `${randomPrefix}${JSON.stringify(random)},"state":${stateJson}}`;
}
