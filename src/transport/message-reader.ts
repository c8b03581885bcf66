// Reads an answer of Node's `http` as text, piece by piece. The iterator of a stream would cost several times as much.

import type { TextReader } from './answer.ts';
import type { HttpAnswer } from './node-modules.ts';

/** More than that is not read ahead. */
const MOST_CHARACTERS = 64 * 1024;

type Read = Awaited<ReturnType<TextReader['read']>>;

export class MessageReader implements TextReader {
  readonly #message: HttpAnswer;
  #text = '';
  #isPaused = false;
  #hasEnded = false;
  #fault: Error | undefined;
  #waiting:
    | { readonly resolve: (read: Read) => void; readonly reject: (error: Error) => void }
    | undefined;

  constructor(message: HttpAnswer) {
    this.#message = message;
    message.setEncoding('utf8');
    message.once('end', () => {
      this.#hasEnded = true;
      this.#settle();
    });
    message.once('error', (error) => this.#breakOff(error));
    message.once('close', () => {
      // Every answer is closed; an error costs as much as reading a short one.
      if (!this.#hasEnded) this.#breakOff(new Error('the answer broke off'));
    });
    message.on('data', (piece) => this.#take(piece));
  }

  /** One at a time. What has come since the last is one piece. */
  read(): Promise<Read> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#settle();
    });
  }

  cancel(): Promise<void> {
    this.#message.destroy();
    return Promise.resolve();
  }

  #take(piece: string): void {
    this.#text += piece;
    this.#settle();
    if (this.#text.length < MOST_CHARACTERS || this.#isPaused) return;
    this.#isPaused = true;
    this.#message.pause();
  }

  #breakOff(error: Error): void {
    if (!this.#hasEnded) this.#fault ??= error;
    this.#settle();
  }

  #settle(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const value = this.#text;
    if (value === '' && !this.#hasEnded && this.#fault === undefined) return;
    this.#waiting = undefined;
    this.#text = '';
    if (value !== '') waiting.resolve({ done: false, value });
    else if (this.#fault === undefined) waiting.resolve({ done: true });
    else waiting.reject(this.#fault);
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#message.resume();
  }
}
