// Events of a job end with the job, times are those of the person, and nothing is JSON in quotes.

import { expect, test } from 'vitest';
import { runCli } from '../support/cli-process.ts';
import { cliCoordinator } from '../support/cli-coordinator.ts';

const coordinator = cliCoordinator({ 'square.js': 'export default (n) => n * n;\n' });
const { muster, folder } = coordinator;

function inZone(zone: string, ...args: readonly string[]) {
  const environment = { MUSTER_URL: coordinator.url, TZ: zone };
  return runCli(args, { folder, environment });
}

test('events of a job that has ended says what can be had instead, and ends', async () => {
  const args = ['submit', 'square.js', '--range', '2', '--name', 'done', '--out', 'out.ndjson'];
  const id = (await muster(...args)).stdout.trim();
  const { code, stdout, stderr } = await muster('events', '--job', 'done');
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr.split('\n')).toEqual([
    'The job has ended (completed): no events come, and those of before are not kept.',
    `  its tasks:          muster tasks ${id}`,
    `  the story of one:   muster explain ${id} 0`,
    '  stay all the same:  --follow, as it may be retried',
    '',
  ]);
});

test('events of a job end with it, whatever its end is', async () => {
  const waiting = ['--require-label', 'no=where'];
  for (const [name, ...types] of [['all'], ['some', '--types', 'task_completed']] as const) {
    await muster('submit', 'square.js', '--range', '2', '--name', name, ...waiting);
    const watching = muster('events', '--job', name, ...types);
    await muster('cancel', name);
    expect((await watching).code).toBe(0);
  }
});

test('times are told in the zone of the person, once, with a date when it is another day there', async () => {
  const told = await inZone('Australia/Darwin', 'explain', 'done', '0');
  expect(told.stdout).toMatch(/^ {2}\d\d:\d\d:\d\d\.\d{3} {2}submitted$/m);
  expect(told.stdout.match(/UTC/g)).toHaveLength(1);
  expect(told.stdout).toContain('\n  (times: Australia/Darwin (UTC+09:30))\n');
  const submitted = async (zone: string) =>
    /^ {2}(\d\d:\d\d)\S* {2}submitted$/m.exec((await inZone(zone, 'explain', 'done', '0')).stdout);
  const [, here] = (await submitted('UTC'))!;
  const [, there] = (await submitted('Australia/Darwin'))!;
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  expect((minutes(there!) - minutes(here!) + 1_440) % 1_440).toBe(570);

  const task = await inZone('UTC', 'task', 'done', '0');
  expect(task.stdout).toContain('\n(times: UTC)\n');
  const job = await inZone('America/New_York', 'job', 'done');
  expect(job.stdout).toMatch(/^times +America\/New_York \(UTC-0[45]:00\)$/m);
  const json = JSON.parse((await inZone('Australia/Darwin', 'job', 'done', '--json')).stdout);
  expect(json.created_at).toMatch(/^\d{4}-\d\d-\d\dT\S+Z$/);
});
