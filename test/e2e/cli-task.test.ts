// A task that has failed on a real worker: `muster task` and `explain` show where in the person's own files,
// and what it printed.

import { expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { cliCoordinator } from '../support/cli-coordinator.ts';

const FILES: Readonly<Record<string, string>> = {
  'deep.ts': [
    'export const deep = (n: number): number => {',
    String.raw`  console.log("deep \u001b[2J", n);`,
    '  if (n > 1) throw new RangeError(`too deep: ${n}`);',
    '  return n;',
    '};',
  ].join('\n'),
  'program.ts': "import { deep } from './deep.ts';\nexport default (n: number) => deep(n);\n",
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
  expect(none.stderr).toContain('Nothing that the task printed is kept.');
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
