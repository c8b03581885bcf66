// Answers of any length in bounded memory. A short one (most are) is sent whole, with its length,
// and an error before the first byte still becomes a proper error answer.

import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Coordinator } from '../coordinator/port.ts';

const wholeCharacters = 64 * 1024;

export const jsonType = 'application/json; charset=utf-8';
export const ndjsonType = 'application/x-ndjson; charset=utf-8';

export async function sendTexts(
  request: FastifyRequest,
  reply: FastifyReply,
  contentType: string,
  texts: AsyncIterable<string>,
): Promise<FastifyReply> {
  const iterator = texts[Symbol.asyncIterator]();
  let head = '';
  while (head.length < wholeCharacters) {
    const next = await iterator.next();
    if (next.done === true) return reply.type(contentType).send(head);
    head += next.value;
  }
  if (request.method === 'HEAD') {
    await iterator.return?.();
    return reply.type(contentType).send(Readable.from([]));
  }
  return reply.type(contentType).send(Readable.from(resumed(head, iterator)));
}

/** A stream without a known end: headers leave at once, texts as they come. */
export function sendOpenStream(
  request: FastifyRequest,
  reply: FastifyReply,
  contentType: string,
  texts: AsyncIterable<string>,
): FastifyReply {
  const source = request.method === 'HEAD' ? [] : texts;
  reply.type(contentType).send(Readable.from(source));
  reply.raw.flushHeaders();
  return reply;
}

/** Aborted when the reader has gone away. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** A stream that follows ends in order when the coordinator stops: its reader asks again. */
export async function* untilStopped<T>(coordinator: Coordinator, chunks: AsyncIterable<T>) {
  try {
    yield* chunks;
  } catch (error) {
    if (coordinator.health === 'ready') throw error;
  }
}

/** Items that come in chunks, as the text of one JSON array. */
export async function* arrayTexts(chunks: AsyncIterable<readonly string[]>) {
  let separator = '[';
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    yield separator + chunk.join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

export async function* lineTexts(chunks: AsyncIterable<readonly string[]>) {
  for await (const chunk of chunks) {
    if (chunk.length > 0) yield `${chunk.join('\n')}\n`;
  }
}

/** Chunks that are made without waiting: others have their turn between two of them. */
export async function* inTurns<T>(chunks: AsyncIterable<T>) {
  for await (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}

export async function* jsonChunks(chunks: AsyncIterable<readonly unknown[]>) {
  for await (const chunk of chunks) yield chunk.map((item) => JSON.stringify(item));
}

async function* resumed(head: string, iterator: AsyncIterator<string>) {
  try {
    yield head;
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
