import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { payloadText } from '../../protocol/codec.ts';
import { openInputs, parseRange, refusalIn } from './job-inputs.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-inputs-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The JSON texts of all inputs. */
async function read(name: string, text: string): Promise<readonly string[]> {
  if (name !== '-') writeFileSync(join(folder, name), text);
  const inputs = await openInputs(name, folder, Readable.from([text]));
  if (inputs.type !== 'list') throw new Error('not a list');
  const texts: string[] = [];
  for await (const value of inputs.values) texts.push(payloadText(value));
  return texts;
}

describe('inputs are read from', () => {
  test('the array of a .json file', async () => {
    expect(await read('a.json', '\ufeff[1, "two", {"three": null}]')).toEqual([
      '1',
      '"two"',
      '{"three":null}',
    ]);
  });

  test('the lines of an .ndjson file, as they stand there', async () => {
    const text = '\ufeff1\r\n\r\n{"big": 12345678901234567890}\n"last"';
    expect(await read('a.ndjson', text)).toEqual(['1', '{"big": 12345678901234567890}', '"last"']);
    expect(await read('A.JSONL', 'true\n')).toEqual(['true']);
  });

  test('lines with separators of lines in their texts', async () => {
    expect(await read('s.ndjson', '"a\u2028b"\n"c\u2029"\n')).toEqual(['"a\u2028b"', '"c\u2029"']);
  });

  test('the lines of stdin', async () => {
    expect(await read('-', '1\n2\n')).toEqual(['1', '2']);
  });
});

describe('inputs are refused with a sentence when', () => {
  test.each([
    ['the file is not JSON', 'b.json', '1\n2', /^"b\.json" is not JSON: /],
    ['the file holds no array', 'b.json', '{}', '"b.json" holds no array'],
    ['the array is empty', 'b.json', '[]', '"b.json" holds no inputs'],
    ['a line is not JSON', 'b.ndjson', '1\n\ntwo\n', /^b\.ndjson:3 is not a JSON value: /],
    ['there are no lines', '-', '\n', '"-" holds no inputs'],
    ['the format is another one', 'b.csv', '1,2', '"b.csv" is not a list of inputs'],
  ])('%s', async (_what, name, text, sentence) => {
    const message = sentence instanceof RegExp ? sentence : sentence.replace('"-"', '"stdin"');
    await expect(read(name, text)).rejects.toThrow(message);
  });

  test('there is no such file', async () => {
    const missing = openInputs('gone.json', folder, Readable.from([]));
    await expect(missing).rejects.toThrow('There is no file "gone.json".');
    await expect(openInputs('.', folder, Readable.from([]))).rejects.toThrow('"." is a folder.');
  });
});

describe('a range', () => {
  test('is START:COUNT', () => {
    expect(parseRange('0:1000')).toEqual({ type: 'range', start: 0, count: 1000 });
    expect(parseRange('12')).toEqual({ type: 'range', start: 0, count: 12 });
    expect(parseRange('-5:10')).toEqual({ type: 'range', start: -5, count: 10 });
  });

  test.each(['', '0', '1:0', '1:-2', '1.5:2', 'a:b', '1:2:3', '9007199254740991:9'])(
    'is not %j',
    (text) => {
      expect(() => parseRange(text)).toThrow('is not a range: one looks like 0:1000');
    },
  );
});

describe('what the coordinator refuses is told with its place', () => {
  test.each([
    ['a.ndjson', '1\n2\n3\n', 'Line 3 is nested too deep.', 'a.ndjson:2 is nested too deep.'],
    ['a.ndjson', '1\n\n2\n\n\n3', 'Line 4 is too long.', 'a.ndjson:6 is too long.'],
    ['-', '1\n', 'Line 2 is too long.', 'stdin:1 is too long.'],
    ['a.json', '[1, 2]', 'Line 3 is too long.', 'Input 2 of "a.json" is too long.'],
    // The job itself, and what speaks of no line.
    ['-', '1\n', 'Line 1 is longer than 9 bytes.', 'Line 1 is longer than 9 bytes.'],
    ['-', '1\n', 'There are too many inputs.', 'There are too many inputs.'],
  ])('in %s', async (name, text, sentence, told) => {
    if (name !== '-') writeFileSync(join(folder, name), text);
    const inputs = await openInputs(name, folder, Readable.from([text]));
    if (inputs.type === 'list') for await (const _ of inputs.values);
    expect(refusalIn(inputs, sentence)).toBe(told);
  });
});
