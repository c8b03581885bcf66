// Lists on terminals of any width: no line is wider.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createCommandTree } from '../command-tree.ts';
import { createTerminal } from '../text/terminal.ts';
import { widthOf } from '../text/text-width.ts';

const long = '夜間バッチ処理🙂の長い名前 of a job that has a long name';
const then = '2026-01-01T00:00:00.000Z';
const jobs = ['short', long].map((name, index) => ({
  id: `01990000-0000-7000-8000-00000000000${index}`,
  name,
  client_id: 'me',
  status: 'completed',
  task_count: 1_000_000,
  created_at: then,
  completed_at: '2026-01-02T03:00:00.000Z',
  held_since: null,
}));
const workers = jobs.map(({ id, name }) => ({
  id,
  name,
  type: 'pc',
  platform: 'linux',
  status: 'online',
  version: '0.1.0',
  draining: null,
  leaving: false,
  rests_because: null,
  rests_since: null,
  refuses: [],
  labels: {},
  active_tasks: 1,
  slots: 4,
  total_completed: 12_345,
  total_failed: 3,
  telemetry: { cpu_load_percent: 12 },
  registered_at: then,
  last_heartbeat: then,
}));

const audit = jobs.map(({ id, name }, index) => ({
  id: 2 - index,
  at: then,
  action: 'worker.deregister',
  object: id,
  outcome: 'refused',
  code: 'unauthorized',
  count: 1234,
  token_id: '4k2m9x0b',
  role: 'client',
  owner: name,
  address: '2001:db8:1234:5678:9abc:def0:1234:5678',
}));

test.each([
  ['jobs', 40],
  ['jobs', 60],
  ['jobs', 80],
  ['jobs', 100],
  ['audit', 40],
  ['audit', 60],
  ['audit', 80],
  ['audit', 120],
  ['workers', 40],
  ['workers', 60],
  ['workers', 80],
  ['delete --name * --dry-run', 40],
  ['delete --name * --dry-run', 60],
  ['delete --name * --dry-run', 80],
])('%s at %d columns', async (words, columns) => {
  const lines = await shown(words.split(' '), columns);
  expect(lines.length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
  expect(lines.join('\n')).toMatch(/short .*\n.*夜間バ/);
});

const owned = jobs.map((job, index) => ({
  ...job,
  ...(index === 0 ? {} : { owner: '夜班 ann'.repeat(9) }),
}));

test.each([40, 60, 80, 120])('jobs of others at %d columns', async (columns) => {
  const lines = await shown(['jobs'], columns, owned);
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
  expect(lines.length).toBe(3);
});

test('whose a job is stands in the list, and with the job, when it is not the admin’s', async () => {
  const [titles, first, second] = await shown(['jobs'], 120, owned);
  expect([titles, first, second].map((line) => line?.includes('夜班'))).toEqual([
    false,
    false,
    true,
  ]);
  expect(titles).toMatch(/ OWNER /);
  expect((await shown(['jobs'], 120)).join()).not.toContain('OWNER');
  const one = { ...owned[1], progress: 1, counts: { failed: 0 }, started_at: null, error: null };
  const job = ['job', one.id!];
  expect((await shown(job, 80, one)).join('\n')).toMatch(/^owner +夜班/m);
  expect((await shown(job, 80, { ...one, owner: undefined })).join()).not.toContain('owner');
});

test('why a worker rests stands beside its status', async () => {
  const resting = workers.map((worker) => ({ ...worker, rests_because: 'charging' }));
  const lines = await shown(['workers'], 200, resting);
  expect(lines.join('\n')).toContain('online, resting: only while charging');
  const before = workers.map((worker) => ({ ...worker, rests_because: undefined }));
  expect((await shown(['workers'], 200, before)).join('\n')).not.toContain('resting');
});

async function shown(
  words: readonly string[],
  columns: number,
  answer: unknown = jobs,
): Promise<readonly string[]> {
  const server = createServer(({ url = '' }, reply) => {
    const path = url.split('?', 1)[0]!.replace(/\/0199.*/, '');
    const usual =
      answer === jobs ? { '/api/workers': workers, '/api/audit': audit }[path] : undefined;
    const found = usual ?? answer;
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(found));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let text = '';
  const write = (more: string) => ((text += more), true);
  const out = { isTTY: true, columns, write, once: () => undefined };
  const context = {
    terminal: createTerminal(out, { ...out, isTTY: false, write: () => true }, { NO_COLOR: '1' }),
    folder: '.',
    environment: {},
    version: '0.0.0',
    exit: () => {},
    outliveReader: () => {},
  };
  const args = [...words, '--url', address];
  await createCommandTree(context).parseAsync(args, { from: 'user' });
  return text.trimEnd().split('\n');
}
