// The pipe beside the message channel of a child: it carries the long texts of messages as they are, in UTF-8, and
// bytes. Within a message, which is JSON, a text would be escaped, copied and read once more on either side.
//
// A message tells how many bytes each of its texts has, and the bytes are written before it. Whoever receives it waits
// until they are there, and messages behind it wait too: the order of messages is the same as without the pipe.

import type { Socket } from 'node:net';
import {
  type LongMessage,
  sizeBehind,
  standInForBytes,
  type TextPlace,
} from '../../sandbox/long-texts.ts';

export interface PayloadPipeOptions {
  readonly socket: Socket;
  /** Bytes of the texts of one message, at most; and characters of the messages that wait for texts. */
  readonly mostBytes: number;
  /** A message with all of its texts. */
  readonly onMessage: (message: unknown) => void;
  /** The other side has announced what it may not, or sends messages but not their texts. */
  readonly onBroken: () => void;
}

interface Announced {
  readonly message: unknown;
  readonly places: readonly TextPlace[];
  readonly bytes: number;
  /** Characters that it holds itself, about; 0 where nobody bounds them. */
  readonly weight: number;
}

/** Bytes that nobody has announced are left in the pipe when there are more. */
const unannouncedMost = 1024 * 1024;
/** Messages behind one whose texts are on their way. */
const waitingMost = 1024;
/** A shorter chunk costs much more memory than its bytes, and the other side may make them one byte long. */
const smallChunk = 1024;
/** So many small ones behind each other become one. */
const smallMost = 1024;

/** Taken before the realm of a child is locked and before any task code runs there. */
const { allocUnsafeSlow, byteLength, concat } = Buffer;

export class PayloadPipe {
  readonly #options: PayloadPipeOptions;
  readonly #waiting: Announced[] = [];
  /** Of all that wait. */
  #weight = 0;
  #chunks: Buffer[] = [];
  /** So many of the last chunks are small. */
  #small = 0;
  /** Of the first chunk, so many bytes are taken. */
  #taken = 0;
  /** Bytes that are here and not taken. */
  #bytes = 0;
  #isBroken = false;
  #isLast = false;
  /** Bytes were dropped: what comes behind them would be taken for them. */
  #isCut = false;

  constructor(options: PayloadPipeOptions) {
    this.#options = options;
    const { socket } = options;
    socket.on('data', (chunk: Buffer) => this.#came(chunk));
    // The end of the process is noticed at its message channel.
    socket.on('error', () => {});
  }

  /** What was written has left the process, but for a little. */
  get hasRoom(): boolean {
    return !this.#options.socket.writableNeedDrain;
  }

  /** Writes the texts of a message and puts their sizes in their places. The message itself is sent after it. */
  write({ places }: LongMessage): void {
    let bytes = 0;
    const texts = places.map(({ list, at }) => {
      const text = list[at] as string | Uint8Array;
      const size = typeof text === 'string' ? byteLength(text) : text.byteLength;
      list[at] = typeof text === 'string' ? size : standInForBytes(size);
      bytes += size;
      return text;
    });
    const all = allocUnsafeSlow(bytes);
    let at = 0;
    for (const text of texts) {
      if (typeof text === 'string') at += all.write(text, at);
      else {
        all.set(text, at);
        at += text.byteLength;
      }
    }
    const { socket } = this.#options;
    if (socket.writable) socket.write(all);
  }

  /** A message has come, with numbers in `places`. Handed on when its texts are here and all before it were. */
  announce(message: unknown, places: readonly TextPlace[]): void {
    if (this.#isBroken) return;
    if (places.length === 0 && this.#waiting.length === 0) return this.#options.onMessage(message);
    const bytes = sumOf(places);
    // `NaN` is not below it either.
    if (!(bytes <= this.#options.mostBytes) || this.#waiting.length >= waitingMost) {
      return this.#break();
    }
    // What need not wait is not weighed: most does not.
    const mustWait = this.#isAwaited || bytes > this.#bytes;
    const weight = mustWait && this.#options.mostBytes < Infinity ? weightOf(message) : 0;
    this.#weight += weight;
    if (this.#weight > this.#options.mostBytes) return this.#break();
    this.#waiting.push({ message, places, bytes, weight });
    this.#handOn();
  }

  /** The other process has ended: what is left in the pipe must be read to its end. */
  last(): void {
    this.#isLast = true;
  }

  #came(chunk: Buffer): void {
    if (this.#isBroken || this.#isCut) return;
    if (this.#isLast && this.#bytes > unannouncedMost && !this.#isAwaited) {
      this.#isCut = true;
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#small = chunk.length < smallChunk ? this.#small + 1 : 0;
    if (this.#small >= smallMost) this.#joinSmall();
    this.#handOn();
  }

  /** Not the first chunk, of which bytes may be taken. */
  #joinSmall(): void {
    const from = Math.max(1, this.#chunks.length - this.#small);
    this.#chunks.push(concat(this.#chunks.splice(from)));
    this.#small = 0;
  }

  get #isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  #handOn(): void {
    let first = this.#waiting[0];
    while (first !== undefined && first.bytes <= this.#bytes && !this.#isBroken) {
      this.#waiting.shift();
      this.#weight -= first.weight;
      for (const { list, at } of first.places) {
        const number = list[at] as number;
        list[at] = number < 0 ? this.#takeBytes(sizeBehind(number)) : this.#take(number);
      }
      this.#options.onMessage(first.message);
      first = this.#waiting[0];
    }
    const { socket } = this.#options;
    if (this.#isAwaited || this.#bytes <= unannouncedMost || this.#isLast) {
      if (socket.isPaused()) socket.resume();
    } else socket.pause();
  }

  /** The next text, of so many bytes, which are here. */
  #take(size: number): string {
    const first = this.#chunks[0];
    this.#bytes -= size;
    if (first === undefined || size === 0) return '';
    const from = this.#taken;
    const to = from + size;
    if (to < first.length) {
      this.#taken = to;
      return first.toString('utf8', from, to);
    }
    return concat(this.#takeParts(size), size).toString('utf8');
  }

  /** The next bytes, so many, in a buffer of their own: task code may get them, and reach all of it. */
  #takeBytes(size: number): Uint8Array {
    this.#bytes -= size;
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const part of this.#takeParts(size)) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  #takeParts(size: number): Buffer[] {
    const parts: Buffer[] = [];
    let missing = size;
    while (missing > 0) {
      const chunk = this.#chunks[0]!;
      const part = chunk.subarray(this.#taken, this.#taken + missing);
      parts.push(part);
      missing -= part.length;
      this.#taken += part.length;
      if (this.#taken < chunk.length) break;
      this.#chunks.shift();
      this.#taken = 0;
    }
    return parts;
  }

  #break(): void {
    this.#isBroken = true;
    this.#chunks = [];
    this.#waiting.length = 0;
    this.#options.onBroken();
  }
}

/** `NaN` if one of them is not a size. */
function sumOf(places: readonly TextPlace[]): number {
  let sum = 0;
  for (const { list, at } of places) {
    const number = list[at] as number;
    sum += Number.isSafeInteger(number) ? sizeBehind(number) : NaN;
  }
  return sum;
}

/** Characters of a message of a child: a list with texts and numbers, and one list of those. It refuses another. */
function weightOf(message: unknown): number {
  if (!Array.isArray(message)) return ownWeight(message);
  let weight = 0;
  for (const field of message as readonly unknown[]) {
    if (!Array.isArray(field)) weight += ownWeight(field);
    else for (const item of field as readonly unknown[]) weight += ownWeight(item);
  }
  return weight;
}

function ownWeight(value: unknown): number {
  if (typeof value === 'string') return 8 + value.length;
  return typeof value === 'object' && value !== null ? Infinity : 8;
}
