// Answers of any length in bounded memory, however slowly they are read. Nothing is made before the
// socket has taken what was made before, and what it has not taken is counted over all answers: beyond
// the limit the open ones wait, and for a new one the slowest reader is cut off, or else it is refused.
// A short answer (most are) is sent whole, with its length, and an error before the first byte still
// becomes a proper error answer.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pace } from '../coordinator/port/reads.ts';
import { AnswerLine, type Waiting } from './answer-line.ts';
import type { App } from './app.ts';
import type { Connections } from './connections.ts';
import { PieceBuffers } from './piece-buffers.ts';
import { ClientGone, Refusal } from './refusal.ts';

const wholeBytes = 32 * 1024;

/** When others wait for room, so long with one piece is too slow. */
const defaultBehindMs = 5_000;

/** Memory that is kept for the next pieces, while fewer are under way than a moment ago. */
const mostFreeBytes = 8 * 1024 * 1024;

/** What all answers have in common. */
interface Shared {
  readonly line: AnswerLine;
  readonly buffers: PieceBuffers;
  /** Those with a piece that is not read, and since when; the oldest first. */
  readonly unread: Map<OpenAnswer, number>;
}

export class OpenAnswers {
  private readonly shared: Shared;
  private readonly behindMs: number;
  private readonly mostBytes: number;
  private readonly connections: Connections;

  constructor(mostBytes: number, connections: Connections, behindMs = defaultBehindMs) {
    this.behindMs = behindMs;
    this.shared = {
      line: new AnswerLine(mostBytes),
      buffers: new PieceBuffers(mostFreeBytes),
      unread: new Map(),
    };
    this.mostBytes = mostBytes;
    this.connections = connections;
  }

  attach({ server }: App): void {
    server.on('connection', () => this.shared.line.letPass());
  }

  /** Before anything is read for it. Throws a `Refusal`, or that nobody waits. */
  open(request: FastifyRequest, reply: FastifyReply): OpenAnswer {
    while (this.shared.line.isFull) if (!this.cutSlowest()) throw this.full();
    this.connections.holdFor(request, reply);
    return new OpenAnswer(request, reply, this.shared);
  }

  /** False when nobody is so slow. */
  private cutSlowest(): boolean {
    const [slowest] = this.shared.unread;
    if (slowest === undefined) return false;
    const [answer, since] = slowest;
    if (performance.now() - since < this.behindMs) return false;
    answer.cut();
    return true;
  }

  private full(): Refusal {
    const detail =
      `Answers of ${this.mostBytes} bytes wait to be read at the moment (limit answer_bytes); ` +
      'read or close those that you have open, or try again later.';
    return new Refusal('busy', detail);
  }
}

export class OpenAnswer implements Waiting {
  private readonly request: FastifyRequest;
  private readonly reply: FastifyReply;
  private readonly shared: Shared;
  private readonly gone = new AbortController();
  private heldBytes = 0;
  /** Until then it may be a short one, which waits for no reader. */
  private isLong = false;
  /** While it stands in the line. */
  private waiting: PromiseWithResolvers<void> | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, shared: Shared) {
    this.request = request;
    this.reply = reply;
    this.shared = shared;
    reply.raw.once('close', () => this.end());
  }

  /** It is read too slowly, and others wait. */
  cut(): void {
    const { url, ip } = this.request;
    this.request.log.warn({ url, ip }, 'its reader was the slowest while others waited: cut');
    this.reply.raw.destroy();
    this.end();
  }

  /** Aborted when the answer has ended, or its reader has gone away. */
  get signal(): AbortSignal {
    return this.gone.signal;
  }

  /** For what makes its pieces itself. */
  readonly pace: Pace = async (make) => {
    await this.turn();
    try {
      return await make();
    } finally {
      this.shared.line.end();
    }
  };

  /** For the pieces that are sent: the memory of one that was read serves the next. */
  readonly encode = (text: string): Buffer => this.shared.buffers.encode(text);

  /** Chunks that are never waited for: each in its turn. */
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

  /** A stream without a known end: headers leave at once, the rest as it comes. */
  sendOpen(contentType: string, pieces: AsyncIterable<Uint8Array>): FastifyReply {
    const source = this.request.method === 'HEAD' ? Readable.from([]) : this.readable(pieces);
    this.reply.type(contentType).send(source);
    this.reply.raw.flushHeaders();
    return this.reply;
  }

  sendBytes(parts: AsyncIterable<Uint8Array>): FastifyReply {
    return this.reply.send(this.readable(this.paced(parts)));
  }

  private joined(pieces: readonly Buffer[]): Buffer {
    const whole = Buffer.concat(pieces);
    for (const piece of pieces) this.shared.buffers.giveBack(piece);
    return whole;
  }

  /** What is pulled is what is written: nothing is read ahead of the socket. */
  private readable(pieces: AsyncIterable<Uint8Array>): Readable {
    const hasLeft = () => source.readableLength === 0;
    const source: Readable = Readable.from(this.counted(pieces, hasLeft), { highWaterMark: 0 });
    return source;
  }

  private async *counted(pieces: AsyncIterable<Uint8Array>, hasLeft: () => boolean) {
    const { raw } = this.reply;
    for await (const piece of pieces) {
      this.isLong = true;
      this.hold(raw.writableLength + piece.length);
      this.setUnread(true);
      yield piece;
      const isTaken = hasLeft() && (await this.taken());
      if (isTaken && !this.gone.signal.aborted) this.shared.buffers.giveBack(piece);
      this.hold(raw.writableLength);
      this.setUnread(false);
    }
  }

  /**
   * Resolves when the system has taken what was written, or the reader has left (false). A stream asks for
   * its next piece before: an answer that waits in the line for it would count what has been read long ago.
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
    this.gone.abort();
    this.shared.line.leave(this);
    this.waiting?.reject(new ClientGone());
    this.waiting = undefined;
    this.hold(0);
    this.setUnread(false);
  }

  /** A piece was handed to the socket, or the socket has taken it. */
  private setUnread(isUnread: boolean): void {
    this.shared.unread.delete(this);
    if (isUnread && !this.gone.signal.aborted) this.shared.unread.set(this, performance.now());
  }

  private hold(bytes: number): void {
    const held = this.gone.signal.aborted ? 0 : bytes;
    this.shared.line.hold(held - this.heldBytes);
    this.heldBytes = held;
  }

  /** Of this nothing is left behind when it waits for long: a thousand may, for each of their pieces. */
  private turn(): Promise<void> {
    if (this.gone.signal.aborted) return Promise.reject(new ClientGone());
    this.waiting = Promise.withResolvers();
    this.shared.line.enter(this, !this.isLong);
    return this.waiting.promise;
  }

  begin(): void {
    this.waiting!.resolve();
    this.waiting = undefined;
  }
}

async function* resumed(head: Buffer[], iterator: AsyncIterator<Buffer>) {
  try {
    for (let piece = head.shift(); piece !== undefined; piece = head.shift()) yield piece;
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
