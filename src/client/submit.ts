// Two ways to submit: everything in one JSON body, or a stream of inputs of any length.

import type { JobSubmission, JobSummary } from '../protocol/resources.ts';
import { ndjsonOf } from './ndjson.ts';
import { type Endpoint, requestJson } from './request.ts';

export interface SubmitOptions {
  readonly signal?: AbortSignal;
  /** The same key and body give the same job, however often they are sent. */
  readonly idempotencyKey?: string;
}

export type StreamedJob = Omit<JobSubmission, 'inputs' | 'task_priorities'>;

export function submit(
  endpoint: Endpoint,
  job: JobSubmission,
  options: SubmitOptions = {},
): Promise<JobSummary> {
  return requestJson(endpoint, '/api/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...idempotency(options) },
    body: JSON.stringify(job),
    signal: options.signal,
  });
}

export async function submitStream(
  endpoint: Endpoint,
  job: StreamedJob,
  inputs: Iterable<unknown> | AsyncIterable<unknown>,
  options: SubmitOptions = {},
): Promise<JobSummary> {
  const source = new InputSource(inputs);
  const pieces = ndjsonOf(job, source);
  try {
    return await requestJson(endpoint, '/api/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...idempotency(options) },
      body: isPage() ? await blobOf(pieces) : streamOf(pieces),
      signal: options.signal,
      streamsBody: true,
    });
  } catch (error) {
    // `fetch` reports an error in the inputs as a broken connection: tell the error itself.
    throw source.error === undefined ? error : source.error.cause;
  }
}

function idempotency({ idempotencyKey }: SubmitOptions): Record<string, string> {
  return idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
}

/** Remembers why reading the inputs failed. */
class InputSource {
  error: { readonly cause: unknown } | undefined;
  private readonly inputs: Iterable<unknown> | AsyncIterable<unknown>;

  constructor(inputs: Iterable<unknown> | AsyncIterable<unknown>) {
    this.inputs = inputs;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, void> {
    try {
      yield* this.inputs;
    } catch (cause) {
      this.error = { cause };
      throw cause;
    }
  }
}

/** Pages cannot stream a request body over HTTP/1.1; their blobs may lie on disk. */
function isPage(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis;
}

async function blobOf(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<Blob> {
  const parts: Blob[] = [];
  for await (const piece of pieces) parts.push(new Blob([piece]));
  return new Blob(parts);
}

function streamOf(
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return();
    },
  });
}
