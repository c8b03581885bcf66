// Repeats a request that got no answer, or the answer "later": how often, and for how long.

import type { QuotaName } from '../protocol/quotas.ts';
import { ConnectionError, MusterError } from './errors.ts';

export interface PatienceOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to repeat the request after its first failure; 0 asks once. */
  readonly patienceMs: number | (() => number);
  /** Called when a request has failed and will be repeated. */
  readonly onInterruption?: ((error: ConnectionError | MusterError) => void) | undefined;
}

const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const OVERLOADED = 429;
const SHUTTING_DOWN = 503;

export class Patience {
  readonly #options: PatienceOptions;
  #brokenAt: number | null = null;
  #pauseMs = SHORTEST_PAUSE_MS;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** An answer has come: the patience begins anew with the next failure. */
  renew(): void {
    this.#brokenAt = null;
    this.#pauseMs = SHORTEST_PAUSE_MS;
  }

  /** Waits until it is time to ask again, or throws the error. */
  async exercise(error: unknown): Promise<void> {
    const patienceMs = this.#patienceMs();
    if (!isPassing(error) || patienceMs <= 0) throw error;
    const { onInterruption, signal } = this.#options;
    this.#brokenAt ??= performance.now();
    const leftMs = this.#brokenAt + patienceMs - performance.now();
    const toldMs = retryAfterMs(error);
    if (leftMs <= 0 || toldMs > leftMs) throw error;
    // The pauses are spread out: all clients of a coordinator that restarts would ask at the same time.
    const ownMs = this.#pauseMs * (0.75 + Math.random() / 2);
    onInterruption?.(error);
    await pause(Math.max(toldMs, Math.min(ownMs, leftMs)), signal);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }

  #patienceMs(): number {
    const { patienceMs } = this.#options;
    return typeof patienceMs === 'number' ? patienceMs : patienceMs();
  }
}

/** Repeats a request that is harmless when it is made twice. */
export async function patiently<T>(options: PatienceOptions, ask: () => Promise<T>): Promise<T> {
  const patience = new Patience(options);
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      await patience.exercise(error);
    }
  }
}

const lastingReasons: ReadonlySet<string> = new Set(['not_muster', 'untrusted']);

/** True when there was no answer, or one that says "later". */
export function isPassing(error: unknown): error is ConnectionError | MusterError {
  if (error instanceof ConnectionError) return !lastingReasons.has(error.reason);
  if (!(error instanceof MusterError) || isStanding(error)) return false;
  return error.status === SHUTTING_DOWN || error.status === OVERLOADED;
}

/** Used up until something ends or is deleted: that is for a person to know, not to wait for. */
const standingQuotas: ReadonlySet<string> = new Set([
  'open_jobs',
  'queued_tasks',
  'stored_bytes',
  'sockets',
  'highest_priority',
] satisfies QuotaName[]);

function isStanding({ quota }: MusterError): boolean {
  return quota !== null && standingQuotas.has(quota);
}

function retryAfterMs(error: ConnectionError | MusterError): number {
  return error instanceof MusterError ? 1000 * (error.retryAfterSeconds ?? 0) : 0;
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(done, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
    function done() {
      signal?.removeEventListener('abort', abort);
      resolve();
    }
  });
}
