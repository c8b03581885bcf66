// Sends answers of any length in bounded memory, however slowly they are read. A piece is made only when
// the socket has taken the piece before it. Bytes that the sockets have not taken are counted over all
// answers: beyond the limit open answers wait, and for a new answer the slowest reader is cut off, or the
// new one is refused. A short answer (most are short) is sent whole, with its length, and an error before
// the first byte still becomes an error answer.

import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pace } from '../coordinator/port/reads.ts';
import { AnswerQueue, type Waiting } from './answer-queue.ts';
import type { AnswerStart } from './answer-start.ts';
import type { App } from './app.ts';
import type { Connections } from './connections.ts';
import { type OpenBody, pump, type Pumped } from './open-body.ts';
import { PieceBuffers } from './piece-buffers.ts';
import { ClientGone, Refusal } from './refusal.ts';
import { resumed } from './text-stream.ts';

const wholeBytes = 32 * 1024;

/** Of an answer that many get: bytes that are handed to a socket at once. */
const sliceBytes = 256 * 1024;

/** While others wait for memory, a reader may take so long for one piece. */
const defaultBehindMs = 5_000;

/** Bound for memory that is kept for the next pieces. */
const mostFreeBytes = 8 * 1024 * 1024;

/** What all answers share. */
interface Shared {
  readonly queue: AnswerQueue;
  readonly buffers: PieceBuffers;
  /** Answers with an unread piece, and since when; the oldest first. */
  readonly unread: Map<OpenAnswer, number>;
  /** Answers whose signal somebody has, for the end of the server. */
  readonly watched: Set<OpenAnswer>;
  readonly start: AnswerStart;
  isClosing: boolean;
}

export interface OpenAnswersOptions {
  /** Of pieces that no socket has taken. */
  readonly mostBytes: number;
  readonly connections: Connections;
  readonly start: AnswerStart;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
  /** 5 s by default. */
  readonly behindMs?: number | undefined;
}

/** Why its signal ends: made once, since nobody reads where it was made. */
const isOver = new ClientGone('The answer is over.');

export class OpenAnswers {
  private readonly shared: Shared;
  private readonly behindMs: number;
  private readonly mostBytes: number;
  private readonly connections: Connections;

  constructor(options: OpenAnswersOptions) {
    const { mostBytes, connections, start, closing, behindMs = defaultBehindMs } = options;
    this.behindMs = behindMs;
    this.shared = {
      queue: new AnswerQueue(mostBytes),
      buffers: new PieceBuffers(mostFreeBytes),
      unread: new Map(),
      watched: new Set(),
      start,
      isClosing: false,
    };
    this.mostBytes = mostBytes;
    this.connections = connections;
    // One listener for all of them.
    closing.addEventListener('abort', () => this.close(), { once: true });
  }

  attach({ server }: App): void {
    server.on('connection', () => this.shared.queue.letPass());
  }

  /** Call before anything is read for the answer. Throws a `Refusal`, or `ClientGone`. */
  open(request: FastifyRequest, reply: FastifyReply): OpenAnswer {
    while (this.shared.queue.isFull) if (!this.cutSlowest()) throw tooMuchUnread(this.mostBytes);
    this.connections.holdFor(request, reply);
    return new OpenAnswer(request, reply, this.shared);
  }

  /** Runs `make` in the turn of a first piece, for what is made for no one answer. */
  readonly pace: Pace = async (make) => {
    const { queue } = this.shared;
    await new Promise<void>((begin) => queue.enter({ begin }, true));
    try {
      return await make();
    } finally {
      queue.end();
    }
  };

  private close(): void {
    this.shared.isClosing = true;
    for (const answer of this.shared.watched) answer.stop();
  }

  /** False when no reader is too slow. */
  private cutSlowest(): boolean {
    const [slowest] = this.shared.unread;
    if (slowest === undefined) return false;
    const [answer, since] = slowest;
    if (performance.now() - since < this.behindMs) return false;
    answer.cut();
    return true;
  }
}

export function tooMuchUnread(mostBytes: number): Refusal {
  const detail =
    `Answers of ${mostBytes} bytes wait to be read at the moment (limit answer_bytes); ` +
    'read or close those that you have open, or try again later.';
  return new Refusal('busy', detail);
}

/** An answer that several readers get; its bytes are counted once while any of them has not read it all. */
export class SharedBytes {
  /** As they were made: to join them would copy them all. */
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  readers = 0;

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.length = parts.reduce((sum, part) => sum + part.length, 0);
  }
}

export class OpenAnswer implements Waiting, Pumped {
  private readonly request: FastifyRequest;
  private readonly reply: FastifyReply;
  private readonly shared: Shared;
  /** It has ended, or its reader has gone away. */
  isGone = false;
  /** Made for who wants to know of that. */
  private controller: AbortController | undefined;
  private heldBytes = 0;
  /** False while it may still be a short answer, which does not wait for slow readers. */
  private isLong = false;
  isEnding = false;
  /** Set while it is in the queue. */
  private waiting: PromiseWithResolvers<void> | undefined;
  /** Set while the system takes a piece. */
  private leaves: ((isTaken: boolean) => void) | undefined;
  /** What it sends and others as well. */
  private common: SharedBytes | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, shared: Shared) {
    this.request = request;
    this.reply = reply;
    this.shared = shared;
    reply.raw.once('close', () => this.end());
  }

  /** Ends an answer that is read too slowly while others wait. */
  cut(): void {
    const { url, ip } = this.request;
    this.request.log.warn({ url, ip }, 'its reader was the slowest while others waited: cut');
    this.reply.raw.destroy();
    this.end();
  }

  /** Aborted when the answer has ended, its reader has gone away, or the server closes. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.isGone || this.shared.isClosing) this.controller.abort(isOver);
      else this.shared.watched.add(this);
    }
    return this.controller.signal;
  }

  /** Tells who makes it to end it: the server closes. */
  stop(): void {
    this.shared.watched.delete(this);
    this.controller?.abort(isOver);
  }

  /** Runs `make` when it is this answer's turn to make a piece. */
  readonly pace: Pace = async (make) => {
    await this.turn();
    try {
      return await make();
    } finally {
      this.shared.queue.end();
    }
  };

  /** Encodes a piece into memory that a piece before it may have used. */
  readonly encode = (text: string): Buffer => this.shared.buffers.encode(text);

  /** Reads each chunk in the answer's turn; for chunks that come without waiting for events. */
  async *paced<T>(chunks: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.pace(() => iterator.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  async send(contentType: string, pieces: AsyncIterable<Buffer>): Promise<FastifyReply> {
    const iterator = pieces[Symbol.asyncIterator]();
    const head: Buffer[] = [];
    let headBytes = 0;
    while (headBytes < wholeBytes) {
      const next = await iterator.next();
      if (next.done === true) return this.sendWhole(contentType, this.joined(head));
      head.push(next.value);
      headBytes += next.value.length;
      this.hold(headBytes);
    }
    if (this.request.method === 'HEAD') {
      await iterator.return?.();
      return this.reply.type(contentType).send(Readable.from([]));
    }
    return this.reply.type(contentType).send(this.readable(resumed(head, iterator)));
  }

  sendWhole(contentType: string, body: Buffer): FastifyReply {
    this.hold(body.length);
    this.setUnread(true);
    return this.reply.type(contentType).send(body);
  }

  /** Sends what others send as well, in slices of the same memory. */
  sendShared(contentType: string, whole: SharedBytes): FastifyReply {
    const { parts, length } = whole;
    const reply = this.reply.type(contentType);
    if (!this.isGone) {
      this.common = whole;
      if (whole.readers++ === 0) this.shared.queue.hold(length);
    }
    if (length <= sliceBytes || this.request.method === 'HEAD') {
      this.setUnread(true);
      return reply.send(Buffer.concat(parts, length));
    }
    const hasLeft = () => source.readableLength === 0;
    const source: Readable = Readable.from(this.slices(parts, hasLeft), { highWaterMark: 0 });
    return reply.header('content-length', length).send(source);
  }

  /** So that it is known whether the reader gets on. One that does costs no turn of the loop for a slice. */
  private async *slices(parts: readonly Uint8Array[], hasLeft: () => boolean) {
    for (const slice of slicesOf(parts)) {
      this.setUnread(true);
      yield slice;
      if (hasLeft()) await this.taken();
      this.setUnread(false);
    }
  }

  /** Sends a stream without a known end: its headers, with its head, at once, each piece when it comes. */
  sendOpen<T>(contentType: string, body: OpenBody<T>): FastifyReply {
    const { reply, request } = this;
    const { raw } = reply.type(contentType);
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    // The framework's way for streams costs as much as the rest of a short answer.
    reply.hijack();
    this.shared.start.run(request, reply);
    if (!raw.destroyed) {
      raw.writeHead(raw.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
      if (body.head === undefined) raw.flushHeaders();
      else raw.write(body.head);
    }
    pump(this, raw, body).catch((error: unknown) => this.breakOff(error));
    return reply;
  }

  /** It is handed to the socket now. */
  holdPiece(piece: Uint8Array): void {
    this.isLong = true;
    this.hold(this.reply.raw.writableLength + piece.length);
    this.setUnread(true);
  }

  /** Resolves when the system has taken the piece, or the reader has left. */
  async write(piece: Uint8Array): Promise<void> {
    const { raw } = this.reply;
    this.holdPiece(piece);
    const isTaken = await new Promise<boolean>((resolve) => {
      this.leaves = resolve;
      raw.write(piece, (error) => resolve((error ?? null) === null));
    });
    this.leaves = undefined;
    if (isTaken && !this.isGone) this.shared.buffers.giveBack(piece);
    this.hold(raw.writableLength);
    this.setUnread(false);
  }

  /** Its maker has failed: the reader must not take what there is for the whole. */
  private breakOff(error: unknown): void {
    const { raw } = this.reply;
    // Who makes it for a reader that has left may be told so.
    if (this.isGone && error instanceof ClientGone) return;
    this.request.log.warn({ err: error }, 'an answer broke off, since it could not be made');
    raw.destroy();
  }

  /** The next piece of a stream is its last: it leaves together with the end, in one packet. */
  readonly endWithNext = (): void => {
    this.isEnding = true;
  };

  sendBytes(parts: AsyncIterable<Uint8Array>): FastifyReply {
    return this.reply.send(this.readable(this.paced(parts)));
  }

  private joined(pieces: readonly Buffer[]): Buffer {
    const whole = Buffer.concat(pieces);
    for (const piece of pieces) this.shared.buffers.giveBack(piece);
    return whole;
  }

  /** A stream that reads nothing ahead of the socket. */
  private readable(pieces: AsyncIterable<Uint8Array>): Readable {
    const hasLeft = () => source.readableLength === 0;
    const source: Readable = Readable.from(this.counted(pieces, hasLeft), { highWaterMark: 0 });
    return source;
  }

  private async *counted(pieces: AsyncIterable<Uint8Array>, hasLeft: () => boolean) {
    const { raw } = this.reply;
    for await (const piece of pieces) {
      this.holdPiece(piece);
      yield piece;
      const isTaken = hasLeft() && (await this.taken());
      if (isTaken && !this.isGone) this.shared.buffers.giveBack(piece);
      this.hold(raw.writableLength);
      this.setUnread(false);
    }
  }

  /**
   * Resolves when the system has taken what was written, or with false when the reader has left. A stream
   * asks for its next piece before that; without this wait, an answer in the queue would count bytes that
   * were read long ago.
   */
  private async taken(): Promise<boolean> {
    const { socket, writableLength } = this.reply.raw;
    if (writableLength === 0) return true;
    // Another answer on this connection comes first.
    if (socket === null) return false;
    return new Promise(
      (resolve) => void socket.write('', (error) => resolve((error ?? null) === null)),
    );
  }

  private end(): void {
    this.isGone = true;
    this.stop();
    this.leaves?.(false);
    this.shared.queue.leave(this);
    this.waiting?.reject(new ClientGone());
    this.waiting = undefined;
    this.hold(0);
    this.setUnread(false);
    const { common } = this;
    this.common = undefined;
    if (common !== undefined && --common.readers === 0) {
      this.shared.queue.hold(-common.length);
    }
  }

  /** True when a piece was handed to the socket, false when the socket has taken it. */
  private setUnread(isUnread: boolean): void {
    this.shared.unread.delete(this);
    if (isUnread && !this.isGone) this.shared.unread.set(this, performance.now());
  }

  private hold(bytes: number): void {
    const held = this.isGone ? 0 : bytes;
    this.shared.queue.hold(held - this.heldBytes);
    this.heldBytes = held;
  }

  /** Waits for the next turn. It allocates little, because a thousand answers may wait for each piece. */
  private turn(): Promise<void> {
    if (this.isGone) return Promise.reject(new ClientGone());
    this.waiting = Promise.withResolvers();
    this.shared.queue.enter(this, !this.isLong);
    return this.waiting.promise;
  }

  begin(): void {
    this.waiting!.resolve();
    this.waiting = undefined;
  }
}

function* slicesOf(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const part of parts) {
    for (let from = 0; from < part.length; from += sliceBytes) {
      yield part.subarray(from, from + sliceBytes);
    }
  }
}
