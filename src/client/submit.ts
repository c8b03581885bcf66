// Submits a job in one of two ways: everything in one JSON body, or a stream of inputs of any
// length. Every submission has an idempotency key, so that it can be repeated until it is answered
// and still makes one job.

import { payloadText } from '../protocol/codec.ts';
import type { JobSubmission, JobSummary } from '../protocol/resources.ts';
import type { Bytes } from './bytes.ts';
import { type ConnectionError, MusterError } from './errors.ts';
import { FollowedJob } from './followed-job.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import {
  assertInputs,
  assertJson,
  type InputRange,
  type Inputs,
  InputSource,
} from './input-source.ts';
import type { Payload } from './json-type.ts';
import { LargeInputs } from './large-inputs.ts';
import { ndjsonOf } from './ndjson.ts';
import { isPassing, Patience, patiently } from './patience.ts';
import { type Endpoint, requestJson, requestLines, type RequestOptions } from './request.ts';
import { withSharedValue } from './shared-value.ts';
import { STREAM_SILENCE_MS } from './stream-times.ts';

export interface SubmitOptions {
  readonly signal?: AbortSignal;
  /** The same key and body make one job, however often they are sent. By default a new key. */
  readonly idempotencyKey?: string;
  /**
   * How long to repeat the submission when no answer comes, or "later" (429, 503). By default 30 s, or
   * 3 s while this client has never been answered: the address may be wrong. 0 sends it once. A stream
   * of inputs is repeated only if the inputs can be read again: an array, a set, a map.
   */
  readonly patienceMs?: number;
  /** Called when the submission has failed and will be repeated. */
  readonly onInterruption?: (error: ConnectionError | MusterError) => void;
}

export type StreamedJob = Omit<JobSubmission, 'inputs' | 'task_priorities'>;

/** The body of `POST /api/jobs`. */
export type SubmittedJob<Input = unknown> = Omit<JobSubmission, 'inputs'> & {
  readonly inputs: readonly (Input & NoInfer<Payload<Input>>)[] | InputRange;
};

const PATIENCE_MS = 30_000;
const FIRST_PATIENCE_MS = 3_000;
/** Of some 64 KiB each. */
const GATHERED_PIECES = 2;

export async function submit(
  endpoint: Endpoint,
  job: JobSubmission,
  options: SubmitOptions = {},
): Promise<JobSummary> {
  return (await post(endpoint, job, options, new Posting(endpoint, false))).job;
}

/** The same, and the job is followed by the same request. */
export function submitAndFollow(
  endpoint: Endpoint,
  job: JobSubmission,
  options: SubmitOptions = {},
): Promise<FollowedJob> {
  return post(endpoint, job, options, new Posting(endpoint, true));
}

async function post(
  endpoint: Endpoint,
  given: JobSubmission,
  options: SubmitOptions,
  posting: Posting,
): Promise<FollowedJob> {
  const job = await withSharedValue(endpoint, given, options.signal);
  if (Array.isArray(job.inputs)) job.inputs.forEach(assertJson);
  const body = await bodyOf(endpoint, job, options.signal);
  const headers = { 'content-type': 'application/json', ...keyHeader(options) };
  const { signal } = options;
  return patiently({ ...options, patienceMs: patienceOf(endpoint, options) }, () =>
    posting.send(() => ({ headers, body, signal })),
  );
}

async function bodyOf(
  endpoint: Endpoint,
  job: JobSubmission,
  signal: AbortSignal | undefined,
): Promise<string> {
  const large = new LargeInputs(endpoint, signal);
  const haveBytes = Array.isArray(job.inputs) && job.inputs.some(isBytes);
  const body = haveBytes ? '' : JSON.stringify(job);
  if (!Array.isArray(job.inputs) || (!haveBytes && large.isShort(body))) return body;
  const inputs: unknown[] = [];
  for (const [index, input] of job.inputs.entries()) {
    if (isBytes(input)) {
      inputs.push(JSON.parse(await large.bytesToSend(input, index)));
      continue;
    }
    const text = payloadText(input);
    const sent = large.isShort(text) ? text : await large.toSend(text, index);
    inputs.push(sent === text ? input : JSON.parse(sent));
  }
  return JSON.stringify({ ...job, inputs });
}

function isBytes(input: unknown): input is Uint8Array {
  return input instanceof Uint8Array;
}

export interface StreamOptions extends SubmitOptions {
  /** Ends the reading of inputs. There will be no job then, unless all inputs had been read before. */
  readonly halt?: AbortSignal;
}

export async function submitStream(
  endpoint: Endpoint,
  job: StreamedJob,
  inputs: Inputs,
  options: StreamOptions = {},
): Promise<JobSummary> {
  return (await postStream(endpoint, job, inputs, { ...options, follows: false })).job;
}

/**
 * The same, and the job is followed by the same request. Many inputs that can be read only once are sent plainly: if
 * only the stream of results were refused, they could not be sent again.
 */
export function submitStreamAndFollow(
  endpoint: Endpoint,
  job: StreamedJob,
  inputs: Inputs,
  options: StreamOptions = {},
): Promise<FollowedJob> {
  return postStream(endpoint, job, inputs, { ...options, follows: true });
}

async function postStream(
  endpoint: Endpoint,
  given: StreamedJob,
  inputs: Inputs,
  options: StreamOptions & { readonly follows: boolean },
): Promise<FollowedJob> {
  assertInputs(inputs);
  const { halt, signal: ends } = options;
  const job = await withSharedValue(endpoint, given, halt ?? ends);
  const stop = options.follows ? (halt ?? ends) : halt;
  const source = new InputSource(inputs, new LargeInputs(endpoint, halt ?? ends), stop);
  source.check();
  const body = new StreamedBody(JSON.stringify(job), source);
  const headers = { 'content-type': 'application/x-ndjson', ...keyHeader(options) };
  const { signal } = options;
  const patience = new Patience({ ...options, patienceMs: patienceOf(endpoint, options) });
  if (options.follows) await body.gather();
  const posting = new Posting(endpoint, options.follows && body.canAlwaysBeSentAgain);
  for (;;) {
    try {
      const opened = async () => ({ headers, ...(await body.open()), signal });
      return await posting.send(opened);
    } catch (error) {
      // `fetch` reports an error in the inputs as a broken connection; the caller gets the error itself.
      if (source.error !== undefined) throw source.error.cause;
      if (!isPassing(error) || !body.canBeSentAgain) throw error;
      await patience.exercise(error);
    }
  }
}

type PostRequest = Pick<RequestOptions, 'headers' | 'body' | 'signal' | 'streamsBody'>;

/** Sends a submission, which may be repeated: once as one that is followed, then plainly. */
class Posting {
  readonly #endpoint: Endpoint;
  #follows: boolean;

  constructor(endpoint: Endpoint, follows: boolean) {
    this.#endpoint = endpoint;
    this.#follows = follows;
  }

  async send(make: () => PostRequest | Promise<PostRequest>): Promise<FollowedJob> {
    const request = { method: 'POST', ...(await make()) } as const;
    if (!this.#follows) {
      return new FollowedJob(this.#endpoint, await requestJson(this.#endpoint, path, request));
    }
    // Something on the way may hold back an answer that goes on; a short one gets through.
    this.#follows = false;
    try {
      return await this.#follow(request);
    } catch (error) {
      if (isAboutStreams(error)) return this.send(make);
      throw error;
    }
  }

  async #follow(request: PostRequest): Promise<FollowedJob> {
    const query = { follow: true };
    const how = { method: 'POST', ...request, query, silenceMs: STREAM_SILENCE_MS } as const;
    const answer = await requestLines(this.#endpoint, path, how);
    // The coordinator is older, and does not know of it.
    if ('whole' in answer) {
      return new FollowedJob(this.#endpoint, answer.whole as JobSummary);
    }
    const { job } = answer.first as { readonly job: JobSummary };
    return new FollowedJob(this.#endpoint, job, answer.rest);
  }
}

const path = '/api/jobs';

/** Refused is to follow, not the job. */
function isAboutStreams(error: unknown): boolean {
  if (!(error instanceof MusterError)) return false;
  return error.quota === 'streams' || error.code === 'overloaded';
}

function patienceOf({ state }: Endpoint, { patienceMs }: SubmitOptions): () => number {
  return () => patienceMs ?? (state.hasAnswered ? PATIENCE_MS : FIRST_PATIENCE_MS);
}

function keyHeader({ idempotencyKey }: SubmitOptions): Record<string, string> {
  return { 'idempotency-key': idempotencyKey ?? newIdempotencyKey() };
}

/** The body of a streamed job. Invariant: it has the same bytes every time it is sent. */
class StreamedBody {
  readonly #job: string;
  readonly #source: InputSource;
  #blob: Blob | undefined;
  /** Of inputs that can be read only once. */
  #gathered: Gathered | undefined;
  #hasGoneOn = false;

  /** `job` is the JSON text of its first line. */
  constructor(job: string, source: InputSource) {
    this.#job = job;
    this.#source = source;
  }

  get canBeSentAgain(): boolean {
    if (this.#gathered !== undefined) return !this.#hasGoneOn;
    return this.#blob !== undefined || this.#source.canBeginAnew;
  }

  /** However far it was sent. */
  get canAlwaysBeSentAgain(): boolean {
    return this.#gathered?.isWhole === true || this.#source.isRepeatable || isPage();
  }

  /** Reads inputs that can be read only once, as far as they are few: those can be sent again. */
  async gather(): Promise<void> {
    if (this.canAlwaysBeSentAgain) return;
    this.#gathered = await gathered(ndjsonOf(this.#job, this.#source));
  }

  async open(): Promise<Pick<RequestOptions, 'body' | 'streamsBody'>> {
    let all = this.#gathered;
    if (all === undefined) {
      const pieces = ndjsonOf(this.#job, this.#source);
      if (isPage()) {
        this.#blob ??= await blobOf(pieces);
        return { body: this.#blob, streamsBody: true };
      }
      if (!this.#source.isRepeatable) return { body: streamOf(pieces), streamsBody: true };
      all = await gathered(pieces);
    }
    // Few inputs need no stream, which costs more than they do.
    if (all.isWhole && all.pieces.length === 1) return { body: all.pieces[0]! };
    return { body: streamOf(this.#goOn(all)), streamsBody: true };
  }

  async *#goOn({ pieces, rest, isWhole }: Gathered): AsyncGenerator<Bytes, void, void> {
    yield* pieces;
    if (isWhole) return;
    this.#hasGoneOn = true;
    yield* rest;
  }
}

/** The first pieces of a body, and what comes behind them. */
interface Gathered {
  readonly pieces: readonly Bytes[];
  readonly rest: AsyncGenerator<Bytes, void, void>;
  /** Nothing does. */
  readonly isWhole: boolean;
}

async function gathered(rest: AsyncGenerator<Bytes, void, void>): Promise<Gathered> {
  const pieces: Bytes[] = [];
  while (pieces.length < GATHERED_PIECES) {
    const { done, value } = await rest.next();
    if (done === true) return { pieces, rest, isWhole: true };
    pieces.push(value);
  }
  return { pieces, rest, isWhole: false };
}

/** Pages cannot stream a request body over HTTP/1.1; they send a `Blob`, which may lie on disk. */
function isPage(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis;
}

async function blobOf(pieces: AsyncIterable<Bytes>): Promise<Blob> {
  const parts: Blob[] = [];
  for await (const piece of pieces) parts.push(new Blob([piece]));
  return new Blob(parts);
}

function streamOf(pieces: AsyncGenerator<Bytes, void, void>): ReadableStream<Bytes> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return();
      },
    },
    // No input is read before there is a connection to send it on.
    { highWaterMark: 0 },
  );
}
