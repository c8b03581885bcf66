import { expect, test } from 'vitest';
import { linesByPiece, linesOf } from './text-lines.ts';

async function* given(...pieces: readonly (string | Uint8Array)[]) {
  yield* pieces;
}

const read = (...pieces: readonly (string | Uint8Array)[]) =>
  Array.fromAsync(linesOf(given(...pieces), 'a.txt'));

test('a line ends with a line feed and nothing else', async () => {
  expect(await read('a\u2028b\u2029c\u0085d\n', 'e\r\n\nf')).toEqual([
    'a\u2028b\u2029c\u0085d',
    'e',
    '',
    'f',
  ]);
  expect(await read('a\r', '\n', 'b\n')).toEqual(['a', 'b']);
  expect(await read('')).toEqual([]);
});

test('bytes are a text wherever they are cut, and begin behind the mark of their order', async () => {
  const bytes = new TextEncoder().encode('\ufeffä\n\u{1f600}');
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(await read(...pieces)).toEqual(['ä', '\u{1f600}']);
});

test('bytes that are no UTF-8 are refused, and none is replaced', async () => {
  const latin = Uint8Array.of(0x4d, 0xfc, 0x6c, 0x0a);
  await expect(read('x\n', latin)).rejects.toThrow('a.txt is not a text in UTF-8.');
  await expect(read(Uint8Array.of(0xc3))).rejects.toThrow('a.txt is not a text in UTF-8.');
});

test('a line without end is refused when it is too long, with its number', async () => {
  const lines = Array.fromAsync(linesByPiece(given('a\nb', 'c', 'd'), 'a.txt', 2));
  await expect(lines).rejects.toThrow('a.txt:2 is longer than 2 characters.');
});

test('a file that cannot be read is named', async () => {
  async function* broken() {
    yield 'a';
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
  }
  const reading = Array.fromAsync(linesOf(broken(), 'a.txt'));
  await expect(reading).rejects.toThrow('"a.txt" cannot be read: EIO: i/o error, read.');
});
