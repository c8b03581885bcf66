// One attempt inside the child: what the agent handed over, and what its `task` argument can do.

import type { FromChild } from './messages.ts';
import { type RandomState, SeededRandom } from './seeded-random.ts';

export interface HandedTask {
  readonly number: number;
  readonly jobId: string;
  readonly taskId: string;
  readonly index: number;
  readonly attempt: number;
  readonly inputJson: string;
  readonly stateJson: string | null;
}

export interface AttemptSettings {
  readonly checkpointIntervalMs: number | null;
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

/** Read before the realm is locked. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

const progressEveryMs = 100;
const turnEveryMs = 50;
const stateLimitCharacters = 8 * 1024 * 1024;
const messageLimit = 200;

export class Attempt {
  readonly handed: HandedTask;
  readonly startedAt: number;
  /** The generator object when the task is one. */
  generator: unknown = null;
  cancelled = false;
  output = '';
  readonly #settings: AttemptSettings;
  #random: SeededRandom | null = null;
  #randomState: RandomState | null = null;
  #sequence = 0;
  #checkpointAt: number;
  #turnAt: number;
  #progressAt: number;
  #progress = 0;
  #unsent: string | null | undefined;
  #offer: Offer | null = null;
  #progressTimer: NodeJS.Timeout | null = null;
  readonly #progressDue = () => {
    this.sendProgress();
  };

  constructor(handed: HandedTask, settings: AttemptSettings) {
    this.handed = handed;
    this.#settings = settings;
    this.startedAt = settings.now();
    this.#checkpointAt = this.startedAt;
    this.#turnAt = this.startedAt;
    this.#progressAt = this.startedAt;
  }

  random(): number {
    return this.#generator().next();
  }

  /** The `task` argument. Plain closures: they may be taken out of the object and passed on. */
  context(input: unknown): object {
    const { taskId, jobId, index, attempt, stateJson } = this.handed;
    const isCancelled = () => this.cancelled;
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
        this.#report(share, message);
      },
      checkpoint: (state: unknown, offer?: Offer) => this.#checkpoint(state, offer),
      checkpoint_due: () => this.#isDue(),
      get cancelled() {
        return isCancelled();
      },
    };
  }

  /** A safe point: takes note of what a generator yielded. */
  yielded(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    this.#offer = value;
    const { progress, message } = value as Offer;
    if (progress !== undefined) this.#report(progress, message);
    if (this.#isDue()) this.#offerState((value as Offer).state);
  }

  /** The last checkpoint of an attempt that gives way. */
  lastCheckpoint(): void {
    const isWanted = this.#settings.checkpointIntervalMs !== null;
    if (isWanted && this.#offer !== null) this.#offerState(this.#offer.state);
  }

  log(line: string): void {
    const room = this.#settings.outputLimitBytes - this.output.length;
    if (room <= 0) return;
    this.output += line.length < room ? `${line}\n` : `${line.slice(0, room - 1)}…`;
  }

  /** Nothing more is sent for it. */
  end(): void {
    if (this.#progressTimer !== null) stopTimer(this.#progressTimer);
    this.#progressTimer = null;
  }

  /** Sends progress that came too soon after the last. */
  sendProgress(): void {
    this.end();
    if (this.#unsent === undefined) return;
    const message = this.#unsent;
    this.#unsent = undefined;
    this.#progressAt = this.#settings.now();
    this.#settings.send(['progress', this.handed.number, this.#progress, message]);
  }

  #report(share: unknown, message: unknown): void {
    const progress = Number(share);
    if (Number.isFinite(progress)) this.#progress = Math.min(1, Math.max(0, progress));
    this.#unsent = typeof message === 'string' ? message.slice(0, messageLimit) : null;
    const waitMs = this.#progressAt + progressEveryMs - this.#settings.now();
    if (waitMs <= 0) this.sendProgress();
    else if (this.generator === null) this.#progressTimer ??= startTimer(this.#progressDue, waitMs);
  }

  #isDue(): boolean {
    const interval = this.#settings.checkpointIntervalMs;
    return interval !== null && this.#settings.now() - this.#checkpointAt >= interval;
  }

  async #checkpoint(state: unknown, offer?: Offer): Promise<void> {
    this.#offer = { state };
    if (offer?.progress !== undefined) this.#report(offer.progress, offer.message);
    if (this.cancelled) {
      this.lastCheckpoint();
      throw new Cancelled('the attempt was asked to stop');
    }
    if (this.#isDue()) this.#offerState(state);
    if (this.#settings.now() - this.#turnAt < turnEveryMs) return;
    await this.#settings.nextTurn();
    this.#turnAt = this.#settings.now();
  }

  #offerState(state: unknown): void {
    const json = state === undefined ? undefined : JSON.stringify(state);
    this.#checkpointAt = this.#settings.now();
    if (json === undefined || json.length > stateLimitCharacters) return;
    this.#sequence++;
    const text = this.#random === null ? json : withRandom(json, this.#random.state());
    const { number } = this.handed;
    this.#settings.send(['checkpoint', number, this.#sequence, this.#progress, text]);
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

/** Ends an async task at a checkpoint when its attempt is no longer wanted. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

const randomPrefix = '{"$muster_random":[';

/** A task that has drawn random numbers resumes in the middle of its sequence. */
function withRandom(stateJson: string, random: RandomState): string {
  return `${randomPrefix}${random.join(',')}],"state":${stateJson}}`;
}
