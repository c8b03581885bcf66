// `muster try`: one or a few inputs on this machine, in real children of the sandbox, without a
// coordinator.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliEnd, runCli, startCli } from '../support/cli-process.ts';

let folder: string;

const FILES: Readonly<Record<string, string>> = {
  'deep.ts': [
    'export const deep = (n: number): number => {',
    '  if (n > 1) throw new RangeError(`too deep: ${n}`);',
    '  return n;',
    '};',
  ].join('\n'),
  'program.ts': [
    "import { deep } from './deep.ts';",
    'interface Input { readonly n: number }',
    'export default function* total({ n }: Input, task: { readonly state: number | null }) {',
    '  const from = task.state ?? 0;',
    "  console.log('from', from, { n });",
    '  let sum = 0; // Some ten milliseconds on the fastest machine: a checkpoint is due after one.',
    '  for (let i = 0; i < 3e7; i++) sum += Math.sqrt(i);',
    '  yield { state: from + Math.sign(sum), progress: 0.5 };',
    '  return deep(n) + from;',
    '}',
  ].join('\n'),
  'evil.js': [
    'export default () => {',
    String.raw`  console.log("\u001b[2Jone\ntwo \u202e");`,
    String.raw`  throw Object.defineProperty(new Error("no\nmuster: all is fine \u001b[31m"), "name", { value: "Odd" });`,
    '};',
  ].join('\n'),
  'endless.js': "export default () => { console.log('begun'); for (;;); };\n",
  'dice.js': 'export default () => [Date.now(), Math.random()];\n',
  'nothing.js': 'export const run = (n) => n;\n',
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-try-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** No coordinator is at this address, and nobody needs one. */
function tried(...args: readonly string[]): Promise<CliEnd> {
  return runCli(['try', ...args], { folder, environment: { MUSTER_URL: 'http://127.0.0.1:9' } });
}

test('the result goes to stdout; console, checkpoints, cost and stack are shown beside it', async () => {
  const { code, stdout, stderr } = await tried(
    'program.ts',
    '--input',
    '{"n":1}',
    '--input',
    '{ "n": 5 }',
  );
  expect(stdout).toBe('1\n');
  // Progress is shown only by tasks that take a while.
  const cost = /\d.*?s, \d.*?s of CPU, (?:less than )?\d+ MB/g;
  const lines = stderr
    .replaceAll(/ {2}progress .*\n/g, '')
    .replaceAll(cost, 'COST')
    .split('\n');
  expect(lines).toEqual([
    'input 0: {"n":1}',
    '  | from 0 {"n":1}',
    '  checkpoint at 50 %: 1',
    '  completed in COST',
    'input 1: { "n": 5 }',
    '  | from 0 {"n":5}',
    '  checkpoint at 50 %: 1',
    '  failed after COST',
    '  RangeError: too deep: 5',
    '      at deep (deep.ts:2:20)',
    '      at total (program.ts:9:10)',
    '',
  ]);
  expect(code).toBe(1);
});

test('--state resumes, --json says everything in an object for each input', async () => {
  writeFileSync(join(folder, 'inputs.ndjson'), '{"n":0}\n{"n":2}\n');
  const { code, stdout, stderr } = await tried(
    'program.ts',
    '--inputs',
    'inputs.ndjson',
    '--state',
    '7',
    '--json',
  );
  const [first, second] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const checkpoints = [{ progress: 0.5, state: 8 }];
  expect(first).toEqual({
    index: 0,
    status: 'completed',
    result: 7,
    run_ms: expect.any(Number) as number,
    cpu_seconds: expect.any(Number) as number,
    memory_mb: expect.any(Number) as number,
    output: 'from 7 {"n":0}\n',
    checkpoints,
  });
  expect(second).toMatchObject({
    status: 'failed',
    error: {
      type: 'RangeError',
      message: 'too deep: 2',
      stack: 'at deep (deep.ts:2:20)\nat total (program.ts:9:10)',
      retryable: true,
    },
    checkpoints,
  });
  expect([code, stderr]).toEqual([1, '']);
});

test('inputs come from where submit takes them; the first is tried, or the one that is named', async () => {
  writeFileSync(join(folder, 'scale.js'), 'export default ({ n }) => n * factor;\n');
  writeFileSync(join(folder, 'factor.json'), '{"factor": 10}');
  const grid = ['scale.js', '--grid', 'n=4,5,6', '--with', 'factor.json'];
  const first = await tried(...grid);
  expect([first.code, first.stdout]).toEqual([0, '40\n']);
  expect(first.stderr).toContain('There are more inputs; the first is tried');
  const last = await tried(...grid, '--task', '2');
  expect([last.code, last.stdout]).toEqual([0, '60\n']);
  expect(last.stderr).toMatch(/^input 2: /m);
  const none = await tried(...grid, '--task', '3');
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringContaining('There is no input 3: the last is 2.') as string,
  ]);
});

test('text of the task reaches a terminal harmless, and forges no line of ours', async () => {
  const { stderr } = await tried('evil.js', '--input', '1');
  expect(stderr).not.toContain('\u001b');
  expect(stderr).toContain('\n  | \\u001b[2Jone\n  | two \\u202e\n');
  expect(stderr).toContain('\n  Odd: no\n  | muster: all is fine \\u001b[31m\n');
});

test('one that does not end is ended at its time limit, and what it printed is there', async () => {
  const { code, stderr } = await tried('endless.js', '--input', '1', '--attempt-timeout', '0.2');
  expect(stderr).toContain('\n  | begun\n');
  expect(stderr).toContain('\n  attempt_timeout: still running after 200 ms\n');
  expect(code).toBe(1);
});

test('Ctrl-C ends it, and its child with it', async () => {
  const child = startCli(['try', 'endless.js', '--input', '1'], { folder });
  await new Promise<void>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('begun')) resolve();
    });
  });
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  child.kill('SIGINT');
  expect(await ended).toBe(130);
});

test.each([
  [['nothing.js', '--input', '1'], 'the program has no default export: write'],
  [['gone.js', '--input', '1'], 'There is no file "gone.js".'],
  [['program.ts'], 'There is nothing to try the program with.'],
  [['program.ts', '--input', 'seven'], '--input seven is not a JSON value'],
  [['program.ts', '--input', '7', '--state', '{'], '--state { is not a JSON value'],
  [['program.ts', '--input', '7', '--attempt-timeout', '0'], '"0" is not a time limit'],
])('nothing runs when a flag, a file or the program is wrong: %j', async (args, sentence) => {
  const { code, stdout, stderr } = await tried(...args);
  expect(stderr).toContain(sentence);
  expect([code, stdout]).toEqual([2, '']);
});

test('--no-check tries what the check refuses, and --memory is the limit', async () => {
  writeFileSync(
    join(folder, 'doubtful.js'),
    'export default (n) => (n > 0 ? document.title : n);\n',
  );
  expect((await tried('doubtful.js', '--input', '0')).code).toBe(2);
  const { code, stdout } = await tried('doubtful.js', '--input', '0', '--no-check');
  expect([code, stdout]).toEqual([0, '0\n']);
  // What is too large stays until it is seen.
  const large = [
    'export default async ({ mb, stays }) => {',
    '  const held = new Uint8Array(mb * 2 ** 20).fill(1);',
    '  if (stays) await new Promise((resolve) => setTimeout(resolve, 600_000));',
    '  return held.length / 2 ** 20;',
    '};',
  ].join('\n');
  writeFileSync(join(folder, 'large.js'), large);
  const tooLarge = JSON.stringify({ mb: 200, stays: true });
  const less = await tried('large.js', '--input', tooLarge, '--memory', '100MB');
  expect(less.stderr).toContain('took more than 100 MB');
  const more = await tried('large.js', '--input', JSON.stringify({ mb: 600 }), '--memory', '1GB');
  expect(more.stdout).toBe('600\n');
});

test('the causes of an error are told with their places, and not without end', async () => {
  const program = [
    'const innermost = () => { throw new RangeError("too\\ndeep \\u001b[31m"); };',
    'const wrapped = (n) => {',
    '  try {',
    '    return n === 0 ? innermost() : wrapped(n - 1);',
    '  } catch (cause) {',
    '    throw new Error(`level ${n}`, { cause });',
    '  }',
    '};',
    'export default (n) => {',
    '  if (n < 0) throw Object.defineProperty(new Error("odd"), "cause", { get() { throw 1; } });',
    '  return wrapped(n);',
    '};',
  ].join('\n');
  writeFileSync(join(folder, 'causes.js'), program);
  const one = await tried('causes.js', '--input', '0', '--input', '-1');
  expect(one.stderr).toContain('  Error: level 0\n      at wrapped (causes.js:6:11)\n');
  expect(one.stderr).toMatch(
    /\n {6}caused by RangeError: too deep \\u001b\[31m\n {6}at innermost \(causes\.js:1:33\)\n/,
  );
  expect(one.stderr).toContain('  Error: odd\n      at causes_default (causes.js:10:');
  const many = await tried('causes.js', '--input', '9');
  expect(many.stderr.match(/caused by/g)).toHaveLength(3);
});

test('the clock stands where the trial began, and chance is the same at every trial', async () => {
  const before = Date.now();
  const roll = async () => JSON.parse((await tried('dice.js', '--input', '1')).stdout) as number[];
  const [[time = 0, first], [, second]] = await Promise.all([roll(), roll()]);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
  expect(first).toBe(second);
});
