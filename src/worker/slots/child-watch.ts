// The clock over the child of a slot: what runs there, for how long, and whether it still says anything.
// The child may be busy and deaf, so everything that must happen in time is decided here.

import {
  type ChildAttempt,
  type ChildAttempts,
  spentMs,
  wantsLastCheckpoint,
} from './child-attempts.ts';
import type { Child } from './child.ts';
import { ClaimedPosition } from './claimed-position.ts';
import type { Timer } from './loose-timer.ts';

export interface WatchOptions {
  /** What the child was given. */
  readonly held: ChildAttempts;
  /** Null while there is none. */
  readonly child: () => Child | null;
  /** Time from the stop of a running attempt until its child is ended. */
  readonly softKillMs: number;
  /** It was seen to run. */
  readonly onStarted: (held: ChildAttempt) => void;
  /** It has run for as long as it may. */
  readonly onOverdue: (held: ChildAttempt) => void;
}

const lookEveryMs = 5;
const memoryEveryMs = 50;
/**
 * A child that begins no attempt for two seconds hangs in promises that an ended task left behind.
 * The bound counts looks, not time: while the agent itself is held up, signs of life wait unread.
 */
const signEveryMs = 10;
const silentLooksLimit = 200;
/** A child that has run nothing yet may only be slow to begin. */
const firstLooksLimit = 3000;
/** After so long an idle child is asked once whether it still answers. */
const idleCheckMs = 500;

export class ChildWatch {
  readonly #options: WatchOptions;
  #isClosed = false;
  #timer: Timer | null = null;
  #timerAt = 0;
  #heardAt = 0;
  #pingedAt: number | null = null;
  #silentLooks = 0;
  readonly #position: ClaimedPosition<ChildAttempt>;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#position = new ClaimedPosition(options.held);
  }

  /** A new child. */
  begin(): void {
    this.#pingedAt = null;
    this.#silentLooks = 0;
    this.#position.begin();
  }

  /** The child has said something. */
  heard(): void {
    this.#heardAt = performance.now();
    this.#silentLooks = 0;
  }

  /** The child was given something to do. */
  handedOver(): void {
    this.#pingedAt = null;
    this.lookSoon();
  }

  /** At the time of its last message. */
  readMemory(): void {
    this.#options.child()?.watchMemory(this.#heardAt, memoryEveryMs);
  }

  lookSoon(): void {
    this.#lookIn(lookEveryMs);
  }

  /** The child holds nothing any more: nobody has to be woken for the look that was due while it did. */
  lookWhenIdle(): void {
    this.#stopTimer();
    this.#lookIn(idleCheckMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  /** What runs, for how long, and is it time to do something about it. */
  look(): void {
    const first = this.#options.held.first();
    const child = this.#options.child();
    if (child === null || this.#isClosed) return;
    const now = performance.now();
    if (first === undefined) return this.#checkIdle(child, now);
    child.watchMemory(now, memoryEveryMs);
    // As the child noted it outside of the message channel.
    const running = this.#position.look(child.position());
    if (running === undefined) return this.#awaitSign(child);
    this.#silentLooks = 0;
    running.seenAt ??= now;
    const ranMs = now - running.seenAt;
    if (!running.isStarted && ranMs >= lookEveryMs - 1) this.#options.onStarted(running);
    const { timeoutMs } = running.task;
    const limitMs = timeoutMs === null ? null : timeoutMs - spentMs(running);
    if (limitMs !== null && ranMs >= limitMs && running.stop === null) {
      return this.#options.onOverdue(running);
    }
    if (running.stop !== null && running.killAt === null) {
      running.killAt = now + this.#options.softKillMs;
      // There is room for one order: it is for the attempt that runs, whatever else was stopped.
      child.noteStop(running.number, wantsLastCheckpoint(running.stop));
    }
    if (running.killAt !== null && now >= running.killAt) child.terminate('stopped');
    const ends = [running.killAt, limitMs === null ? null : running.seenAt + limitMs];
    const waits = ends.map((end) => (end === null || end <= now ? memoryEveryMs : end - now));
    this.#lookIn(running.isStarted ? Math.min(memoryEveryMs, ...waits) : lookEveryMs);
  }

  #lookIn(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (this.#timer !== null) {
      if (this.#timerAt <= at) return;
      this.#stopTimer();
    }
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.look();
    }, delayMs);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #checkIdle(child: Child, now: number): void {
    if (this.#pingedAt === null) {
      if (now - this.#heardAt < idleCheckMs) return this.#lookIn(idleCheckMs);
      this.#pingedAt = now;
      child.send(['ping']);
    }
    if (this.#heardAt < this.#pingedAt) this.#awaitSign(child);
  }

  #awaitSign(child: Child): void {
    const limit = child.position() === 0 ? firstLooksLimit : silentLooksLimit;
    if (++this.#silentLooks > limit) child.kill('unresponsive');
    else this.#lookIn(signEveryMs);
  }
}
