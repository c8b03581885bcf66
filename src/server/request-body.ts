// Reads request bodies where they are wanted. The framework's own parsing is switched off: an
// endpoint without a body ignores whatever comes, and the others refuse in the contract's words.

import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { decodeUtf8, parseJson } from './json-text.ts';
import { ClientGone, Refusal } from './refusal.ts';

/** A sender who is silent for so long in the middle of a body is not waited for. */
const bodySilenceMs = 60_000;
/** After a refusal the rest of an upload is read and dropped for so long, then the line is cut. */
const discardMs = 10_000;

export function mediaType(request: FastifyRequest): string {
  const header = request.headers['content-type'] ?? '';
  return header.split(';', 1)[0]!.trim().toLowerCase();
}

/** The value of a JSON body; `onBytes` sees its bytes. Throws a `Refusal`. */
export async function readJsonBody(
  request: FastifyRequest,
  limitBytes: number,
  onBytes?: (bytes: Buffer) => void,
): Promise<unknown> {
  const type = mediaType(request);
  if (type !== 'application/json') throw wrongType(request, type, 'application/json');
  refuseEncoded(request);
  const bytes = await readBytes(request.raw, limitBytes);
  if (bytes.length === 0) {
    throw new Refusal('validation_failed', 'The body is empty; a JSON object is needed.');
  }
  onBytes?.(bytes);
  const text = decodeUtf8(bytes);
  if (text === null) throw new Refusal('validation_failed', 'The body is not UTF-8.');
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Refusal('validation_failed', `The body is ${parsed.problem}.`);
  return parsed.value;
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

export function bodyTooLarge(limitBytes: number): Refusal {
  const detail =
    `The body is larger than ${limitBytes} bytes (limit body_bytes); ` +
    'send a large job as application/x-ndjson.';
  return new Refusal('payload_too_large', detail);
}

/** What is read of a body of any kind, one read at a time; it stays readable when it is given up. */
export async function* bodyPieces(message: IncomingMessage): AsyncGenerator<Buffer> {
  const timer = setTimeout(() => message.destroy(silent()), bodySilenceMs);
  try {
    for await (const piece of message.iterator({ destroyOnReturn: false })) {
      clearTimeout(timer);
      yield piece as Buffer;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Drops what is still to come, so that the sender gets to read the answer. */
export function discardRest(message: IncomingMessage): void {
  if (message.readableEnded || message.destroyed) return;
  const timer = setTimeout(() => message.destroy(), discardMs);
  timer.unref();
  message.once('close', () => clearTimeout(timer));
  message.once('end', () => clearTimeout(timer));
  message.on('error', () => {});
  message.resume();
}

function readBytes(message: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => settle(() => reject(silent())), bodySilenceMs);
    const onData = (chunk: Buffer) => {
      timer.refresh();
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else settle(() => reject(bodyTooLarge(limitBytes)));
    };
    const onEnd = () =>
      settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const onClose = () => settle(() => reject(new ClientGone('The client went away.')));
    const settle = (conclude: () => void) => {
      clearTimeout(timer);
      message.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      conclude();
      discardRest(message);
    };
    message.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    if (Number(message.headers['content-length']) > limitBytes) {
      settle(() => reject(bodyTooLarge(limitBytes)));
    }
  });
}

function silent(): Refusal {
  const detail = `Nothing of the body has arrived for ${bodySilenceMs / 1000} seconds.`;
  return new Refusal('request_timeout', detail);
}
