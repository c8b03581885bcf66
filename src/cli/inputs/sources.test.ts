// The other places that inputs come from: lines, rows, elements, files, a grid.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandFailure } from '../command-failure.ts';
import { fileInputs } from './files.ts';
import { gridAxis, gridInputs } from './grid.ts';
import {
  type JobInputs,
  openCsv,
  openEach,
  openInputs,
  openLines,
  refusalIn,
} from './job-inputs.ts';
import { readWithValues, withValues } from './with-values.ts';

let folder: string;
const stdin = (text: string) => Readable.from([Buffer.from(text)]);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-sources-'));
  mkdirSync(join(folder, 'data', 'deep'), { recursive: true });
  writeFileSync(join(folder, 'data', 'b.txt'), 'bé');
  writeFileSync(join(folder, 'data', 'a.txt'), 'a');
  writeFileSync(join(folder, 'data', 'deep', 'c.json'), '{"c":1}');
  writeFileSync(join(folder, 'data', 'x.bin'), Uint8Array.of(255, 0));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function all(inputs: JobInputs): Promise<readonly unknown[]> {
  if (inputs.type !== 'list') throw new Error('not a list');
  return Array.fromAsync(inputs.values);
}

const adviceOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof CommandFailure ? error.advice.join(' ') : error),
  );

describe('lines', () => {
  test('are texts, without those that are empty', async () => {
    const inputs = await openLines('-', folder, stdin('\ufeffa.csv\r\n\r\n 7 \n'));
    expect(await all(inputs)).toEqual(['a.csv', ' 7 ']);
    expect(refusalIn(inputs, 'Line 3 is too long.')).toBe('stdin:3 is too long.');
  });

  test('that are no JSON say which flag takes them', async () => {
    const inputs = await openInputs('-', folder, stdin('a.csv\n'));
    expect(await adviceOf(all(inputs))).toContain('use --lines instead of --inputs');
    writeFileSync(join(folder, 'a.csv'), 'a\n1\n');
    expect(await adviceOf(openInputs('a.csv', folder, stdin('')))).toBe(
      'An input for every row: --csv a.csv',
    );
    expect(await adviceOf(openInputs('data', folder, stdin('')))).toContain("--files 'data/*'");
    expect(await adviceOf(openInputs('*.csv', folder, stdin('')))).toContain("--files '*.csv'");
  });
});

test('rows of CSV are objects; what is refused is told with its line', async () => {
  writeFileSync(join(folder, 'rows.csv'), 'a,b\n"1\n1",2\n\n3,4\n');
  const inputs = await openCsv('rows.csv', folder, stdin(''));
  expect(await all(inputs)).toEqual([
    { a: '1\n1', b: '2' },
    { a: '3', b: '4' },
  ]);
  expect(refusalIn(inputs, 'Line 2 is too long.')).toBe('rows.csv:2 is too long.');
  expect(refusalIn(inputs, 'Line 3 is too long.')).toBe('rows.csv:5 is too long.');
  await expect(all(await openCsv('-', folder, stdin('a,b\n')))).rejects.toThrow('holds no inputs');
});

test('the elements of an array come from a file of any name', async () => {
  writeFileSync(join(folder, 'data.txt'), '[1, {"a": 2}]');
  expect(await all(await openEach('data.txt', folder))).toEqual([1, { a: 2 }]);
});

describe('files', () => {
  test('come in the order of their names, as text, as names, as JSON or as bytes', async () => {
    expect(await all(await fileInputs('data/*.txt', 'text', folder))).toEqual([
      { name: 'data/a.txt', text: 'a' },
      { name: 'data/b.txt', text: 'bé' },
    ]);
    expect(await all(await fileInputs('data/**', 'name', folder))).toEqual([
      'data/a.txt',
      'data/b.txt',
      'data/deep/c.json',
      'data/x.bin',
    ]);
    expect(await all(await fileInputs('data/**/*.json', 'json', folder))).toEqual([
      { name: 'data/deep/c.json', value: { c: 1 } },
    ]);
    expect(await all(await fileInputs('data/*.bin', 'base64', folder))).toEqual([
      { name: 'data/x.bin', base64: '/wA=' },
    ]);
  });

  test('are refused by name', async () => {
    await expect(fileInputs('*.none', 'text', folder)).rejects.toThrow(
      'No file here is named like',
    );
    const bytes = await fileInputs('data/*.bin', 'text', folder);
    await expect(all(bytes)).rejects.toThrow('"data/x.bin" is not a text in UTF-8.');
    const text = await fileInputs('data/a.txt', 'json', folder);
    await expect(all(text)).rejects.toThrow('"data/a.txt" is not JSON');
    expect(refusalIn(text, 'Line 2 is too long.')).toBe('"data/a.txt" is too long.');
  });
});

describe('a grid', () => {
  const grid = (...flags: readonly string[]) =>
    flags.reduce<ReturnType<typeof gridAxis>>((axes, flag) => gridAxis(flag, axes), []);

  test('is every combination, the last name changing fastest', async () => {
    expect(await all(gridInputs(grid('rate=0.1,1e-3,high', 'seed=5:2', 'on=true')))).toEqual([
      { rate: 0.1, seed: 5, on: true },
      { rate: 0.1, seed: 6, on: true },
      { rate: 0.001, seed: 5, on: true },
      { rate: 0.001, seed: 6, on: true },
      { rate: 'high', seed: 5, on: true },
      { rate: 'high', seed: 6, on: true },
    ]);
  });

  test.each([
    ['rate', '"rate" is no part of a grid'],
    ['=1', '"=1" is no part of a grid'],
    ['rate=', '"rate=" is no part of a grid'],
    ['rate=1:0', '"rate=1:0" names no value.'],
    ['rate=0:1:0.1', '"0:1:0.1" is no range: one is START:COUNT, in whole numbers'],
    ['rate=0:0.5', '"0:0.5" is no range: one is START:COUNT'],
    ['rate=0..5', '"0..5" is no range: one is START:COUNT'],
  ])('is not %j', (flag, sentence) => {
    expect(() => grid(flag)).toThrow(sentence);
  });

  test('names each once, and can be counted', () => {
    expect(() => grid('a=1', 'a=2')).toThrow('"a" is in the grid twice.');
    expect(() => gridInputs(grid('a=0:9007199254740991', 'b=0:2'))).toThrow('can be counted');
    expect(gridInputs(grid('a=0:1000000', 'b=0:1000'))).toMatchObject({ count: 1_000_000_000 });
    expect(() => grid('a=9007199254740990:5')).toThrow('beyond the numbers');
  });
});

describe('values that are sent along', () => {
  test('are constants before the program, on its first line', async () => {
    writeFileSync(join(folder, 'with.json'), '{"rates": [1.5], "__proto__x": {"a": null}}');
    const source = withValues(
      'export default () => rates[0];\n',
      await readWithValues('with.json', folder),
    );
    expect(source.split('\n')).toHaveLength(2);
    const { default: run } = (await import(
      `data:text/javascript,${encodeURIComponent(source)}`
    )) as {
      default: () => unknown;
    };
    expect(run()).toBe(1.5);
  });

  test('may be called JSON, but not globalThis, by which they are made', async () => {
    writeFileSync(join(folder, 'with.json'), '{"JSON": [2], "after": 3}');
    const source = withValues(
      'export default [JSON, after];\n',
      await readWithValues('with.json', folder),
    );
    const { default: values } = (await import(
      `data:text/javascript,${encodeURIComponent(source)}`
    )) as { default: unknown };
    expect(values).toEqual([[2], 3]);
    writeFileSync(join(folder, 'with.json'), '{"globalThis": 1}');
    await expect(readWithValues('with.json', folder)).rejects.toThrow('a member "globalThis"');
  });

  test.each([
    ['an array', '[1]', '"with.json" holds no object'],
    ['no JSON', '{', '"with.json" is not JSON'],
    ['no name', '{"a b": 1}', '"with.json" has a member "a b"'],
  ])('are refused when the file has %s', async (_what, text, sentence) => {
    writeFileSync(join(folder, 'with.json'), text);
    await expect(readWithValues('with.json', folder)).rejects.toThrow(sentence);
    await expect(readWithValues('gone.json', folder)).rejects.toThrow(
      'There is no file "gone.json".',
    );
  });
});
