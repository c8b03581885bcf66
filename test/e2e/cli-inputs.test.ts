// What the command line makes inputs of, and where the results go, with real processes.

import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { cliCoordinator } from '../support/cli-coordinator.ts';
import { type CliEnd, endOf, startCli } from '../support/cli-process.ts';

const PROGRAMS = {
  'same.js': 'export default (input) => input;\n',
  'length.js': 'export default (text) => text.length;\n',
  'large.js': "export default (n) => ({ n, text: 'x'.repeat(1_500_000) });\n",
  'scaled.ts':
    'declare const factor: number;\nexport default ({ n }: { n: number }): number => n * factor;\n',
  'twice.js': 'const factor = 1;\nexport default (n) => n * factor;\n',
  'endless.js':
    'export default function* () {\n  for (let i = 0; ; i = (i + 1) % 1000) yield { progress: i / 1000 };\n}\n',
};

const coordinator = cliCoordinator(PROGRAMS);
const { folder, muster } = coordinator;

const valuesOf = ({ stdout }: CliEnd): readonly unknown[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly index: number; readonly value: unknown })
    .toSorted((one, other) => one.index - other.index)
    .map(({ value }) => value);

describe('submit', () => {
  test('runs a grid with constants of the program, and writes a table', async () => {
    writeFileSync(join(folder, 'with.json'), '{"factor": 10}');
    const args = ['submit', 'scaled.ts', '--with', 'with.json', '--grid', 'n=1,2.5'];
    const { code, stderr } = await muster(...args, '--out', 'scaled.csv');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'scaled.csv'), 'utf8')).toBe(
      'index,status,value\n0,completed,10\n1,completed,25\n',
    );
  });

  test('refuses what cannot come to an end before anything is sent', async () => {
    const grid = ['--grid', 'a=0:1000000', '--grid', 'b=0:1000'];
    const { code, stderr } = await muster('submit', 'same.js', ...grid);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('and a job may have 10 000 000 (limit inputs_per_job)'),
    });
    const out = await muster('submit', 'same.js', '--range', '1', '--out', 'gone/x.csv');
    expect(out).toMatchObject({ code: 2, stdout: '' });
    expect(out.stderr).toContain('"gone/x.csv" cannot be written: its folder does not exist.');
    expect(out.stderr).not.toContain('submitted');
  });

  test('refuses a constant that the program defines itself, with its place', async () => {
    writeFileSync(join(folder, 'with.json'), '{"factor": 10}');
    const { code, stderr } = await muster(
      'submit',
      'twice.js',
      '--with',
      'with.json',
      '--range',
      '1',
    );
    expect(code).toBe(2);
    expect(stderr).toContain(
      'twice.js:1:7: "factor" is sent along, and the program defines it, too',
    );
  });

  test('takes rows of CSV, and sends nothing of a file in which one is wrong', async () => {
    writeFileSync(join(folder, 'rows.csv'), 'a,b\n1,"x, y"\n');
    const rows = await muster('submit', 'same.js', '--csv', 'rows.csv', '--follow');
    expect(valuesOf(rows)).toEqual([{ a: '1', b: 'x, y' }]);
    const before = (await muster('jobs', '--json')).stdout;
    writeFileSync(join(folder, 'rows.csv'), 'a,b\n1,2\n3\n');
    const { code, stderr } = await muster('submit', 'same.js', '--csv', 'rows.csv');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'muster: rows.csv:3 has 1 field, and the header has 2.\n',
    });
    expect((await muster('jobs', '--json')).stdout).toBe(before);
  });

  test('sends an input beyond the limit as a blob; the task gets its value', async () => {
    writeFileSync(join(folder, 'long.txt'), `${'é'.repeat(700_000)}\nshort\n`);
    const end = await muster('submit', 'length.js', '--lines', 'long.txt', '--follow');
    expect(valuesOf(end)).toEqual([700_000, 5]);
  });

  test('takes one flag for its inputs', async () => {
    const { code, stderr } = await muster('submit', 'same.js', '--range', '1', '--lines', 'x');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'muster: Give --lines or --range, not both.\n',
    });
  });
});

test('a large result comes as its value, and as a reference when that is asked for', async () => {
  const end = await muster('submit', 'large.js', '--range', '2', '--out', 'large.ndjson');
  const lines = readFileSync(join(folder, 'large.ndjson'), 'utf8').trimEnd().split('\n');
  const texts = lines.map((line) => (JSON.parse(line) as { value: { text: string } }).value.text);
  expect(texts.map(({ length }) => length)).toEqual([1_500_000, 1_500_000]);
  const references = await muster('results', end.stdout.trim(), '--references');
  expect(valuesOf(references)).toEqual(
    [0, 1].map(() => ({ $blob: expect.stringMatching(/^[0-9a-f]{64}$/) as string })),
  );
});

test('Ctrl-C of a job with --out says that the file was not written, and how to get it', async () => {
  const args = ['submit', 'endless.js', '--range', '1', '--out', 'my results.csv'];
  const child = startCli(args, { folder, environment: { MUSTER_URL: coordinator.url } });
  const end = endOf(child);
  await once(createInterface({ input: child.stderr! }), 'line');
  child.kill('SIGINT');
  const { code, stdout, stderr } = await end;
  const id = stdout.trim();
  expect(code).toBe(130);
  expect(stderr).toContain('"my results.csv" was not written.');
  expect(stderr).toContain(`muster results ${id} --follow --out 'my results.csv'`);
  expect(existsSync(join(folder, 'my results.csv'))).toBe(false);
  expect((await muster('cancel', id)).code).toBe(0);
});
