// Results as they come. When the connection of a stream that follows a job breaks, it asks again
// for the results that it has not given yet. A task that was retried has a second result, which
// replaces the first.

import type { JobSummary, TaskResult } from '../protocol/resources.ts';
import { ConnectionError, type MusterError } from './errors.ts';
import { jobHead, jobPath } from './job-head.ts';
import { withValues } from './large-values.ts';
import { linesOf } from './ndjson.ts';
import { Patience } from './patience.ts';
import { type Endpoint, type OpenText, requestText } from './request.ts';
import { ResultLedger } from './result-ledger.ts';
import type { ResultLine } from './result-line.ts';
import { STREAM_PATIENCE_MS, STREAM_SILENCE_MS } from './stream-times.ts';

export interface ResultsOptions {
  /** Stay until the job is final, in order of completion; otherwise present results in index order. */
  readonly follow?: boolean;
  /**
   * A value that is larger than the limit for results is kept as a blob. By default it is fetched and stands
   * in the result as any other; with `true` the result has its reference, `{ $blob }`, which `getBlob` takes.
   */
  readonly references?: boolean;
  readonly signal?: AbortSignal;
  /** How long to keep asking after the connection broke; 60 s by default. Only with `follow`. */
  readonly patienceMs?: number;
  /** Called when the connection broke, before the pause that precedes the next try. */
  readonly onInterruption?: (error: ConnectionError | MusterError) => void;
}

export async function* results(
  endpoint: Endpoint,
  jobId: string,
  options: ResultsOptions = {},
): AsyncGenerator<TaskResult, void, void> {
  for await (const { result } of resultLines(endpoint, jobId, options)) yield result;
}

export function resultLines(
  endpoint: Endpoint,
  jobId: string,
  options: ResultsOptions = {},
  /** A stream that has begun, of the same job, with `follow`. */
  begun?: OpenText,
): AsyncGenerator<ResultLine, void, void> {
  if (options.references === true) return linesAsSent(endpoint, jobId, options, begun);
  const { patienceMs = STREAM_PATIENCE_MS } = options;
  const open = (signal: AbortSignal) => linesAsSent(endpoint, jobId, { ...options, signal }, begun);
  return withValues(endpoint, open, { ...options, patienceMs });
}

async function* linesAsSent(
  endpoint: Endpoint,
  jobId: string,
  options: ResultsOptions,
  begun: OpenText | undefined,
): AsyncGenerator<ResultLine, void, void> {
  const { follow, patienceMs = STREAM_PATIENCE_MS } = options;
  const ledger = new ResultLedger();
  const patience = new Patience({ ...options, patienceMs });
  let wasFinal = false;
  let opened = begun;
  let isWhole = false;
  for (;;) {
    try {
      const pieces =
        opened?.read(options.signal) ?? openText(endpoint, jobId, options, ledger.have);
      opened = undefined;
      // A sign of life is an empty line, so it counts too.
      for await (const text of linesOf(pieces, () => patience.renew())) {
        const result = JSON.parse(text) as TaskResult | LastLine;
        if ('job' in result) {
          // The end is read, too: then the connection is there for others.
          isWhole = ledger.size >= result.job.task_count;
          continue;
        }
        const what = ledger.enter(text, result);
        if (what !== 'known') yield { text, result, replaces: what === 'replaces' };
      }
      if (isWhole) return;
      patience.renew();
      if (follow !== true) return;
      // A coordinator that stops also ends its streams in order. It may be back by now and the job may be
      // final, with results that this stream has not given: then the stream asks once more.
      const head = await jobHead(endpoint, jobId, options.signal);
      if (head.completed_at === null) throw new ConnectionError(endpoint.url, 'interrupted');
      if (wasFinal || !(ledger.size < head.task_count)) return;
      wasFinal = true;
    } catch (error) {
      if (isWhole) return;
      if (follow !== true) {
        await refuseRemoved(endpoint, jobId, options, error);
        throw error;
      }
      // If nobody has ever answered, the address may be wrong: the caller should learn that at once.
      if (!endpoint.state.hasAnswered) throw error;
      await patience.exercise(error);
    }
  }
}

/** The end of a stream that has begun with the submission. */
interface LastLine {
  readonly job: JobSummary;
}

/** A list breaks off when its job is removed while it is sent. Then that is the answer, and not the connection. */
async function refuseRemoved(
  endpoint: Endpoint,
  jobId: string,
  { signal }: ResultsOptions,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ConnectionError) || error.reason !== 'interrupted') return;
  const asked = jobHead(endpoint, jobId, signal);
  await asked.catch((reason: unknown) => {
    if ((reason as { readonly code?: unknown }).code === 'unknown_job') throw reason;
  });
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
