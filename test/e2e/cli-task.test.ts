// A task that has failed on a real worker: `muster task` and `explain` show where in the person's own files,
// and what it printed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect, type PrintedText } from '../../src/client/index.ts';
import { cliCoordinator } from '../support/cli-coordinator.ts';

/** An input that JavaScript would change, were it parsed and written again. */
const EXACT = '{"2":123456789012345678901234567890,"1":[1.0,-0],"b":1,"b":2,"text":"\\u0041"}';

const FILES: Readonly<Record<string, string>> = {
  'deep.ts': [
    'export const deep = (n: number): number => {',
    String.raw`  console.log("deep \u001b[2J", n);`,
    '  if (n > 1) throw new RangeError(`too deep: ${n}`);',
    '  return n;',
    '};',
  ].join('\n'),
  'program.ts': "import { deep } from './deep.ts';\nexport default (n: number) => deep(n);\n",
  'talk.js': [
    'export default async (n, task) => {',
    String.raw`  console.log("begun \u001b[2J", n);`,
    '  for (let i = 0; i < 30; i++) {',
    '    await new Promise((resolve) => setTimeout(resolve, 50));',
    '    if (i === 15) console.log("half");',
    '  }',
    '  console.log("done");',
    '  return n;',
    '};',
  ].join('\n'),
  // It holds them for longer than somebody from outside needs to notice.
  'large.js': `export default (mb) => {
  const bytes = new Uint8Array(mb * 2 ** 20);
  for (let round = 1; round <= 12; round++) bytes.fill(round);
  return bytes.length / 2 ** 20;
};\n`,
  'ridge.js':
    "export default ({ rate }) => { if (rate > 1) throw new RangeError('too steep'); return { rate }; };\n",
  'ridge-mended.js': 'export default ({ rate }) => ({ rate, mended: true });\n',
  'picky.js': "export default () => { throw new RangeError('no'); };\n",
  'picky.ndjson': `${EXACT}\n`,
  'endless.js': "export default () => { console.log('begun'); for (;;); };\n",
};

const coordinator = cliCoordinator(FILES);
const { muster } = coordinator;

async function submitted(...args: readonly string[]): Promise<string> {
  const { stdout } = await muster('submit', ...args, '--max-attempts', '1', '--out', 'out.ndjson');
  return stdout.trim();
}

test('the stack has places in the files, and what the task printed is there', async () => {
  const job = await submitted('program.ts', '--range', '1:2');
  const { stdout } = await muster('task', job, '1');
  expect(stdout).toContain(
    'RangeError: too deep: 2\n    at deep (deep.ts:3:20)\n    at program_default (program.ts:2:31)\n',
  );
  expect(stdout).toContain(`muster task ${job} 1 --output`);
  const told = await muster('explain', job, '1');
  expect(told.stdout).toContain('\n    at deep (deep.ts:3:20)\n');
  const output = await muster('task', `${job}.1`, '--output');
  expect(output.stdout).toBe('deep \u001b[2J 2\n');
  const json = JSON.parse((await muster('task', job, '1', '--json')).stdout) as {
    readonly error: { readonly stack: string };
  };
  expect(json.error.stack).toMatch(/^at deep \(program:\d+:\d+\)\nat program_default \(program:/);
  // The one that completed has printed too, and that is not kept.
  const none = await muster('task', job, '0', '--output');
  expect([none.code, none.stdout]).toEqual([4, '']);
  expect(none.stderr).toContain('Nothing that the task printed is kept.\nIt completed. ');
  const unknown = await muster('task', job, '0', '--output', '--attempt', '9');
  expect(unknown.stderr).toContain('It had no such attempt.');
  const unnamed = await muster('task', 'last');
  expect(unnamed.stderr).toContain('or JOB and INDEX:  muster task last.7');
});

test('the inputs of what failed are shown, and go to a changed program by --failed-of', async () => {
  const options = ['--grid', 'rate=1,2,3', '--priority', '7', '--max-attempts', '1'];
  const first = await muster('submit', 'ridge.js', ...options, '--out', 'ridge.csv');
  const job = first.stdout.trim();
  expect(first.stderr).toContain(`muster submit PROGRAM --failed-of ${job})`);
  expect(readFileSync(join(coordinator.folder, 'ridge.csv'), 'utf8')).toBe(
    'index,status,error,input.rate,rate\n0,completed,,,1\n' +
      '1,failed,RangeError: too steep,2,\n2,failed,RangeError: too steep,3,\n',
  );
  const { stdout: shown } = await muster('task', job, '1');
  expect(shown).toContain(`task 1 of job ${job}: failed\ninput: {"rate":2}\n`);
  expect((await muster('explain', job, '1')).stdout).toContain('\ninput: {"rate":2}\n');
  expect((await muster('task', job, '1', '--input')).stdout).toBe('{"rate":2}\n');
  const failed = await muster('results', job, '--failed');
  expect(failed.stdout).toContain('"input":{"rate":2}}\n');
  const again = await muster('submit', 'ridge-mended.js', '--failed-of', job, '--follow');
  expect(again.stdout.trim().split('\n').toSorted()).toMatchObject([
    expect.stringContaining('"value":{"rate":2,"mended":true}'),
    expect.stringContaining('"value":{"rate":3,"mended":true}'),
  ]);
  expect(again.stderr).toContain(`the inputs of 2 tasks of ${job} (ridge) that failed`);
  const made = JSON.parse((await muster('job', 'last', '--json')).stdout) as object;
  expect(made).toMatchObject({
    name: `ridge-mended (failed of ${job.slice(-8)})`,
    priority: 7,
    options: { max_attempts: 1 },
  });
  const none = await muster('submit', 'ridge.js', '--failed-of', 'last');
  expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('has failed.')]);
  const both = await muster('submit', 'ridge.js', '--failed-of', 'last', '--range', '0:1');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('give no others')]);
});

test('of a job that gave up early, --failed-of says how many never ran, and takes them when asked', async () => {
  const flags = ['--fail-fast', '--require-type', 'pc,browser', '--min-ram-mb', '1'];
  const job = await submitted('picky.js', '--range', '0:30', ...flags);
  const { counts } = JSON.parse((await muster('job', job, '--json')).stdout) as {
    readonly counts: { readonly failed: number; readonly cancelled: number };
  };
  expect([counts.failed + counts.cancelled, counts.cancelled > 1]).toEqual([30, true]);
  const some = await muster('submit', 'picky.js', '--failed-of', job, '--hold');
  expect(some.stderr).toContain(
    `${counts.cancelled} tasks were cancelled and left out here; with --and-cancelled they come along`,
  );
  const platforms = ['--require-platform', 'linux,darwin', '--min-ram-mb', '2'];
  const anew = ['--and-cancelled', '--no-fail-fast', '--hold', '--json'];
  const all = await muster('submit', 'picky.js', '--failed-of', job, ...platforms, ...anew);
  expect(all.stderr).toContain(`of 30 tasks of ${job} (picky) that failed or were cancelled`);
  const { id } = JSON.parse(all.stdout) as { readonly id: string };
  const made = JSON.parse((await muster('job', id, '--json')).stdout) as {
    readonly options: { readonly on_task_failure?: string };
  };
  expect(made).toMatchObject({
    task_count: 30,
    options: {
      requirements: { type: ['pc', 'browser'], platform: ['linux', 'darwin'], min_ram_mb: 2 },
    },
  });
  expect(made.options.on_task_failure ?? 'continue').toBe('continue');
  const alone = await muster('submit', 'picky.js', '--and-cancelled', '--range', '0:1');
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('with --failed-of JOB')]);
});

test('an input comes out, and goes to another job, with the digits and keys that it came with', async () => {
  const job = await submitted('picky.js', '--inputs', 'picky.ndjson');
  expect((await muster('results', job, '--failed')).stdout).toContain(`"input":${EXACT}}\n`);
  expect((await muster('results', job)).stdout).toContain(`"input":${EXACT}}\n`);
  const again = await muster('submit', 'picky.js', '--failed-of', job, '--out', 'again.json');
  expect(readFileSync(join(coordinator.folder, 'again.json'), 'utf8')).toContain(
    `"input":${EXACT}}`,
  );
  const [, followUp = ''] = /^(\S+)\n/.exec(again.stdout) ?? [];
  expect((await muster('task', followUp, '0', '--input')).stdout).toBe(`${EXACT}\n`);
  expect((await muster('task', followUp, '0', '--json')).stdout).toContain(`"input":${EXACT}`);
  expect((await muster('task', followUp, '0')).stdout).toContain(
    'input: {"2":1234567890123456789012',
  );
});

test('--keep-output always keeps it of tasks that complete', async () => {
  const job = await submitted('program.ts', '--range', '0:1', '--keep-output', 'always');
  expect((await muster('task', job, '0', '--output')).stdout).toBe('deep \u001b[2J 0\n');
});

test('of a task that had to be killed at its time limit it is known too', async () => {
  const job = await submitted('endless.js', '--range', '0:1', '--attempt-timeout', '1');
  expect((await muster('task', job, '0', '--output')).stdout).toBe('begun\n');
});

test('the error that `map` rejects with says where the function threw', async () => {
  const failing = (n: number) => {
    const half = (list: number[] | null) => list!.length / 2;
    return half(n === 2 ? null : [n]);
  };
  const run = connect(coordinator.url).map([2], failing, { max_attempts: 1 });
  const error: unknown = await run.catch((each: unknown) => each);
  expect(error).toMatchObject({
    type: 'TypeError',
    remoteStack: expect.stringMatching(/^at half \(program:\d+:\d+\)\nat \S+ \(program:\d+:\d+\)$/),
  });
});

test('--output shows what tasks print while they run, and nothing of it is in the results', async () => {
  const { stdout, stderr } = await muster(
    'submit',
    'talk.js',
    '--range',
    '7:1',
    '--follow',
    '--output',
  );
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const lines = stderr.split('\n').filter((line) => line.includes(' | '));
  expect(lines).toEqual(['  0 | begun \\u001b[2J 7', '  0 | half', '  0 | done']);
});

test('without it, and of a job of before, nothing is shown', async () => {
  const { stderr } = await muster('submit', 'talk.js', '--range', '7:1', '--follow');
  expect(stderr).not.toContain('begun');
  const [job = ''] = /(?<=submitted )\S+(?=:)/.exec(stderr) ?? [];
  const again = await muster('results', job, '--follow', '--output');
  expect(again.stderr).not.toContain('begun');
});

test('`map` is told what tasks print before it has their results', async () => {
  const told: string[] = [];
  const talk = (n: number) => {
    console.log(`got ${n}`);
    return n;
  };
  const onOutput = ({ index, text, leftOut }: PrintedText) =>
    told.push(`${index} ${text} ${leftOut}`);
  expect(await connect(coordinator.url).map([5, 6], talk, { onOutput })).toEqual([5, 6]);
  expect(told.toSorted()).toEqual(['0 got 5\n 0', '1 got 6\n 0']);
});

test('--memory is what one task may take, more and less than what every worker gives', async () => {
  const more = await muster(
    'submit',
    'large.js',
    '--range',
    '600:1',
    '--memory',
    '1GB',
    '--follow',
  );
  expect(more.stdout).toContain('"value":600');
  const job = await submitted('large.js', '--range', '200:1', '--memory', '100MB');
  const { stdout } = await muster('task', job, '0');
  expect(stdout).toContain(
    'out_of_memory: the task took more than 100 MB and was ended (memory_mb of the job)',
  );
});

test('results and --follow say where in the files a task threw, on stderr', async () => {
  const job = await submitted('program.ts', '--range', '0:6');
  const { stdout, stderr } = await muster('results', job);
  expect(stdout.trim().split('\n')).toHaveLength(6);
  expect(stdout).not.toContain('deep.ts');
  expect(stderr).toContain('task 2 failed: RangeError: too deep: 2\n    at deep (deep.ts:3:20)\n');
  expect(stderr.split('deep.ts')).toHaveLength(4);
  expect(stderr).toContain(`4 tasks failed; one by one:  muster task ${job} 2`);
  const followed = await muster('results', job, '--follow');
  expect(followed.stderr).toMatch(/RangeError: too deep: \d\n {6}at deep \(deep\.ts:3:20\)\n/);
  expect((await muster('results', job, '--json')).stderr).toBe('');
});
