import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type OpenBody, pump } from './open-body.ts';

const server = createServer();
afterEach(() => {
  server.closeAllConnections();
  server.close();
  server.removeAllListeners('request');
});

/** What a reader gets of an answer that is pumped, piece by piece, and how the pumping ended. */
async function answered<T>(body: OpenBody<T>, isEnding: () => boolean = () => false) {
  const ended = Promise.withResolvers<unknown>();
  server.on('request', (_request, raw: ServerResponse) => {
    const answer = {
      get isGone() {
        return raw.destroyed;
      },
      get isEnding() {
        return isEnding();
      },
      holdPiece: () => {},
      write: (piece: Uint8Array) => new Promise<void>((taken) => raw.write(piece, () => taken())),
    };
    raw.flushHeaders();
    pump(answer, raw, body).then(() => ended.resolve('in order'), ended.resolve);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = request({ host: '127.0.0.1', port }).end();
  const [answer] = (await once(asked, 'response')) as [AsyncIterable<Buffer>];
  return { answer, ended: ended.promise };
}

async function textOf(answer: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of answer) text += piece.toString();
  return text;
}

const pieceOf = (text: string) => (text === '' ? null : Buffer.from(text));

test('signs of life come while there is nothing to send, and a piece comes at once', async () => {
  const silence = Promise.withResolvers<void>();
  async function* chunks() {
    yield 'first';
    await silence.promise;
    yield '';
    yield 'second';
  }
  const sign = { bytes: Buffer.from('.'), pauseMs: 1 };
  const { answer, ended } = await answered({ chunks: chunks(), pieceOf, sign });
  let text = '';
  for await (const piece of answer) {
    text += piece.toString();
    if (text.length > 'first...'.length) silence.resolve();
  }
  expect(text).toMatch(/^first\.{3,}second$/);
  expect(await ended).toBe('in order');
});

test('nothing is asked for behind the piece that is the last', async () => {
  let isLast = false;
  let isEnded = false;
  async function* chunks() {
    try {
      yield 'first ';
      isLast = true;
      yield 'last';
      yield 'more';
    } finally {
      isEnded = true;
    }
  }
  const { answer, ended } = await answered({ chunks: chunks(), pieceOf }, () => isLast);
  expect(await textOf(answer)).toBe('first last');
  expect(await ended).toBe('in order');
  expect(isEnded).toBe(true);
});

test('an error that is an end ends the answer in order, and any other is told', async () => {
  const stop = new Error('stopped');
  async function* chunks() {
    yield 'first';
    throw stop;
  }
  const isEnd = (error: unknown) => error === stop;
  const first = await answered({ chunks: chunks(), pieceOf, isEnd });
  expect(await textOf(first.answer)).toBe('first');
  expect(await first.ended).toBe('in order');
  server.close();
  server.closeAllConnections();
  server.removeAllListeners('request');
  const second = await answered({ chunks: chunks(), pieceOf });
  expect(await second.ended).toBe(stop);
});
