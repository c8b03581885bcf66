// Writes items that come in chunks as text: one JSON array, or lines.

import type { FastifyReply } from 'fastify';
import type { CoordinatorCondition } from '../coordinator/port/coordinator.ts';
import { isOfStop } from './error-answers.ts';
import type { OpenBody } from './open-body.ts';
import { signPauseMs } from './signs-of-life.ts';

export const jsonType = 'application/json; charset=utf-8';
export const csvType = 'text/csv; charset=utf-8';
export const ndjsonType = 'application/x-ndjson; charset=utf-8';

/** Aborted when the reader has gone away. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Ends a following stream in order when the coordinator stops, so that its reader asks again. */
export async function* untilStopped<T>(
  coordinator: Pick<CoordinatorCondition, 'health'>,
  chunks: AsyncIterable<T>,
) {
  try {
    yield* chunks;
  } catch (error) {
    if (!hasStopped(coordinator, error)) throw error;
  }
}

/** Whether what was thrown is the end of the coordinator. Another may have taken its place since. */
function hasStopped({ health }: Pick<CoordinatorCondition, 'health'>, error: unknown): boolean {
  return health !== 'ready' || isOfStop(error);
}

export type Encode = (text: string) => Buffer;

/** Characters of a piece, where one is made for each reader. */
export const pieceChars = 64 * 1024;

/** Texts as bytes; what comes as bytes is passed on. */
export async function* encodedTexts(
  texts: AsyncIterable<string | Uint8Array>,
  encode: Encode,
): AsyncGenerator<Buffer, void, void> {
  for await (const text of texts) {
    yield typeof text === 'string'
      ? encode(text)
      : Buffer.from(text.buffer, text.byteOffset, text.length);
  }
}

/** Writes the items as one JSON array. Empties the chunks. */
export async function* arrayTexts(chunks: AsyncIterable<string[]>, encode: Encode) {
  let separator = '[';
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    yield encode(takeJoined(chunk, ',', separator));
    separator = ',';
  }
  yield Buffer.from(separator === '[' ? '[]' : ']');
}

/** The same, a line for each item. */
export async function* lineTexts(chunks: AsyncIterable<string[]>, encode: Encode) {
  for await (const chunk of chunks) {
    if (chunk.length > 0) yield encode(takeJoined(chunk, '\n', '', '\n'));
  }
}

/** The same while the coordinator is there, as an answer that stays open. Readers skip its empty lines. */
export function openLines(
  coordinator: Pick<CoordinatorCondition, 'health'>,
  chunks: AsyncIterable<string[]>,
  encode: Encode,
): OpenBody<string[]> {
  return {
    chunks,
    pieceOf: (chunk) => (chunk.length === 0 ? null : encode(takeJoined(chunk, '\n', '', '\n'))),
    isEnd: (error) => hasStopped(coordinator, error),
    sign: { bytes: emptyLine, pauseMs: signPauseMs },
  };
}

const emptyLine = Buffer.from('\n');

/**
 * Joins the texts and empties the array. The generators above keep their last chunk until they are asked
 * again, which may be never: its texts must not stay in memory beside the bytes made of them.
 */
function takeJoined(texts: string[], separator: string, begin: string, end = ''): string {
  return begin + texts.splice(0).join(separator) + end;
}

export async function* jsonChunks(chunks: AsyncIterable<readonly unknown[]>) {
  for await (const chunk of chunks) yield chunk.map((item) => JSON.stringify(item));
}

/** The first items of chunks. When they have all been taken it knows the last of them, and whether more came. */
export class Page<T> {
  last: T | undefined;
  hasNext = false;

  async *take(chunks: AsyncIterable<readonly T[]>, limit: number): AsyncGenerator<readonly T[]> {
    let left = limit;
    for await (const chunk of chunks) {
      const items = chunk.slice(0, left);
      this.hasNext ||= items.length < chunk.length;
      left -= items.length;
      this.last = items.at(-1) ?? this.last;
      yield items;
    }
  }
}

/** The pieces that were taken out already, and those behind them. Empties `head`. */
export async function* resumed(head: Buffer[], iterator: AsyncIterator<Buffer>) {
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
