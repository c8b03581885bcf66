import { expect, test } from 'vitest';
import { closeFrame, FrameBoundaries } from './frame-boundaries.ts';

function frame(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  const payload = Buffer.alloc(length, 0x88);
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), payload]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

test.each([0, 1, 125, 126, 65_535, 65_536, 200_000])(
  'the end of a frame of %i bytes is found, however the bytes come',
  (length) => {
    const bytes = Buffer.concat([frame(1, length), frame(9, 4)]);
    for (const step of [1, 7, 4_096, bytes.length]) {
      const boundaries = new FrameBoundaries();
      const between: number[] = [];
      for (let at = 0; at < bytes.length; at += step) {
        const end = Math.min(bytes.length, at + step);
        boundaries.read(bytes.subarray(at, end));
        if (boundaries.isBetween) between.push(end);
      }
      expect(between.at(-1)).toBe(bytes.length);
      if (step === 1) expect(between).toEqual([bytes.length - 6, bytes.length]);
      expect(boundaries.hasClosed).toBe(false);
    }
  },
);

test('a masked frame has four bytes more', () => {
  const boundaries = new FrameBoundaries();
  boundaries.read(Buffer.from([0x81, 0x82, 1, 2, 3, 4, 5]));
  expect(boundaries.isBetween).toBe(false);
  boundaries.read(Buffer.from([6]));
  expect(boundaries.isBetween).toBe(true);
});

test('the frame that ends a connection is known, and is made as it is read', () => {
  const boundaries = new FrameBoundaries();
  const bytes = closeFrame(1001, 'gone');
  expect([...bytes]).toEqual([0x88, 6, 0x03, 0xe9, ...Buffer.from('gone')]);
  boundaries.read(bytes);
  expect([boundaries.hasClosed, boundaries.isBetween]).toEqual([true, true]);
});
