// What a person types instead of ids: `last`, parts of ids, names.

import { expect, test } from 'vitest';
import { cliCoordinator } from '../support/cli-coordinator.ts';

const { muster } = cliCoordinator({ 'square.js': 'export default (n) => n * n;\n' });

async function submitted(name: string): Promise<string> {
  const args = ['submit', 'square.js', '--range', '3', '--name', name, '--out', 'out.ndjson'];
  return (await muster(...args)).stdout.trim();
}

test('commands take the newest job, parts of ids and names, and say which they took', async () => {
  const none = await muster('results', 'last');
  expect([none.code, none.stderr]).toEqual([
    4,
    'muster: There is no job yet, so none is the last.\n' +
      'Submit one with  muster submit PROGRAM.js --inputs FILE\n',
  ]);
  const first = await submitted('one');
  const second = await submitted('two');
  const lines = (await muster('results', 'last')).stdout.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { value: number }).value)).toEqual([0, 1, 4]);
  expect((await muster('job', 'one')).stdout).toContain(first);
  expect((await muster('job', second.slice(-6))).stdout).toContain(second);
  expect((await muster('explain', 'one', '2')).stdout).toContain(`task 2 of job ${first} (one)`);
  expect((await muster('task', 'last.2')).stdout).toContain(`task 2 of job ${second}`);
  expect((await muster('metrics', '--job', 'last')).code).toBe(0);
  expect((await muster('cancel', 'last')).stderr).toContain('it can no longer be cancelled');

  expect(await muster('delete', 'one')).toMatchObject({
    code: 0,
    stderr: `${first} is removed, with its results\n`,
  });
  const third = await submitted('three');
  expect((await muster('delete', 'last', second, third.slice(-8))).stderr).toBe(
    `${third} (three)\n2 jobs removed, with results\n`,
  );
});

test('what may mean several is told, with those, and nothing is done', async () => {
  const [first, second] = [await submitted('twin'), await submitted('twin')];
  const refused = await muster('delete', 'twin');
  expect(refused.code).toBe(2);
  expect(refused.stderr.split('\n')).toEqual([
    'muster: 2 jobs may be meant by "twin":',
    expect.stringMatching(new RegExp(`^  ${second}  twin  completed  `)),
    expect.stringMatching(new RegExp(`^  ${first}  twin  completed  `)),
    'Say more of the id; the ends differ most.',
    '',
  ]);
  expect(JSON.parse((await muster('jobs', '--json')).stdout)).toHaveLength(2);
  const unknown = await muster('job', 'twim');
  expect([unknown.code, unknown.stderr]).toEqual([
    4,
    'muster: No job has the id "twim".\nDid you mean "twin"?\n`muster jobs` lists those that there are.\n',
  ]);
});

test('a worker goes by its name', async () => {
  const [worker] = JSON.parse((await muster('workers', '--json')).stdout) as {
    id: string;
    name: string;
  }[];
  const { id, name } = worker!;
  const drained = await muster('drain', name);
  expect([drained.code, drained.stderr]).toEqual([
    0,
    `${id} (${name}) is draining: it has no tasks\n`,
  ]);
  expect((await muster('resume', id.slice(-5))).stderr).toBe(`${id} (${name}) takes tasks again\n`);
  expect((await muster('resume', name)).stderr).toBe(
    `${id} (${name}) was not drained: nothing has changed\n`,
  );
  expect((await muster('deregister', name)).stderr).toContain(`${id} is removed`);
});
