import { describe, expect, test } from 'vitest';
import { csvRows } from './csv.ts';

async function read(...pieces: readonly string[]) {
  const lines: number[] = [];
  async function* given() {
    yield* pieces;
  }
  const rows = await Array.fromAsync(csvRows(given(), 'a.csv', (line) => lines.push(line)));
  return { rows, lines };
}

describe('the rows of a CSV file', () => {
  test('are objects of texts, with the names in the first row', async () => {
    const { rows, lines } = await read('\ufeffid,name\r\n007,Ada\r\n\r\n8,\r\n');
    expect(rows).toEqual([
      { id: '007', name: 'Ada' },
      { id: '8', name: '' },
    ]);
    expect(lines).toEqual([2, 4]);
  });

  test('may hold delimiters, quotes and breaks of lines in quotes', async () => {
    const text = 'a,b\n"1,5","say ""hi"""\n"two\nlines",""\n';
    const { rows, lines } = await read(text);
    expect(rows).toEqual([
      { a: '1,5', b: 'say "hi"' },
      { a: 'two\nlines', b: '' },
    ]);
    expect(lines).toEqual([2, 3]);
  });

  test('are the same wherever the file is cut into pieces', async () => {
    const text = '"a";b\r\n"x\r\ny";1\r\nz;2';
    const whole = await read(text);
    expect(whole.rows).toEqual([
      { a: 'x\r\ny', b: '1' },
      { a: 'z', b: '2' },
    ]);
    expect(await read(...text.split(''))).toEqual(whole);
  });

  test.each([
    ['semicolons', 'a;b\n1,5;2', { a: '1,5', b: '2' }],
    ['tabs', 'a\tb\n1\t2', { a: '1', b: '2' }],
    ['one column', 'a\n1', { a: '1' }],
  ])('may be divided by %s', async (_what, text, row) => {
    expect((await read(text)).rows).toEqual([row]);
  });
});

describe('a row that is wrong is told with its line', () => {
  test.each([
    ['too many fields', 'a,b\n1,2\n1,2,3', 'a.csv:3 has 3 fields, and the header has 2.'],
    ['too few', 'a,b\n"x\ny",2\n1', 'a.csv:4 has 1 field, and the header has 2.'],
    ['an open quote', 'a,b\n1,"2\n3,4', 'a.csv:2 has a quote that is never closed.'],
    ['text behind a quote', 'a,b\n"1"x,2', 'a.csv:2 has text behind the closing quote of field 1.'],
    ['a quote inside', 'a\n5"x"', 'a.csv:2 has a quote in the middle of field 1'],
    ['a column without a name', 'a,,b', 'a.csv:1 has no name for column 2'],
    ['a name twice', 'a,b,a', 'a.csv:1 names the column "a" twice.'],
  ])('%s', async (_what, text, sentence) => {
    await expect(read(text)).rejects.toThrow(sentence);
  });
});
