// Long answers that many ask for at the same time, made once for all of them. Who asks while one is made gets the
// next, which begins when that one is ready: so nobody is told what was true before they asked, and four or a
// thousand readers cost two at a time. What gets too long to be kept whole is made for each reader, a piece at a time.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OpenAnswers, SharedBytes } from './open-answers.ts';
import { SharedFlights } from './shared-flights.ts';
import { encodedTexts, pieceChars } from './text-stream.ts';

/** Makes the answer in pieces of about so many characters or bytes; nobody may write to bytes. */
export type MakePieces = (pieceLength: number) => AsyncIterable<string | Uint8Array>;

/** Characters or bytes of a piece that is made for all of them. */
const sharedPieceLength = 2 * 1024 * 1024;

export class SharedAnswers {
  readonly #openAnswers: OpenAnswers;
  /** Of one answer. */
  readonly #mostBytes: number;
  readonly #flights = new WeakMap<object, SharedFlights<SharedBytes>>();

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
    const whole = await this.#flightsOf(of).join(() => this.#made(make(sharedPieceLength)));
    if (whole !== undefined) return answer.sendShared(contentType, whole);
    const pieces = encodedTexts(answer.paced(make(pieceChars)), answer.encode);
    return answer.send(contentType, pieces);
  }

  #flightsOf(of: object): SharedFlights<SharedBytes> {
    let flights = this.#flights.get(of);
    if (flights === undefined) {
      flights = new SharedFlights(() => performance.now());
      this.#flights.set(of, flights);
    }
    return flights;
  }

  /** Undefined: it is too long. The first piece is made at once, the others in turns of their own. */
  async #made(pieces: AsyncIterable<string | Uint8Array>): Promise<SharedBytes | undefined> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const iterator = pieces[Symbol.asyncIterator]();
    try {
      for (let next = await iterator.next(); next.done !== true; ) {
        const part = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
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
    return new SharedBytes(parts);
  }
}

/** Such a piece took no time worth a turn: the brackets around the others. */
const shortBytes = 16 * 1024;
