// How much memory a task may take: told to the worker, and a job that needs more than every worker gives
// waits for one that has it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

let circles = 0;
/** Labels for a job and its workers, which no other test of this file has. */
const circle = () => ({ circle: `${circles++}` });

async function submit(labels: object, options: object): Promise<string> {
  return live.submit([1], { requirements: { labels }, ...options });
}

async function reasons(job: string): Promise<string[]> {
  const { body } = await live.call('GET', `/api/jobs/${job}/tasks/0/explain`);
  return body.waiting.workers
    .filter(({ reasons: found }: Loose) => found.some(({ text }: Loose) => /memory|RAM/.test(text)))
    .flatMap(({ reasons: found }: Loose) => found.map(({ text }: Loose) => text));
}

test('more than every worker gives goes only to one that says that it has so much', async () => {
  const labels = circle();
  const old = await HandWorker.register(live, { labels });
  const small = await HandWorker.register(live, { labels, task_memory_mb: 1000 });
  const job = await submit(labels, { memory_mb: 2048 });
  expect([...(await old.claim()), ...(await small.claim())]).toEqual([]);
  const told = (await reasons(job)).join('\n');
  expect(told).toContain(
    'memory for one task is no more than every worker gives, asked for 2048 MB',
  );
  expect(told).toContain('memory for one task is 1000 MB at most, asked for 2048 MB');
  const large = await HandWorker.register(live, { labels, task_memory_mb: 4096 });
  expect(await large.claim()).toMatchObject([{ job_id: job, memory_mb: 2048 }]);
});

test('and only while so much is free there', async () => {
  const labels = circle();
  const worker = await HandWorker.register(live, {
    labels,
    task_memory_mb: 4096,
    telemetry: { ram_available_mb: 1500 },
  });
  const job = await submit(labels, { memory_mb: 2048 });
  expect(await worker.claim()).toEqual([]);
  expect((await reasons(job)).join()).toMatch(/RAM is 1500 MB, asked for 2048 MB for one task/);
  await worker.heartbeat({ ram_available_mb: 3000 });
  expect(await worker.claim()).toMatchObject([{ job_id: job }]);
});

test('less goes to every worker, which is told the limit; what all give is not told', async () => {
  const labels = circle();
  const worker = await HandWorker.register(live, { labels });
  await submit(labels, { memory_mb: 128 });
  await submit(labels, { memory_mb: 512 });
  await submit(labels, {});
  expect((await worker.claim()).map((each) => each['memory_mb'])).toEqual([
    128,
    undefined,
    undefined,
  ]);
});

test.each([63, 1_048_577, 100.5, '1GB', null])('memory_mb of %j is refused', async (memory) => {
  const json = {
    program: { kind: 'javascript', source: 'x' },
    inputs: [1],
    memory_mb: memory,
  };
  const { status, body } = await live.call('POST', '/api/jobs', { json });
  expect([status, body.code]).toEqual([422, 'validation_failed']);
  expect(body.detail).toContain('memory_mb');
});
