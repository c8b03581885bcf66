import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { PayloadPipe } from './payload-pipe.ts';

interface Side {
  readonly pipe: PayloadPipe;
  readonly socket: PassThrough;
  readonly got: unknown[];
  readonly isBroken: () => boolean;
}

function side(mostBytes = 1_000_000): Side {
  const socket = new PassThrough();
  const got: unknown[] = [];
  let isBroken = false;
  const pipe = new PayloadPipe({
    socket: socket as unknown as Socket,
    mostBytes,
    onMessage: (message) => got.push(message),
    onBroken: () => (isBroken = true),
  });
  return { pipe, socket, got, isBroken: () => isBroken };
}

const placesOf = (message: unknown[]) =>
  message.flatMap((field, at) => (typeof field === 'number' ? [{ list: message, at }] : []));

/** What a side writes for these texts. */
function written(texts: readonly string[]): { readonly sizes: number[]; readonly bytes: Buffer } {
  const chunks: Buffer[] = [];
  const socket = { on: () => {}, writable: true, write: (chunk: Buffer) => chunks.push(chunk) };
  const pipe = new PayloadPipe({
    socket: socket as unknown as Socket,
    mostBytes: 0,
    onMessage: () => {},
    onBroken: () => {},
  });
  const message: unknown[] = [...texts];
  pipe.write({ message, places: texts.map((_, at) => ({ list: message, at })) });
  return { sizes: message as number[], bytes: Buffer.concat(chunks) };
}

test('texts arrive as they were, in the order of their messages, however the bytes are divided', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const messages = fc.array(fc.array(text, { maxLength: 4 }), { maxLength: 6 });
  const cuts = fc.array(fc.nat(200), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(messages, cuts, fc.boolean(), async (sent, places, isLate) => {
      const { pipe, socket, got } = side();
      const all = sent.map(written);
      const bytes = Buffer.concat(all.map((each) => each.bytes));
      const announceAll = () => {
        for (const { sizes } of all) pipe.announce(sizes, placesOf(sizes));
      };
      if (!isLate) announceAll();
      const ends = [...places.map((cut) => Math.min(cut, bytes.length)), bytes.length];
      let from = 0;
      for (const to of ends.toSorted((a, b) => a - b)) {
        socket.write(bytes.subarray(from, to));
        from = to;
      }
      if (isLate) announceAll();
      await vi.waitUntil(() => got.length === sent.length, { interval: 1 });
      expect(got).toEqual(sent);
    }),
  );
});

test('a message without texts does not overtake one whose texts are on their way', async () => {
  const { pipe, socket, got } = side();
  const first: unknown[] = [3];
  pipe.announce(first, placesOf(first));
  pipe.announce('second', []);
  expect(got).toEqual([]);
  socket.write('abc');
  await vi.waitUntil(() => got.length > 0);
  expect(got).toEqual([['abc'], 'second']);
});

test.each([[-1], [0.5], [1e300], [101], [NaN]])('a size of %d is refused', (size) => {
  const { pipe, got, isBroken } = side(100);
  const message: unknown[] = [size];
  pipe.announce(message, placesOf(message));
  expect(isBroken()).toBe(true);
  pipe.announce('later', []);
  expect(got).toEqual([]);
});

test('sizes are bounded together', () => {
  const { pipe, isBroken } = side(100);
  const message: unknown[] = [60, 60];
  pipe.announce(message, placesOf(message));
  expect(isBroken()).toBe(true);
});

test('messages behind texts that never come are bounded', () => {
  const { pipe, isBroken } = side();
  const message: unknown[] = [1];
  pipe.announce(message, placesOf(message));
  for (let i = 0; i < 1023; i++) pipe.announce(['pong'], []);
  expect(isBroken()).toBe(false);
  pipe.announce(['pong'], []);
  expect(isBroken()).toBe(true);
});

test('bytes that nobody has announced are left in the pipe, and read when they are', async () => {
  const { pipe, socket, got } = side(4_000_000);
  const piece = Buffer.alloc(700_000, 'x');
  socket.write(piece);
  socket.write(piece);
  await vi.waitUntil(() => socket.isPaused());
  socket.write(piece);
  const message: unknown[] = [2_100_000];
  pipe.announce(message, placesOf(message));
  await vi.waitUntil(() => got.length > 0);
  expect(got).toEqual([['x'.repeat(2_100_000)]]);
});

test('when the other process has ended, its pipe is read to the end', async () => {
  const { pipe, socket } = side();
  const piece = Buffer.alloc(700_000, 'x');
  let hasEnded = false;
  socket.on('end', () => (hasEnded = true));
  for (let i = 0; i < 5; i++) socket.write(piece);
  await vi.waitUntil(() => socket.isPaused());
  pipe.last();
  socket.resume();
  socket.end();
  await vi.waitUntil(() => hasEnded);
  expect(hasEnded).toBe(true);
});
