// Results as they come. A stream that follows a job outlives its connection: it asks anew for what it has
// not given yet. A task that was retried has a second result, which replaces the first.

import type { TaskResult } from '../protocol/resources.ts';
import { ConnectionError, type MusterError } from './errors.ts';
import { jobHead, jobPath } from './job-head.ts';
import { linesOf } from './ndjson.ts';
import { Patience } from './patience.ts';
import { type Endpoint, requestText } from './request.ts';
import { ResultLedger } from './result-ledger.ts';

export interface ResultsOptions {
  /** Stay until the job is final, in order of completion; otherwise what is there, in index order. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** How long to keep asking after the connection broke; 60 s by default. Only with `follow`. */
  readonly patienceMs?: number;
  /** Told when the connection broke and the next attempt to connect is due. */
  readonly onInterruption?: (error: ConnectionError | MusterError) => void;
}

export interface ResultLine {
  /** As it was sent: numbers may be larger than JavaScript can hold. */
  readonly text: string;
  readonly result: TaskResult;
  /** There was one of this index before, `failed` or `cancelled`; this one counts. */
  readonly replaces: boolean;
}

export const STREAM_PATIENCE_MS = 60_000;
/** The coordinator gives a sign of life every 15 s. */
export const STREAM_SILENCE_MS = 45_000;

export async function* results(
  endpoint: Endpoint,
  jobId: string,
  options: ResultsOptions = {},
): AsyncGenerator<TaskResult, void, void> {
  for await (const { result } of resultLines(endpoint, jobId, options)) yield result;
}

export async function* resultLines(
  endpoint: Endpoint,
  jobId: string,
  options: ResultsOptions = {},
): AsyncGenerator<ResultLine, void, void> {
  const { follow, patienceMs = STREAM_PATIENCE_MS } = options;
  const ledger = new ResultLedger();
  const patience = new Patience({ ...options, patienceMs });
  let wasFinal = false;
  for (;;) {
    try {
      const pieces = openText(endpoint, jobId, options, ledger.have);
      for await (const text of linesOf(renewing(patience, pieces))) {
        const result = JSON.parse(text) as TaskResult;
        const what = ledger.enter(text, result);
        if (what !== 'known') yield { text, result, replaces: what === 'replaces' };
      }
      patience.renew();
      if (follow !== true) return;
      // A coordinator that stops ends its streams in order, too; by now it may be back, and the job
      // final, with results that this stream has not seen: then it is asked once more.
      const head = await jobHead(endpoint, jobId, options.signal);
      if (head.completed_at === null) throw new ConnectionError(endpoint.url, 'interrupted');
      if (wasFinal || !(ledger.size < head.task_count)) return;
      wasFinal = true;
    } catch (error) {
      // Where nobody has ever answered the address may be wrong: that should be said at once.
      if (follow !== true || !endpoint.state.hasAnswered) throw error;
      await patience.exercise(error);
    }
  }
}

function openText(
  endpoint: Endpoint,
  jobId: string,
  { follow, signal }: ResultsOptions,
  have: string | undefined,
): AsyncGenerator<string, void, void> {
  return requestText(endpoint, `${jobPath(jobId)}/results`, {
    headers: { accept: 'application/x-ndjson' },
    query: { follow: follow === true ? true : undefined, have },
    signal,
    ...(follow === true ? { silenceMs: STREAM_SILENCE_MS } : {}),
  });
}

/** A sign of life is an empty line: nothing to give, but the coordinator is there. */
async function* renewing(patience: Patience, pieces: AsyncIterable<string>) {
  for await (const piece of pieces) {
    patience.renew();
    yield piece;
  }
}
