// The tasks of a job and its errors; which jobs and workers are listed, and one worker in detail.

import { expect, test } from 'vitest';
import { cliCoordinator } from '../support/cli-coordinator.ts';

const { muster } = cliCoordinator({
  'rows.js':
    'export default (n) => { if (n % 2 === 1) throw new RangeError(`row ${n} is empty`); return n; };\n',
});

async function submitted(...flags: readonly string[]): Promise<string> {
  const args = ['rows.js', '--max-attempts', '1', '--out', 'out.ndjson', ...flags];
  return (await muster('submit', ...args)).stdout.trim();
}

test('errors tells them by kinds; job shows them, tasks and results the tasks that have them', async () => {
  const job = await submitted('--range', '6');
  const errors = await muster('errors', 'last');
  expect(errors.stdout).toBe(
    '3 attempts failed:\n\nRangeError: row # is empty\n  3 tasks (1, 3, 5), on 1 worker\n' +
      '  such as: row 1 is empty\n',
  );
  expect(errors.stderr).toBe(`see where it failed:  muster task ${job} 1\n`);
  expect((await muster('job', 'last')).stdout).toMatch(
    /^errors +RangeError: row # is empty \(3 tasks\)$/m,
  );

  const failed = await muster('tasks', job, '--failed', '--limit', '2');
  const lines = failed.stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' ').trim());
  expect(lines).toEqual([
    'INDEX STATUS ATTEMPT WORKER TOOK ERROR',
    expect.stringMatching(/^1 failed 1 \S+ - RangeError: row 1 is empty$/),
    expect.stringMatching(/^3 failed 1 \S+ - RangeError: row 3 is empty$/),
    '',
  ]);
  expect(failed.stderr).toBe(
    `there are more:  muster tasks ${job} --status failed --after 3 --limit 2\n`,
  );
  const rest = await muster('tasks', job, '--status', 'failed', '--after', '3', '--json');
  expect(JSON.parse(rest.stdout)).toMatchObject([{ index: 5, error: { type: 'RangeError' } }]);
  expect((await muster('tasks', job)).stdout.split('\n')).toHaveLength(8);
  expect((await muster('tasks', job, '--status', 'running')).stderr).toBe('no running tasks\n');
  expect((await muster('tasks', job, '--failed', '--status', 'running')).code).toBe(2);

  const results = await muster('results', job, '--failed');
  expect(
    results.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(
    [1, 3, 5].map((index) => ({
      index,
      input: index,
      task_id: `${job}.${index}`,
      status: 'failed',
      error: { type: 'RangeError', message: `row ${index} is empty` },
    })),
  );
  const followed = await muster('results', job, '--failed', '--follow', '--json');
  expect(JSON.parse(followed.stdout)).toHaveLength(3);
  expect(followed.stderr).toContain(`see all by kinds:  muster errors ${job}`);
});

test('a job without errors says so', async () => {
  await submitted('--range', '0:1');
  expect((await muster('errors', 'last')).stderr).toBe('no attempt has failed\n');
  expect((await muster('results', 'last', '--failed')).stderr).toBe('no task has failed\n');
});

test('jobs are listed by name, client, status and time', async () => {
  const one = await submitted('--range', '0:1', '--name', 'night-1', '--client', 'ada');
  const two = await submitted('--range', '1:1', '--name', 'night-2', '--client', 'bob');
  const listed = async (...flags: readonly string[]) =>
    (JSON.parse((await muster('jobs', '--json', ...flags)).stdout) as { id: string }[]).map(
      ({ id }) => id,
    );
  expect(await listed('--name', 'night-*')).toEqual([two, one]);
  expect(await listed('--name', 'night-*', '--limit', '1')).toEqual([two]);
  expect(await listed('--client', 'ada')).toEqual([one]);
  expect(await listed('--name', 'night-?', '--status', 'failed')).toEqual([two]);
  expect(await listed('--since', '1h', '--limit', '2')).toEqual([two, one]);
  expect(await listed('--since', '0s')).toEqual([]);
  expect((await muster('jobs', '--name', 'day')).stderr).toBe(
    'no job is like that; `muster jobs` lists all\n',
  );
});

test('workers are listed by what they are, and one is shown in detail', async () => {
  const [worker] = JSON.parse((await muster('workers', '--json')).stdout) as [
    { readonly id: string; readonly name: string; readonly version: string },
  ];
  const { id, name, version } = worker;
  const count = async (...flags: readonly string[]) =>
    (JSON.parse((await muster('workers', '--json', ...flags)).stdout) as unknown[]).length;
  expect(await count('--name', `${name.slice(0, 1)}*`, '--of-version', version)).toBe(1);
  expect(await count('--label', 'gpu=yes')).toBe(0);
  expect(await count('--status', 'offline')).toBe(0);
  expect((await muster('workers', '--name', 'nobody')).stderr).toBe(
    'no worker is like that; `muster workers` lists all\n',
  );

  await submitted('--range', '1:1');
  const { stdout } = await muster('workers', name);
  expect(stdout).toContain(`id          ${id}\n`);
  expect(stdout).toMatch(/^slots +0 of 1 taken$/m);
  expect(stdout).toMatch(/\n\nLAST FAILURES\n\S+\.0 {2}\S.*\n {2}RangeError: row 1 is empty\n/);
  const json = JSON.parse((await muster('workers', id.slice(-6), '--json')).stdout) as unknown;
  expect(json).toMatchObject({ id, attempts: [], quarantined_until: null });
  expect((await muster('workers', name, '--status', 'online')).code).toBe(2);
});
