// Sends the draft: all of it, or one input of it to try.

import { getBlob } from '../../../../client/blobs.ts';
import { ConnectionError } from '../../../../client/errors.ts';
import { newIdempotencyKey } from '../../../../client/idempotency-key.ts';
import { Patience } from '../../../../client/patience.ts';
import { requestText } from '../../../../client/request.ts';
import { STREAM_PATIENCE_MS, STREAM_SILENCE_MS } from '../../../../client/stream-times.ts';
import { type StreamedJob, submit, submitStream } from '../../../../client/submit.ts';
import { blobReferenceOf } from '../../../../protocol/blob-reference.ts';
import type { JobSummary, TaskDetail } from '../../../../protocol/resources.ts';
import { endpoint, isUnauthorized, pathOfJob, read } from '../../store/endpoint.ts';
import { refusalOfToken } from '../../store/session.ts';
import type { Draft } from './draft.ts';
import type { InputFormat } from './input-format.ts';
import { readInputs } from './input-reader.ts';
import { readOptions } from './options.ts';

/** A draft that is sent again unchanged, as no answer came, makes one job. */
const keys = new WeakMap<Draft, string>();
/** A try is nothing that anybody looks for later. */
const tryKeptSeconds = 3600;

interface Sent {
  readonly format: InputFormat;
  readonly source: Blob | null;
  readonly signal: AbortSignal;
  /** So many inputs were read; all of them when `isWhole`: then they are on their way. */
  readonly onRead: (count: number, isWhole: boolean) => void;
}

export async function sendDraft(draft: Draft, sent: Sent): Promise<JobSummary> {
  const { format, source, signal } = sent;
  const idempotencyKey = keys.get(draft) ?? newIdempotencyKey();
  keys.set(draft, idempotencyKey);
  const options = { signal, idempotencyKey };
  const job = jobOf(draft);
  const made = await noting(async () => {
    if (format !== 'range') return submitStream(endpoint, job, inputsOf(sent), options);
    const range = { start: Number(draft.start), count: Number(draft.count) };
    return submit(endpoint, { ...job, inputs: { range } }, options);
  });
  // Who sends it once more wants another one.
  keys.delete(draft);
  return made;

  async function* inputsOf({ onRead }: Sent): AsyncGenerator<unknown, void, void> {
    let count = 0;
    if (format === 'range' || source === null) return;
    for await (const { value } of readInputs(format, source)) {
      yield value;
      count++;
      if (count % 10_000 === 0) onRead(count, false);
    }
    onRead(count, true);
  }
}

function jobOf(draft: Draft): StreamedJob {
  return {
    program: { kind: 'javascript', source: draft.program },
    ...readOptions(draft.options).options,
  };
}

export interface TryOutcome {
  readonly jobId: string;
  readonly result: { readonly value: unknown } | null;
  readonly task: TaskDetail;
  /** What it printed; empty when it printed nothing. */
  readonly printed: string;
}

/** `onJob`: it is submitted, and waits or runs. */
export function tryOne(
  draft: Draft,
  first: unknown,
  { signal, onJob }: { readonly signal: AbortSignal; readonly onJob: (jobId: string) => void },
): Promise<TryOutcome> {
  const { hold: _, ...job } = jobOf(draft);
  const tried: StreamedJob = {
    ...job,
    name: `${job.name ?? 'job'} (try)`,
    max_attempts: 1,
    keep_output: 'always',
    retain_seconds: tryKeptSeconds,
  };
  return noting(async () => {
    const { id } = await submitStream(endpoint, tried, [first], { signal });
    onJob(id);
    const task = await taskAtEnd(id, signal);
    const result = task.status === 'completed' ? { value: await resultOf(task, signal) } : null;
    const path = pathOfTask(id);
    const hasPrinted = task.attempts.some(({ output_available: isThere }) => isThere === true);
    const printed = hasPrinted ? await printedBy(`${path}/output`, signal) : '';
    return { jobId: id, result, task, printed };
  });
}

const pathOfTask = (jobId: string): string => `${pathOfJob(jobId)}/tasks/0`;

/** The stream of results tells when; what came of the task it tells itself. */
async function taskAtEnd(jobId: string, signal: AbortSignal): Promise<TaskDetail> {
  const patience = new Patience({ signal, patienceMs: STREAM_PATIENCE_MS });
  for (;;) {
    try {
      const pieces = requestText(endpoint, `${pathOfJob(jobId)}/results`, {
        query: { follow: true },
        signal,
        silenceMs: STREAM_SILENCE_MS,
      });
      for await (const _ of pieces) patience.renew();
      const task = await read<TaskDetail>(pathOfTask(jobId), {}, signal);
      if (task.completed_at !== null) return task;
      // A coordinator that stops ends its streams in order.
      throw new ConnectionError(endpoint.url, 'interrupted');
    } catch (error) {
      await patience.exercise(error);
    }
  }
}

/** One beyond the limit for results is kept as a blob. */
async function resultOf({ result }: TaskDetail, signal: AbortSignal): Promise<unknown> {
  const sha256 = blobReferenceOf(JSON.stringify(result));
  return sha256 === undefined ? result : getBlob(endpoint, { $blob: sha256 }, { signal });
}

async function printedBy(path: string, signal: AbortSignal): Promise<string> {
  let text = '';
  for await (const piece of requestText(endpoint, path, { signal })) text += piece;
  return text;
}

/** That a token is asked for is noted. */
export async function noting<T>(action: () => Promise<T>): Promise<T> {
  const refuse = refusalOfToken();
  try {
    return await action();
  } catch (error) {
    if (isUnauthorized(error)) refuse(error.message);
    throw error;
  }
}
