// Results as they come. A stream that follows a job outlives its connection: when the coordinator
// is started again, the stream asks anew and leaves out what it has given before.

import type { TaskResult } from '../protocol/resources.ts';
import { ConnectionError, MusterError } from './errors.ts';
import { jobHead, jobPath } from './job-head.ts';
import { linesOf } from './ndjson.ts';
import { type Endpoint, requestText } from './request.ts';

export interface ResultsOptions {
  /** Stay until the job is final, in order of completion; otherwise what is there, in index order. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** How long to keep asking after the connection broke; 60 s by default. Only with `follow`. */
  readonly patienceMs?: number;
  /** Told when the connection broke and the next attempt to connect is due. */
  readonly onInterruption?: (error: ConnectionError | MusterError) => void;
}

const PATIENCE_MS = 60_000;
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const SHUTTING_DOWN = 503;

export async function* results(
  endpoint: Endpoint,
  jobId: string,
  options: ResultsOptions = {},
): AsyncGenerator<TaskResult, void, void> {
  for await (const { result } of resultLines(endpoint, jobId, options)) yield result;
}

/** Each result beside its text as it was sent: numbers may be larger than JavaScript can hold. */
export async function* resultLines(
  endpoint: Endpoint,
  jobId: string,
  options: ResultsOptions = {},
): AsyncGenerator<{ readonly text: string; readonly result: TaskResult }, void, void> {
  const seen = new IndexSet();
  const patience = new Patience(options);
  for (;;) {
    try {
      for await (const text of openLines(endpoint, jobId, options)) {
        patience.renew();
        const result = JSON.parse(text) as TaskResult;
        if (seen.has(result.index)) continue;
        seen.add(result.index);
        yield { text, result };
      }
      patience.renew();
      if (options.follow !== true) return;
      // A coordinator that stops ends its streams in order, too.
      if ((await jobHead(endpoint, jobId, options.signal)).completed_at !== null) return;
      throw new ConnectionError(endpoint.url, 'interrupted');
    } catch (error) {
      await patience.exercise(error);
    }
  }
}

/** How long, and how often, a stream that has begun is asked for again. */
class Patience {
  readonly #options: ResultsOptions;
  #hasBegun = false;
  #brokenAt: number | null = null;
  #pauseMs = SHORTEST_PAUSE_MS;

  constructor(options: ResultsOptions) {
    this.#options = options;
  }

  /** Something came. */
  renew(): void {
    this.#hasBegun = true;
    this.#brokenAt = null;
    this.#pauseMs = SHORTEST_PAUSE_MS;
  }

  /** Waits until it is time to ask again, or throws the error. */
  async exercise(error: unknown): Promise<void> {
    const { follow, patienceMs = PATIENCE_MS, onInterruption, signal } = this.#options;
    if (follow !== true || !isPassing(error)) throw error;
    // The first try is not patient: a wrong address should say so at once.
    const isBreak = error instanceof ConnectionError && error.reason === 'interrupted';
    if (!this.#hasBegun && !isBreak) throw error;
    this.#hasBegun = true;
    this.#brokenAt ??= performance.now();
    if (performance.now() - this.#brokenAt > patienceMs) throw error;
    onInterruption?.(error);
    await pause(this.#pauseMs, signal);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }
}

/** No answer, or one that says "later". */
function isPassing(error: unknown): error is ConnectionError | MusterError {
  if (error instanceof ConnectionError) return error.reason !== 'not_muster';
  return error instanceof MusterError && error.status === SHUTTING_DOWN;
}

function openLines(
  endpoint: Endpoint,
  jobId: string,
  { follow, signal }: ResultsOptions,
): AsyncGenerator<string, void, void> {
  return linesOf(
    requestText(endpoint, `${jobPath(jobId)}/results`, {
      headers: { accept: 'application/x-ndjson' },
      query: { follow: follow === true ? true : undefined },
      signal,
    }),
  );
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
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

/** A bit for every index: a million results seen cost 125 kB. */
class IndexSet {
  size = 0;
  #bits = new Uint8Array(1024);

  has(index: number): boolean {
    return ((this.#bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  add(index: number): void {
    const byte = index >> 3;
    if (byte >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(byte + 1, 2 * this.#bits.length));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[byte]! |= 1 << (index & 7);
    this.size++;
  }
}
