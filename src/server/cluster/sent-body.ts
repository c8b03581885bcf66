// The body of a request while it is passed on. What was read of it is kept as long as it is small, so that it can
// be sent once more to a leader that comes after one that has not begun.

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Hold, InFlight } from '../in-flight.ts';
import { discardRest } from '../request-body.ts';
import type { PassedBody } from './passed-body.ts';
import { hasBody } from './passed-headers.ts';

/** More of a body is not kept. */
const mostKeptBytes = 256 * 1024;

export class SentBody implements PassedBody {
  readonly framing = null;
  readonly failure = null;
  /** Who has got some of it may have got all. */
  readonly isUnfinished = false;
  readonly #message: IncomingMessage;
  readonly #hold: Hold;
  readonly #isEmpty: boolean;
  /** Null when it was too much. */
  #kept: Buffer[] | null = [];
  #keptBytes = 0;
  #hasEnded = false;
  #leave: () => void = () => {};

  /** `isUpgrade`: what follows its head belongs to the socket. */
  constructor(message: IncomingMessage, inFlight: InFlight, isUpgrade = false) {
    this.#message = message;
    this.#hold = inFlight.hold(false);
    this.#isEmpty = isUpgrade || !hasBody(message);
  }

  get isUntouched(): boolean {
    return this.#isEmpty || (this.#keptBytes === 0 && this.#kept !== null && !this.#hasEnded);
  }

  get isKept(): boolean {
    return this.#kept !== null;
  }

  sendTo(upstream: ClientRequest): void {
    for (const piece of this.#kept ?? []) upstream.write(piece);
    if (this.#isEmpty || this.#hasEnded) return void upstream.end();
    const message = this.#message;
    const goOn = () => message.resume();
    const onData = (piece: Buffer) => {
      this.#keep(piece);
      if (!upstream.write(piece)) message.pause();
    };
    const onEnd = () => {
      this.#hasEnded = true;
      upstream.end();
    };
    message.on('data', onData).on('end', onEnd);
    upstream.on('drain', goOn);
    message.resume();
    this.#leave = () => {
      message.off('data', onData).off('end', onEnd);
      upstream.off('drain', goOn);
      message.pause();
    };
  }

  stop(): void {
    this.#leave();
    this.#leave = () => {};
  }

  forget(): void {
    this.#kept = null;
    this.#hold.release();
  }

  end(): void {
    this.stop();
    this.forget();
    discardRest(this.#message);
  }

  #keep(piece: Buffer): void {
    if (this.#kept === null) return;
    this.#keptBytes += piece.length;
    if (this.#keptBytes <= mostKeptBytes && this.#hold.resize(this.#keptBytes)) {
      this.#kept.push(piece);
    } else this.forget();
  }
}
