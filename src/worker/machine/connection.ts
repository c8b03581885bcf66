// The states of a worker's connection, and the pause between two connections.

import type { MachineTuning } from './port.ts';

/**
 * - `idle`: before `start`.
 * - `waiting`: the pause before the next try; left by the `reconnect` timer.
 * - `connecting`: a socket is being opened.
 * - `greeting`: `hello` is sent; left by `welcome`.
 * - `ready`: welcomed; reports may be sent.
 * - `ended`: after `exit`; all further inputs are ignored.
 */
export type Connection =
  | { readonly state: 'idle' }
  | { readonly state: 'waiting' }
  | { readonly state: 'connecting' }
  | { readonly state: 'greeting' }
  | ReadyConnection
  | { readonly state: 'ended' };

export interface ReadyConnection {
  readonly state: 'ready';
  readonly welcomedAtMs: number;
  readonly leaseMs: number;
  intervalMs: number;
  /** When the last message of the coordinator came. */
  heardAtMs: number;
  /** Newest `assign` received, 0 before the first. */
  assignSequence: number;
  /** Numbers of `assign` messages that did not come; they may still come late. */
  readonly missedSequences: Set<number>;
  /** The newest heartbeat, until it is answered. */
  unanswered: { readonly heartbeatId: number; readonly sentAtMs: number } | null;
}

export function isConnected(connection: Connection): boolean {
  const { state } = connection;
  return state === 'connecting' || state === 'greeting' || state === 'ready';
}

/** Missed numbers that are remembered, at most. */
const missedMax = 64;

/**
 * Notes the number of an `assign` message; false when the message is a repeat and must be ignored.
 */
export function noteSequence(connection: ReadyConnection, sequence: number): boolean {
  const { assignSequence, missedSequences } = connection;
  if (sequence <= assignSequence) return missedSequences.delete(sequence);
  for (let missed = assignSequence + 1; missed < sequence; missed++) {
    if (missedSequences.size >= missedMax) break;
    missedSequences.add(missed);
  }
  connection.assignSequence = sequence;
  return true;
}

/** Exponential backoff with full jitter; it never gives up. */
export class Backoff {
  readonly #tuning: MachineTuning;
  readonly #random: () => number;
  #failures = 0;

  constructor(tuning: MachineTuning, random: () => number) {
    this.#tuning = tuning;
    this.#random = random;
  }

  /** True for the first failure since the last `reset`. */
  get isFirst(): boolean {
    return this.#failures === 0;
  }

  nextMs(): number {
    const { reconnectMinMs, reconnectMaxMs } = this.#tuning;
    // 2^30 · 1 ms is past every sensible maximum.
    const bound = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return Math.round(this.#random() * bound);
  }

  reset(): void {
    this.#failures = 0;
  }
}
