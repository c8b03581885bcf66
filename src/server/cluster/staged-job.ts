// A job whose lines this member reads, and whose inputs it puts in the database, while the leader decides about it: to the
// leader go its first line and receipts. Nothing is read of it before the leader takes it. Its key is of that leader: when another
// one leads, it has to be sent again.

import type { ClientRequest, IncomingMessage, InformationEvent } from 'node:http';
import type { InputStage } from '../../coordinator/port/jobs.ts';
import { inputReferences } from '../../protocol/blob-reference.ts';
import { inputsLost } from '../../protocol/errors.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { IdempotencyKey } from '../idempotency.ts';
import type { InFlight } from '../in-flight.ts';
import { JobLines } from '../job-lines.ts';
import { jobKeyOf, type JobReceipt, jobReceiptLine, lineRefusalOf } from '../job-receipts.ts';
import { ClientGone, Refusal } from '../refusal.ts';
import { discardRest } from '../request-body.ts';
import { stagedHeader, unwantedStatus, wantedStatus } from '../staged-receipts.ts';
import type { PassedBody } from './passed-body.ts';

/** How long nothing is told of a body that comes slowly. */
const untoldMs = 5_000;
/** Blobs that are named in one receipt. */
const blobsAtOnce = 1_000;

export interface StagedJobOptions {
  readonly stage: InputStage;
  readonly limits: Limits;
  readonly inFlight: InFlight;
  /** Null when the request has none that could count. */
  readonly key: IdempotencyKey | null;
}

export class StagedJob implements PassedBody {
  readonly framing: readonly string[];
  failure: Error | null = null;
  readonly #message: IncomingMessage;
  readonly #options: StagedJobOptions;
  readonly #lines: JobLines;
  /** Who takes it; null before, and after. */
  #taker: ClientRequest | null = null;
  #hasBegun = false;
  #isReading = false;
  /** Aborted when nothing more is wanted. */
  readonly #over = new AbortController();
  #hasSentLast = false;
  /** Under which its inputs are stored; null when nobody says that any more. */
  readonly #jobKey = Promise.withResolvers<number | null>();
  /** There when something may be stored. */
  #stagedKey: number | null = null;
  /** Ends when what was given to the database last is there, or is not. */
  #storing: Promise<unknown> = Promise.resolve();
  /** There is room for its inputs, as far as is known. */
  #isWanted = true;
  #count = 0;
  #characters = 0;
  #toldAt = 0;

  constructor(message: IncomingMessage, options: StagedJobOptions) {
    this.#message = message;
    this.#options = options;
    this.#lines = new JobLines(options.limits, {
      begin: async (line) => this.#tell(['job', line.toString('base64'), options.stage.member]),
      store: (inputs) => this.#store(inputs),
    });
    const announced = message.headers['content-length'] ?? '-';
    this.framing = ['Transfer-Encoding', 'chunked', stagedHeader, announced];
  }

  get isUntouched(): boolean {
    return !this.#hasBegun;
  }

  get isKept(): boolean {
    return !this.#hasBegun;
  }

  get isUnfinished(): boolean {
    return !this.#hasSentLast;
  }

  sendTo(upstream: ClientRequest): void {
    if (this.failure !== null) return void upstream.destroy(this.failure);
    upstream.on('information', ({ statusCode, headers }: InformationEvent) => {
      if (this.#isOver || upstream.destroyed) return;
      if (statusCode === wantedStatus) this.#begin(upstream);
      else if (statusCode === unwantedStatus) this.#isWanted = false;
      else this.#jobKey.resolve(jobKeyOf(headers));
    });
    // The leader is asked before there is anything to tell.
    upstream.flushHeaders();
  }

  stop(): void {
    if (this.#hasBegun) this.forget();
    this.#taker = null;
  }

  /** Whatever was answered, no more lines are wanted. */
  forget(): void {
    this.#over.abort();
    this.#jobKey.resolve(null);
  }

  end(): void {
    this.forget();
    const taker = this.#taker;
    if (taker !== null && !taker.writableEnded) taker.end();
    // Nothing more is stored after that. What belongs to a job by now is not this member's, and stays.
    void this.#storing.then(() => this.#drop());
    // Whoever reads drops the rest itself.
    if (!this.#isReading) discardRest(this.#message);
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  #begin(taker: ClientRequest): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#taker = taker;
    void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      const last = await this.#read();
      if (last !== null) this.#sendLast(last);
    } catch (error) {
      this.failure = error as Error;
      // An answer that has begun is told to its end.
      if (!this.#isOver) this.#taker?.destroy();
    } finally {
      this.#isReading = false;
      if (this.#isOver) discardRest(this.#message);
    }
  }

  /** Null when it is over before. */
  async #read(): Promise<JobReceipt | null> {
    const { inFlight } = this.#options;
    const hold = inFlight.hold(false);
    try {
      const onBytes = (bytes: Buffer) => this.#hear(bytes);
      const rest = await this.#lines.read(this.#message, { inFlight, hold, onBytes });
      const bodyHash = this.#options.key?.finish().bodyHash ?? null;
      if (!this.#lines.hasStored) return ['few', bodyHash, rest];
      if (rest.length > 0) await this.#store(rest);
      return ['whole', bodyHash, this.#count, this.#characters];
    } catch (error) {
      if (this.#isOver) return null;
      const { destroyed: isGone, complete: isWhole } = this.#message;
      if (isGone && !isWhole) throw new ClientGone('The client went away.');
      const refusal = error instanceof Refusal ? lineRefusalOf(error) : undefined;
      if (refusal === undefined) throw error;
      return refusal;
    } finally {
      hold.release();
    }
  }

  #hear(bytes: Buffer): void {
    this.#refuseWhenOver();
    this.#options.key?.take(bytes);
    if (performance.now() - this.#toldAt >= untoldMs) this.#tellCount();
  }

  async #store(inputs: readonly string[]): Promise<void> {
    const from = this.#count;
    this.#count += inputs.length;
    this.#characters += inputs.reduce((sum, input) => sum + input.length, 0);
    this.#tellCount();
    // The leader looks for them before it takes the last receipt. What is stored here keeps them until then.
    const { blobs: found, haveBytes } = inputReferences(inputs, from);
    const blobs = [...found];
    for (let i = 0; i < blobs.length; i += blobsAtOnce) {
      this.#tell(['blobs', blobs.slice(i, i + blobsAtOnce), haveBytes]);
    }
    await this.#heard();
    const jobKey = await this.#jobKey.promise;
    this.#refuseWhenOver();
    if (jobKey === null) throw new Error('the leader has said no key of a job');
    if (!this.#isWanted) return this.#drop();
    this.#stagedKey = jobKey;
    const hashes = blobs.map(([sha256]) => sha256);
    const storing = this.#options.stage.stageInputs(jobKey, from, inputs, hashes);
    this.#storing = storing.catch(() => undefined);
    if (!(await storing) && this.#isWanted) throw new Refusal('busy', inputsLost);
  }

  #refuseWhenOver(): void {
    if (this.#isOver) throw new ClientGone('Nobody takes the job any more.');
  }

  #tellCount(): void {
    this.#toldAt = performance.now();
    this.#tell(['arrived', this.#count, this.#characters]);
  }

  #tell(receipt: JobReceipt): void {
    if (!this.#isOver) this.#taker?.write(jobReceiptLine(receipt));
  }

  /** A leader that takes long for what it was told is not told more meanwhile. */
  async #heard(): Promise<void> {
    const taker = this.#taker;
    const { signal } = this.#over;
    if (taker?.writableNeedDrain !== true || signal.aborted) return;
    await new Promise<void>((resolve) => {
      taker.once('drain', resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #sendLast(last: JobReceipt): void {
    if (this.#taker === null || this.#isOver) return;
    // Of what is refused it is known that nothing comes, whoever answers.
    this.#hasSentLast = last[0] !== 'refused';
    this.#taker.end(jobReceiptLine(last));
  }

  async #drop(): Promise<void> {
    const key = this.#stagedKey;
    this.#stagedKey = null;
    // What cannot be dropped now is dropped later.
    if (key !== null) await this.#options.stage.dropStaged(key).catch(() => undefined);
  }
}
