// When a worker of a trace was there for work, and when not.

import type { PresenceSpan } from '../scenario/plan.ts';
import type { PauseReason } from './trace-format.ts';
import type { Move } from './trace.ts';

export interface Stays {
  readonly joinsAtMs: number;
  /** From then on; the last goes on for ever. */
  readonly spans: readonly PresenceSpan[];
}

/** No span is shorter: time goes on. */
const leastMs = 10;

interface Stay {
  readonly from: number;
  to: number;
  goes: PresenceSpan['goes'];
}

/**
 * A worker that is told to take nothing, or that rests, is away, and hands its work back. One whose connection broke
 * and came back was there all the time. One that was lost had gone when its connection broke, or a lease before that
 * was noticed. As it was at the end it stays.
 */
export function staysOf(moves: readonly Move[], leaseMs: number): Stays | null {
  const stays = new Following(leaseMs).follow(moves);
  const first = stays[0];
  if (first === undefined) return null;
  const spans = stays.flatMap(({ from, to, goes }, i): PresenceSpan[] => {
    const here = { isHere: true, forMs: to - from, goes };
    const next = stays[i + 1];
    if (to === Infinity) return [here];
    return [here, { isHere: false, forMs: next === undefined ? Infinity : next.from - to, goes }];
  });
  return { joinsAtMs: Math.max(0, first.from), spans };
}

class Following {
  readonly #leaseMs: number;
  readonly #stays: Stay[] = [];
  readonly #pauses = new Set<PauseReason>();
  #isConnected = false;
  /** Since when its connection is broken. */
  #brokenAt: number | null = null;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  follow(moves: readonly Move[]): readonly Stay[] {
    for (const move of moves) this.#take(move);
    return this.#stays;
  }

  #take(move: Move): void {
    const { at_ms: at } = move;
    switch (move.type) {
      case 'worker_joined':
        this.#brokenAt = null;
        this.#isConnected = true;
        return this.#settle(at, 'cut');
      case 'worker_gone':
        return this.#gone(move.why, at);
      case 'worker_paused':
        // Whoever fails too much is found out anew when it is played.
        if (move.why !== 'quarantined') this.#pauses.add(move.why);
        return this.#settle(at, 'leaves');
      case 'worker_resumed':
        this.#pauses.delete(move.why);
        return this.#settle(at, 'leaves');
    }
  }

  #gone(why: 'disconnected' | 'lost' | 'left' | 'removed', at: number): void {
    if (why === 'disconnected') {
      this.#brokenAt ??= at;
      return;
    }
    const wentAt = why === 'lost' ? (this.#brokenAt ?? at - this.#leaseMs) : at;
    this.#isConnected = false;
    this.#brokenAt = null;
    this.#pauses.delete('leaving');
    this.#pauses.delete('resting');
    this.#settle(wentAt, why === 'lost' ? 'cut' : 'leaves');
  }

  #settle(at: number, goes: PresenceSpan['goes']): void {
    const isHere = this.#isConnected && this.#pauses.size === 0;
    const last = this.#stays.at(-1);
    const wasHere = last?.to === Infinity;
    if (isHere && !wasHere) {
      const from = last === undefined ? at : Math.max(at, last.to + leastMs);
      this.#stays.push({ from, to: Infinity, goes: 'cut' });
    }
    if (!isHere && last !== undefined && wasHere) {
      last.to = Math.max(at, last.from + leastMs);
      last.goes = goes;
    }
  }
}
