// A body that this member puts in the database while the leader decides about it: to the leader go receipts. Nothing is read
// of it before the leader takes it, and while no leader does, it waits. What is staged is good for whoever leads next.

import { createHash } from 'node:crypto';
import type { ClientRequest, IncomingMessage, InformationEvent } from 'node:http';
import type { BlobStage, StageDraft } from '../../coordinator/port/blobs.ts';
import { leastBodyRate } from '../body-pace.ts';
import { ClientGone, Refusal } from '../refusal.ts';
import { bodyPieces, discardRest } from '../request-body.ts';
import { type Receipt, receiptLine, stagedHeader, wantedStatus } from '../staged-receipts.ts';
import type { PassedBody } from './passed-body.ts';

/** A shorter body costs the leader less than what is said about it. */
const leastBytes = 256 * 1024;
/** How far what was told is behind at the most, while bytes come. */
const untoldBytes = 256 * 1024;
const untoldMs = 5_000;

/** Whether the body is long, or nobody knows how long it is. */
export function isLong({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > leastBytes;
}

export class StagedBody implements PassedBody {
  readonly framing: readonly string[];
  failure: Error | null = null;
  readonly #message: IncomingMessage;
  readonly #stage: BlobStage;
  readonly #hash = createHash('sha256');
  /** Null where the bytes are there already. */
  #draft: StageDraft | null = null;
  #hasBegun = false;
  #isReading = false;
  #isOver = false;
  /** Who takes it; null while nobody does. */
  #taker: ClientRequest | null = null;
  #taken: PromiseWithResolvers<void> = Promise.withResolvers();
  #bytes = 0;
  #toldBytes = 0;
  #toldAt = 0;
  /** All was read. */
  #last: Receipt | null = null;
  #hasSentLast = false;

  constructor(message: IncomingMessage, stage: BlobStage) {
    this.#message = message;
    this.#stage = stage;
    const announced = message.headers['content-length'] ?? '-';
    this.framing = ['Transfer-Encoding', 'chunked', stagedHeader, announced];
  }

  get isUntouched(): boolean {
    return !this.#hasBegun;
  }

  /** What was read is in the database. */
  get isKept(): boolean {
    return true;
  }

  get isUnfinished(): boolean {
    return !this.#hasSentLast;
  }

  sendTo(upstream: ClientRequest): void {
    if (this.failure !== null) return void upstream.destroy(this.failure);
    upstream.once('information', ({ statusCode }: InformationEvent) => {
      if (!this.#isOver && !upstream.destroyed) this.#begin(upstream, statusCode === wantedStatus);
    });
    // The leader is asked before there is anything to tell.
    upstream.flushHeaders();
  }

  stop(): void {
    if (this.#taker === null) return;
    this.#taker = null;
    this.#taken = Promise.withResolvers();
  }

  /** Whatever was answered, no more bytes are wanted. */
  forget(): void {
    this.#isOver = true;
    this.#taken.resolve();
  }

  end(): void {
    this.forget();
    const taker = this.#taker;
    if (taker !== null && !taker.writableEnded) taker.end();
    // What has got a name by now is not the draft's any more.
    this.#draft?.abandon();
    this.#draft = null;
    // Whoever reads drops the rest itself.
    if (!this.#isReading) discardRest(this.#message);
  }

  #begin(taker: ClientRequest, areWanted: boolean): void {
    // It failed after this one was asked.
    if (this.failure !== null) return void taker.destroy(this.failure);
    this.#taker = taker;
    this.#taken.resolve();
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      if (areWanted) this.#draft = this.#stage.beginBlob();
      void this.#readAll();
    } else if (this.#last !== null) this.#sendLast();
    else this.#tell();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      this.#last = await this.#read();
      this.#sendLast();
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
  async #read(): Promise<Receipt | null> {
    try {
      for await (const piece of bodyPieces(this.#message, leastBodyRate)) {
        await this.#taken.promise;
        if (this.#isOver) return null;
        this.#hash.update(piece);
        this.#bytes += piece.length;
        await this.#draft?.append(piece);
        const isMuch = this.#bytes - this.#toldBytes >= untoldBytes;
        if (isMuch || performance.now() - this.#toldAt >= untoldMs) this.#tell();
      }
    } catch (error) {
      const { destroyed: isGone, complete: isWhole } = this.#message;
      if (isGone && !isWhole) throw new ClientGone('The client went away.');
      // Of what a client does wrong only this one is answered.
      if (error instanceof Refusal) return ['slow'];
      throw error;
    }
    const staged = this.#isOver || this.#draft === null ? null : await this.#draft.stage();
    return ['whole', this.#hash.digest('hex'), this.#bytes, staged];
  }

  #tell(): void {
    this.#toldBytes = this.#bytes;
    this.#toldAt = performance.now();
    this.#taker?.write(receiptLine(['arrived', this.#bytes]));
  }

  #sendLast(): void {
    if (this.#taker === null || this.#last === null || this.#isOver) return;
    this.#hasSentLast = true;
    this.#taker.end(receiptLine(this.#last));
  }
}
