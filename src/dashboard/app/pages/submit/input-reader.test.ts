import { describe, expect, test } from 'vitest';
import { payloadText } from '../../../../protocol/codec.ts';
import type { InputFormat } from './input-format.ts';
import { readInputs } from './input-reader.ts';

async function read(format: Exclude<InputFormat, 'range'>, ...parts: readonly BlobPart[]) {
  const all = await Array.fromAsync(readInputs(format, new Blob([...parts])));
  return all.map(({ value, line }) => [payloadText(value), line]);
}

describe('inputs are read', () => {
  test('from the elements of an array as they were written, each on one line, with its line', async () => {
    const text = '\ufeff[12345678901234567890, {\n  "a": [2]\n},\n"x"]';
    expect(await read('json', text)).toEqual([
      ['12345678901234567890', 1],
      ['{   "a": [2] }', 1],
      ['"x"', 4],
    ]);
  });

  test('from lines of JSON as they were written, with their lines, without empty ones', async () => {
    expect(await read('ndjson', '\ufeff12345678901234567890\r\n\n{"b": 1.0}')).toEqual([
      ['12345678901234567890', 1],
      ['{"b": 1.0}', 3],
    ]);
  });

  test('from rows of a table, a quoted one over two lines', async () => {
    expect(await read('csv', 'id,note\n1,"two\nlines"\n2,"a ""b"""\n')).toEqual([
      ['{"id":"1","note":"two\\nlines"}', 2],
      ['{"id":"2","note":"a \\"b\\""}', 4],
    ]);
  });

  test('from lines of text', async () => {
    expect(await read('lines', 'one, two\r\n\nthree')).toEqual([
      ['"one, two"', 1],
      ['"three"', 3],
    ]);
  });

  test('alike wherever the file is cut: a letter of two bytes in two pieces', async () => {
    const bytes = new TextEncoder().encode('"ä"\n"b"\n');
    expect(await read('ndjson', bytes.slice(0, 2), bytes.slice(2))).toEqual([
      ['"ä"', 1],
      ['"b"', 2],
    ]);
  });
});

describe('what is wrong is told with its line', () => {
  test.each([
    ['ndjson', '1\n2\nthree\n', 'Line 3 is not valid JSON (unexpected "h" at column 2).'],
    ['csv', 'a,b\n1,2\n3\n', 'Line 3 has 1 field, and the header has 2.'],
    ['csv', 'a,b\n1,"2\n3,4', 'Line 2 has a quote that is never closed.'],
    ['json', '{"a": 1}', 'Line 1 begins no array: the elements of one are the inputs.'],
    ['json', '[\n  1,\n  x\n]', 'Line 3 is not valid JSON (unexpected "x" at column 3).'],
    ['json', '[\n  1,\n  2', 'Line 3 is not valid JSON (it ends too early, after 10 bytes).'],
  ] as const)('%s: %s', async (format, text, sentence) => {
    await expect(read(format, text)).rejects.toThrow(sentence);
  });

  test('a file that is no text', async () => {
    const promise = read('lines', 'good\n', new Uint8Array([0xff, 0xfe, 0x41]));
    await expect(promise).rejects.toThrow(/^Line \d or a later one is no text in UTF-8/);
  });
});
