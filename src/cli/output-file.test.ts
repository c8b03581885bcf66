import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formNote, outputTarget, shownPath, writeResults } from './output-file.ts';

test('a file is named from the folder that it lies in, and in full when it lies elsewhere', () => {
  const folder = resolve('checkout');
  expect(shownPath(join(folder, '.muster', 'chart.svg'), folder)).toBe(
    join('.muster', 'chart.svg'),
  );
  const elsewhere = resolve('experiments', 'chart.svg');
  expect(shownPath(elsewhere, folder)).toBe(elsewhere);
});

describe('results are written', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-out-'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const completed = (index: number, value: unknown) =>
    JSON.stringify({ index, task_id: `j.${index}`, status: 'completed', value });
  const failed = (index: number, message: string) =>
    JSON.stringify({ index, task_id: '', status: 'failed', error: { type: 'E', message } });

  async function written(name: string, texts: readonly string[]): Promise<string> {
    async function* given() {
      yield* texts;
    }
    expect(await writeResults(name, folder, given())).toBe(texts.length);
    return readFileSync(join(folder, name), 'utf8');
  }

  test('as lines, as an array, or as a table, by the ending of the file', async () => {
    const texts = [completed(0, 1), completed(1, 'two')];
    expect(await written('a.ndjson', texts)).toBe(`${texts.join('\n')}\n`);
    expect(JSON.parse(await written('a.json', texts))).toHaveLength(2);
    expect(await written('a.json', [])).toBe('[]\n');
    expect(await written('a.CSV', texts)).toBe(
      'index,status,value\n0,completed,1\n1,completed,two\n',
    );
    expect(await written('a.csv', [])).toBe('index,status,value\n');
  });

  test('into a table with a column for each member, and quotes where they are needed', async () => {
    const table = await written('b.csv', [
      completed(0, { name: 'Ada, "Countess"', born: 1815, tags: ['a', 'b'] }),
      completed(1, { born: null, index: 7, 'two\nlines': ' ' }),
    ]);
    expect(table).toBe(
      [
        'index,status,value.name,value.born,value.tags,value.index,"value.two\nlines"',
        '0,completed,"Ada, ""Countess""",1815,"[""a"",""b""]",,',
        '1,completed,,,,7," "',
        '',
      ].join('\n'),
    );
  });

  test('into a table where values are of all kinds and some have failed', async () => {
    const table = await written('c.csv', [
      completed(0, [1]),
      failed(1, 'no, no'),
      completed(2, { a: true }),
    ]);
    expect(table).toBe(
      'index,status,value,error,a\n0,completed,[1],,\n1,failed,,"E: no, no",\n2,completed,,,true\n',
    );
  });

  test('into a table with the columns of the inputs of those that failed', async () => {
    const withInput = (text: string, input: unknown) =>
      `${text.slice(0, -1)},"input":${JSON.stringify(input)}}`;
    const table = await written('h.csv', [
      completed(0, { rate: 1 }),
      withInput(failed(1, 'no'), { rate: 0.5, text: 'x'.repeat(1_200) }),
      withInput(failed(2, 'no'), 7),
    ]);
    const cut = `${'x'.repeat(1_000)}… (1200 characters)`;
    expect(table.split('\n')).toEqual([
      'index,status,error,input.rate,input.text,input,rate',
      '0,completed,,,,,1',
      `1,failed,E: no,0.5,${cut},,`,
      '2,failed,E: no,,,7,',
      '',
    ]);
  });

  test('as lines into a file of another ending, which is told', () => {
    expect(formNote('out.xlsx')).toBe(
      '"out.xlsx" gets lines of JSON (NDJSON); other forms are .json and .csv',
    );
    expect(['a.csv', 'a.JSON', 'a.jsonl', 'results'].map(formNote)).toEqual(['', '', '', '']);
  });

  test('into a table with the digits of numbers that JavaScript cannot hold', async () => {
    const large = (index: number, value: string) =>
      `{"index":${index},"task_id":"","status":"completed","value":${value}}`;
    const texts = [large(0, '12345678901234567890'), large(1, '{"n":[12345678901234567890]}')];
    expect(await written('e.csv', texts)).toBe(
      'index,status,value,n\n0,completed,12345678901234567890,\n1,completed,,[12345678901234567890]\n',
    );
  });

  test('into a table, whatever a text or the name of a member is', async () => {
    const odd = completed(0, JSON.parse('{"__proto__":"a\u2028b","toString":2}'));
    expect(await written('f.csv', [odd, completed(1, { n: 1 })])).toBe(
      'index,status,__proto__,toString,n\n0,completed,a\u2028b,2,\n1,completed,,,1\n',
    );
  });

  test('into the file that a link leads to', async () => {
    writeFileSync(join(folder, 'g.json'), 'old');
    symlinkSync('g.json', join(folder, 'link.json'));
    await written('link.json', [completed(0, 1)]);
    expect(readFileSync(join(folder, 'g.json'), 'utf8')).toMatch(/^\[/);
    expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true);
  });

  test('into a pipe, which stays one', async () => {
    for (const name of ['pipe', 'pipe.csv']) {
      const pipe = join(folder, name);
      execFileSync('mkfifo', [pipe]);
      const writing = writeResults(name, folder, Readable.from([completed(0, 1)]));
      const [read] = await Promise.all([readFile(pipe, 'utf8'), writing]);
      expect(read).toContain('completed');
      expect(lstatSync(pipe).isFIFO()).toBe(true);
    }
  });

  test('where nothing can be written is known before there are any', async () => {
    await expect(outputTarget('.', folder)).rejects.toThrow('"." is a folder; name a file in it.');
    await expect(outputTarget('gone/x', folder)).rejects.toThrow('its folder does not exist');
  });

  test('as a whole or not at all', async () => {
    async function* broken() {
      yield completed(0, 1);
      throw new Error('cut');
    }
    for (const name of ['d.ndjson', 'd.json', 'd.csv']) {
      await expect(writeResults(name, folder, broken())).rejects.toThrow('cut');
      expect(existsSync(join(folder, name))).toBe(false);
    }
    expect(readdirSync(folder).filter((name) => /partial|lines/.test(name))).toEqual([]);
    async function* none() {}
    await expect(writeResults('gone/x.csv', folder, none())).rejects.toThrow(
      '"gone/x.csv" cannot be written: its folder does not exist.',
    );
  });
});
