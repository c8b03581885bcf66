// Reads request bodies for the routes that want one. The framework's own parsing is switched off: a route
// without a body ignores one that is sent, and the others refuse in the contract's words.

import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { bodySilenceMs, BodyPace, leastBodyRate, silent } from './body-pace.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { freeBytes, type Hold, type InFlight } from './in-flight.ts';
import { type Reading, type ReadingRules, readJson } from './json-reader.ts';
import { ClientGone, Refusal } from './refusal.ts';

/** After a refusal the rest of a body is read and dropped for so long, then the connection is cut. */
const discardMs = 10_000;

/** The event loop turns after so many pieces, because a sender may make them one byte long. */
const piecesOfTurn = 1_000;

export function mediaType(request: FastifyRequest): string {
  const header = request.headers['content-type'] ?? '';
  return header.split(';', 1)[0]!.trim().toLowerCase();
}

export interface BodyOptions {
  readonly limitBytes: number;
  /** Name of the limit, for the message. */
  readonly limitName?: string;
  readonly rules: ReadingRules;
  readonly inFlight: InFlight;
  /** The call comes from a worker that has done work: it may use the reserve of memory. */
  readonly isWorker?: boolean;
  /** Called with the bytes of the body. */
  readonly onBytes?: (bytes: Buffer) => void;
}

/** The value of a JSON body without payloads. Throws a `Refusal`. */
export async function readJsonBody(
  request: FastifyRequest,
  options: BodyOptions,
): Promise<unknown> {
  return (await readCutBody(request, options)).value;
}

/** The outline of a JSON body, and its payloads as they were sent. Throws a `Refusal`. */
export async function readCutBody(
  request: FastifyRequest,
  options: BodyOptions,
): Promise<Extract<Reading, { ok: true }>> {
  const type = mediaType(request);
  if (type !== 'application/json') throw wrongType(request, type, 'application/json');
  refuseEncoded(request);
  const hold = options.inFlight.holdFor(request.raw, options.isWorker ?? false);
  const bytes = await readBytes(request.raw, options, hold, leastBodyRate).catch(
    (error: unknown) => {
      // A client that has left gets no answer, which would release the hold.
      hold.release();
      throw error;
    },
  );
  if (bytes.length === 0) {
    throw new Refusal('validation_failed', 'The body is empty; a JSON object is needed.');
  }
  options.onBytes?.(bytes);
  const reading = await readJson(bytes, options.rules);
  if (reading.ok) return reading;
  const code = reading.isTooLarge ? 'payload_too_large' : 'validation_failed';
  throw new Refusal(code, `The body is ${reading.problem}.`);
}

export function wrongType(request: FastifyRequest, type: string, wanted: string): Refusal {
  discardRest(request.raw);
  const given = type === '' ? 'there is none' : `it is ${JSON.stringify(type.slice(0, 80))}`;
  return new Refusal('validation_failed', `The content type must be ${wanted}; ${given}.`);
}

export function refuseEncoded(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || encoding === '' || encoding === 'identity') return;
  discardRest(request.raw);
  const detail = 'A compressed body is not read; send it without Content-Encoding.';
  throw new Refusal('validation_failed', detail);
}

export function bodyTooLarge(limitBytes: number, limitName: string): Refusal {
  const advice = limitName === 'body_bytes' ? '; send a large job as application/x-ndjson' : '';
  const detail = `The body is larger than ${limitBytes} bytes (limit ${limitName})${advice}.`;
  return new Refusal('payload_too_large', detail);
}

/**
 * Reads a body in pieces, one in a turn of the event loop, so that a fast sender does not block the
 * others. The request stays readable when reading is given up.
 */
export async function* bodyPieces(
  message: IncomingMessage,
  leastRate: number,
): AsyncGenerator<Buffer> {
  const timer = setTimeout(() => message.destroy(silent()), bodySilenceMs);
  const pace = new BodyPace(leastRate);
  let waitsSince = performance.now();
  try {
    for await (const piece of message.iterator({ destroyOnReturn: false })) {
      clearTimeout(timer);
      const isSlow = !pace.arrived((piece as Buffer).length, performance.now() - waitsSince);
      if (isSlow) throw pace.tooSlow();
      yield piece as Buffer;
      await nextTurn();
      timer.refresh();
      waitsSince = performance.now();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a body is announced that is so short that it takes no room of others. */
export function isShort({ headers }: IncomingMessage): boolean {
  // Without a length there is no number.
  return Number(headers['content-length']) <= freeBytes;
}

/** The whole of a body that is short, without what it takes to read a long one. Throws a `Refusal`, or `ClientGone`. */
export function readShort(
  message: IncomingMessage,
  inFlight: InFlight,
  hold: Hold,
  leastRate: number,
): Promise<Buffer> {
  return readBytes(message, { limitBytes: freeBytes, inFlight }, hold, leastRate);
}

/** Reads and drops the rest of a body, so that the sender comes to read the answer. */
export function discardRest(message: IncomingMessage): void {
  if (message.readableEnded || message.destroyed) return;
  const timer = setTimeout(() => message.destroy(), discardMs);
  timer.unref();
  message.once('close', () => clearTimeout(timer));
  message.once('end', () => clearTimeout(timer));
  message.on('error', () => {});
  message.resume();
}

function pauseForTurn(message: IncomingMessage): void {
  message.pause();
  setImmediate(() => message.resume());
}

function readBytes(
  message: IncomingMessage,
  { limitBytes, limitName = 'body_bytes', inFlight }: Omit<BodyOptions, 'rules'>,
  hold: Hold,
  leastRate: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const bytes = new GatheredBytes();
    let pieces = 0;
    const pace = new BodyPace(leastRate);
    let waitsSince = performance.now();
    const timer = setTimeout(() => settle(() => reject(silent())), bodySilenceMs);
    const onData = (chunk: Buffer) => {
      timer.refresh();
      const size = bytes.length + chunk.length;
      const isSlow = !pace.arrived(chunk.length, performance.now() - waitsSince);
      waitsSince = performance.now();
      if (size > limitBytes) settle(() => reject(bodyTooLarge(limitBytes, limitName)));
      else if (isSlow) settle(() => reject(pace.tooSlow()));
      else if (!hold.resize(size)) settle(() => reject(inFlight.full()));
      else {
        bytes.push(chunk);
        if (++pieces % piecesOfTurn === 0) pauseForTurn(message);
      }
    };
    const onEnd = () => settle(() => resolve(bytes.take()));
    const onClose = () => settle(() => reject(new ClientGone('The client went away.')));
    const settle = (conclude: () => void) => {
      clearTimeout(timer);
      message.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      conclude();
      discardRest(message);
    };
    message.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    // It has left while it was looked up who it is: its end was told already.
    if (message.destroyed) onClose();
    else if (Number(message.headers['content-length']) > limitBytes) {
      settle(() => reject(bodyTooLarge(limitBytes, limitName)));
    }
  });
}
