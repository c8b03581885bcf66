// Items that come in chunks, as text: one JSON array, or lines.

import type { FastifyReply } from 'fastify';
import type { CoordinatorCondition } from '../coordinator/port/coordinator.ts';
import { isOfStop } from './error-answers.ts';

export const jsonType = 'application/json; charset=utf-8';
export const ndjsonType = 'application/x-ndjson; charset=utf-8';

/** Aborted when the reader has gone away. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** A stream that follows ends in order when the coordinator stops: its reader asks again. */
export async function* untilStopped<T>(
  coordinator: Pick<CoordinatorCondition, 'health'>,
  chunks: AsyncIterable<T>,
) {
  try {
    yield* chunks;
  } catch (error) {
    // Another may have taken its place since.
    if (coordinator.health === 'ready' && !isOfStop(error)) throw error;
  }
}

export type Encode = (text: string) => Buffer;

/** Items that come in chunks, as the text of one JSON array. Empties the chunks. */
export async function* arrayTexts(chunks: AsyncIterable<string[]>, encode: Encode) {
  let separator = '[';
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    yield encode(takeJoined(chunk, ',', separator));
    separator = ',';
  }
  yield Buffer.from(separator === '[' ? '[]' : ']');
}

/** The same as lines. */
export async function* lineTexts(chunks: AsyncIterable<string[]>, encode: Encode) {
  for await (const chunk of chunks) {
    if (chunk.length > 0) yield encode(takeJoined(chunk, '\n', '', '\n'));
  }
}

/**
 * What is yielded is bytes, which is how it is written. A generator keeps what it has last given until it
 * is asked again, and that may be never: the texts must not lie there beside the bytes.
 */
function takeJoined(texts: string[], separator: string, begin: string, end = ''): string {
  return begin + texts.splice(0).join(separator) + end;
}

export async function* jsonChunks(chunks: AsyncIterable<readonly unknown[]>) {
  for await (const chunk of chunks) yield chunk.map((item) => JSON.stringify(item));
}

export async function* bytesOf(texts: AsyncIterable<string>) {
  for await (const text of texts) yield Buffer.from(text);
}
