// Long answers that many ask for at the same time, made once for all of them. Who asks while one is made gets the
// next, which begins when that one is ready: so nobody is told what was true before they asked, and four or a
// thousand readers cost two at a time. What gets too long to be kept whole is made for each reader, a piece at a time.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OpenAnswers, SharedBytes } from './open-answers.ts';
import { encodedTexts, pieceChars } from './text-stream.ts';

/** Makes the answer in pieces of about so many characters. */
export type MakePieces = (pieceChars: number) => AsyncIterable<string>;

/** Characters of a piece that is made for all of them. */
const sharedPieceChars = 2 * 1024 * 1024;

/** An answer that was too long is tried as a whole again after so long. */
const tooLongForMs = 60_000;

export class SharedAnswers {
  readonly #openAnswers: OpenAnswers;
  /** Of one answer. */
  readonly #mostBytes: number;
  readonly #flights = new WeakMap<object, Flights>();

  constructor(openAnswers: OpenAnswers, answerBytes: number) {
    this.#openAnswers = openAnswers;
    // So that some readers may be slow and others still be served.
    this.#mostBytes = Math.floor(answerBytes / 3);
  }

  /**
   * `of`: what is asked, the same object for all that are to be told the same. Throws what `make` does, a `Refusal`,
   * or `ClientGone`.
   */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    contentType: string,
    { of, make }: { readonly of: object; readonly make: MakePieces },
  ): Promise<FastifyReply> {
    const answer = this.#openAnswers.open(request, reply);
    const whole = await this.#flightsOf(of).join(() => this.#made(make(sharedPieceChars)));
    if (whole !== undefined) return answer.sendShared(contentType, whole);
    const pieces = encodedTexts(answer.paced(make(pieceChars)), answer.encode);
    return answer.send(contentType, pieces);
  }

  #flightsOf(of: object): Flights {
    let flights = this.#flights.get(of);
    if (flights === undefined) {
      flights = new Flights();
      this.#flights.set(of, flights);
    }
    return flights;
  }

  /** Undefined: it is too long. The first piece is made at once, the others in turns of their own. */
  async #made(pieces: AsyncIterable<string>): Promise<SharedBytes | undefined> {
    const parts: Buffer[] = [];
    let bytes = 0;
    const iterator = pieces[Symbol.asyncIterator]();
    try {
      for (let next = await iterator.next(); next.done !== true; ) {
        const part = Buffer.from(next.value);
        parts.push(part);
        bytes += part.length;
        if (bytes > this.#mostBytes) return undefined;
        const isShort = part.length < shortBytes;
        next = isShort
          ? await iterator.next()
          : await this.#openAnswers.pace(() => iterator.next());
      }
    } finally {
      await iterator.return?.();
    }
    return new SharedBytes(Buffer.concat(parts, bytes));
  }
}

/** Such a piece took no time worth a turn: the brackets around the others. */
const shortBytes = 16 * 1024;

/** Makes one answer at a time. */
class Flights {
  #running: Promise<SharedBytes | undefined> | undefined;
  #next: Promise<SharedBytes | undefined> | undefined;
  #tooLongUntil = 0;

  /** Undefined: it is too long. */
  join(make: () => Promise<SharedBytes | undefined>): Promise<SharedBytes | undefined> {
    if (this.#next !== undefined) return this.#next;
    if (performance.now() < this.#tooLongUntil) return Promise.resolve(undefined);
    if (this.#running === undefined) return this.#begin(make);
    const begin = () => {
      this.#next = undefined;
      return performance.now() < this.#tooLongUntil ? undefined : this.#begin(make);
    };
    this.#next = this.#running.then(begin, begin);
    return this.#next;
  }

  #begin(make: () => Promise<SharedBytes | undefined>): Promise<SharedBytes | undefined> {
    const running = this.#make(make);
    this.#running = running;
    return running;
  }

  async #make(make: () => Promise<SharedBytes | undefined>): Promise<SharedBytes | undefined> {
    try {
      const made = await make();
      if (made === undefined) this.#tooLongUntil = performance.now() + tooLongForMs;
      return made;
    } finally {
      this.#running = undefined;
    }
  }
}
