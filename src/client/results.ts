// Results as they come. A stream that follows a job outlives its connection: when the coordinator
// is started again, the stream asks anew and leaves out what it has given before.

import type { TaskResult } from '../protocol/resources.ts';
import { ConnectionError, type MusterError } from './errors.ts';
import { IndexSet } from '../protocol/index-set.ts';
import { jobHead, jobPath } from './job-head.ts';
import { linesOf } from './ndjson.ts';
import { Patience } from './patience.ts';
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

export const STREAM_PATIENCE_MS = 60_000;

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
  const { follow, patienceMs = STREAM_PATIENCE_MS } = options;
  const seen = new IndexSet();
  const patience = new Patience({ ...options, patienceMs });
  let wasFinal = false;
  for (;;) {
    try {
      for await (const text of openLines(endpoint, jobId, options)) {
        patience.renew();
        const result = JSON.parse(text) as TaskResult;
        if (seen.add(result.index)) yield { text, result };
      }
      patience.renew();
      if (follow !== true) return;
      // A coordinator that stops ends its streams in order, too; by now it may be back, and the job
      // final, with results that this stream has not seen: then it is asked once more.
      const head = await jobHead(endpoint, jobId, options.signal);
      if (head.completed_at === null) throw new ConnectionError(endpoint.url, 'interrupted');
      if (wasFinal || !(seen.size < head.task_count)) return;
      wasFinal = true;
    } catch (error) {
      // Where nobody has ever answered the address may be wrong: that should be said at once.
      if (follow !== true || !endpoint.state.hasAnswered) throw error;
      await patience.exercise(error);
    }
  }
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
