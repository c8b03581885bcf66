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

/** What a side writes for these texts and bytes. */
function written(texts: readonly (string | Uint8Array)[]): {
  readonly sizes: number[];
  readonly bytes: Buffer;
} {
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

test('texts and bytes arrive as they were, in the order of their messages, however the bytes are divided', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const payload = fc.oneof(text, fc.uint8Array({ maxLength: 40 }));
  const messages = fc.array(fc.array(payload, { maxLength: 4 }), { maxLength: 6 });
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

test.each([[-102], [-0.5], [0.5], [1e300], [101], [NaN]])('a size of %d is refused', (size) => {
  const { pipe, got, isBroken } = side(100);
  const message: unknown[] = [size];
  pipe.announce(message, placesOf(message));
  expect(isBroken()).toBe(true);
  pipe.announce('later', []);
  expect(got).toEqual([]);
});

test('bytes have a buffer of their own, with nothing else in it', async () => {
  const { pipe, socket, got } = side();
  const { sizes, bytes } = written(['abc', Uint8Array.of(1, 2, 3)]);
  pipe.announce(sizes, placesOf(sizes));
  socket.write(bytes);
  await vi.waitUntil(() => got.length > 0);
  const [[, value]] = got as [[string, Uint8Array]];
  expect(Object.getPrototypeOf(value)).toBe(Uint8Array.prototype);
  expect(value.buffer.byteLength).toBe(3);
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

test('what messages hold that wait for texts is bounded', () => {
  const { pipe, isBroken } = side(1000);
  const message: unknown[] = [1];
  pipe.announce(message, placesOf(message));
  pipe.announce(['output', 'x'.repeat(400)], []);
  expect(isBroken()).toBe(false);
  pipe.announce(['done', ['x'.repeat(300), 'x'.repeat(300)]], []);
  expect(isBroken()).toBe(true);
});

test('what waited is forgotten with what it held', async () => {
  const { pipe, socket, got, isBroken } = side(1000);
  for (let round = 1; round <= 5; round++) {
    const message: unknown[] = [1];
    pipe.announce(message, placesOf(message));
    pipe.announce(['output', 'x'.repeat(400)], []);
    socket.write('a');
    await vi.waitUntil(() => got.length === 2 * round);
  }
  expect(isBroken()).toBe(false);
});

test.each([[{ a: 1 }], [['done', [['x']]]], [['done', { x: 1 }]]])(
  'behind texts that are on their way, %j is refused',
  (message) => {
    const { pipe, isBroken } = side();
    const first: unknown[] = [1];
    pipe.announce(first, placesOf(first));
    pipe.announce(message, []);
    expect(isBroken()).toBe(true);
  },
);

test('texts that come a byte at a time are whole', () => {
  let came: (chunk: Buffer) => void = () => {};
  const socket = {
    on: (event: string, listener: (chunk: Buffer) => void) => {
      if (event === 'data') came = listener;
    },
    isPaused: () => false,
  };
  const got: unknown[] = [];
  const pipe = new PayloadPipe({
    socket: socket as unknown as Socket,
    mostBytes: 100_000,
    onMessage: (message) => got.push(message),
    onBroken: () => {},
  });
  const texts = ['ab', 'é'.repeat(2_500), 'y'.repeat(3_000), 'z'];
  const { sizes, bytes } = written(texts);
  const first = [sizes[0]];
  pipe.announce(first, placesOf(first));
  const rest = sizes.slice(1);
  // More than is taken comes at once, so that a chunk is taken in part.
  came(bytes.subarray(0, 3));
  pipe.announce(rest, placesOf(rest));
  for (let at = 3; at < bytes.length; at++) came(bytes.subarray(at, at + 1));
  expect(got).toEqual([['ab'], texts.slice(1)]);
});

test('behind bytes that were dropped at the end, nothing is taken for them', async () => {
  const { pipe, socket, got } = side(4_000_000);
  const first = Buffer.alloc(1_200_000, 'a');
  const second = Buffer.alloc(1_200_000, 'b');
  socket.write(first);
  await vi.waitUntil(() => socket.isPaused());
  pipe.last();
  socket.resume();
  socket.write(second);
  await vi.waitUntil(() => socket.readableLength === 0);
  const announced: unknown[][] = [[1_200_000], [1_200_000]];
  for (const message of announced) pipe.announce(message, placesOf(message));
  const third = Buffer.alloc(1_200_000, 'c');
  socket.end(third);
  await vi.waitUntil(() => socket.readableEnded);
  expect(got).toEqual([['a'.repeat(1_200_000)]]);
});
