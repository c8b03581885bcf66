// `muster delete`: jobs that have ended, by their ids or by what they have in common.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliEnd, runCli, serveCli, type ServingCli } from '../support/cli-process.ts';

let folder: string;
let serving: ServingCli;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-delete-'));
  writeFileSync(join(folder, 'square.js'), 'export default (n) => n * n;\n');
  serving = await serveCli([], { folder });
});

afterAll(async () => {
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

function muster(...args: readonly string[]): Promise<CliEnd> {
  return runCli(args, { folder, environment: { MUSTER_URL: serving.url } });
}

/** No worker takes it, so it has ended only when it is cancelled. */
async function submit(name: string, { isCancelled = true } = {}): Promise<string> {
  const args = ['--range', '0:20', '--name', name, '--client', 'me'];
  const id = (await muster('submit', 'square.js', ...args)).stdout.trim();
  if (isCancelled) await muster('cancel', id);
  return id;
}

async function names(): Promise<string[]> {
  const jobs = JSON.parse((await muster('jobs', '--json')).stdout) as { name: string }[];
  return jobs.map(({ name }) => name).toSorted();
}

test('delete removes the jobs that a filter finds, after it was told so', async () => {
  for (const name of ['pi-1', 'pi-2', 'e-1']) await submit(name);
  const open = await submit('pi-open', { isCancelled: false });
  const filter = ['--name', 'pi*', '--status', 'cancelled', '--client', 'me', '--before', '0s'];

  const shown = await muster('delete', ...filter, '--dry-run');
  expect(shown).toMatchObject({
    code: 0,
    stderr: '2 jobs with 40 tasks would be removed, with their results\n',
  });
  expect(shown.stdout).toMatch(/^ID +NAME +STATUS +TASKS +ENDED\n\S+ +pi-2 +cancelled +20 /);
  const listed = JSON.parse((await muster('delete', ...filter, '--dry-run', '--json')).stdout);
  expect(listed).toMatchObject([{ name: 'pi-2' }, { name: 'pi-1' }]);

  const unasked = await muster('delete', ...filter);
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain(
    'This would remove 2 jobs with 40 tasks, and nobody is at a terminal to be asked.',
  );
  expect(await names()).toEqual(['e-1', 'pi-1', 'pi-2', 'pi-open']);

  const removed = await muster('delete', ...filter, '--yes');
  expect(removed).toMatchObject({ code: 0, stderr: '2 jobs removed, with results\n' });
  expect(await names()).toEqual(['e-1', 'pi-open']);
  expect((await muster('delete', ...filter, '--yes')).stderr).toBe(
    'no job that has ended is like that\n',
  );

  const old = ['delete', '--before', '1h', '--yes', '--json'];
  expect(JSON.parse((await muster(...old)).stdout)).toEqual([]);
  await muster('cancel', open);
  const rest = JSON.parse((await muster('delete', '--client', 'me', '--yes', '--json')).stdout);
  expect(rest).toMatchObject([{ status: 'deleted' }, { status: 'deleted' }]);
  expect(await names()).toEqual([]);
});

test('delete removes several jobs by their ids, and tells those that go on', async () => {
  const [one, other] = [await submit('one'), await submit('other')];
  const open = await submit('open', { isCancelled: false });
  const wrong = await muster('delete', one, `${other}x`);
  expect(wrong.code).toBe(4);
  expect(await names()).toEqual(['one', 'open', 'other']);
  const removed = await muster('delete', one, open, other);
  expect(removed.code).toBe(4);
  expect(removed.stderr).toBe('2 jobs removed, with results\n1 job not: not ended\n');
  expect(await names()).toEqual(['open']);
});

test('delete wants to know which jobs, in one way', async () => {
  expect(await muster('delete')).toMatchObject({ code: 2 });
  const both = await muster('delete', 'some-id', '--before', '1d');
  expect(both.stderr).toContain('Name jobs by their ids, or by flags, not both.');
  const moment = await muster('delete', '--before', 'yesterday');
  expect(moment.stderr).toContain('"yesterday" is not a moment: how long ago, like 7d');
  const open = await muster('delete', '--status', 'running');
  expect(open.stderr).toContain('"running" is not a status of a job that has ended');
});
