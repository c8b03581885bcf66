import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

const listed = async (id: string) => {
  const { body } = await live.call('GET', '/api/jobs');
  return body.find((job: { id: string }) => job.id === id);
};

test('a job that is submitted held begins when it is released; hold and release are idempotent', async () => {
  const json = { program, inputs: [1, 2], hold: true };
  const { body: job } = await live.call('POST', '/api/jobs', { json });
  expect(job.held_since).toBe(job.created_at);
  await live.worker(({ input }) => ({ value: input }));
  expect(await listed(job.id)).toMatchObject({ status: 'pending', held_since: job.created_at });
  const explained = await live.call('GET', `/api/jobs/${job.id}/tasks/0/explain`);
  expect(explained.body.waiting).toMatchObject({ code: 'held' });
  const again = await live.call('POST', `/api/jobs/${job.id}/hold`);
  expect(again).toMatchObject({ status: 200, body: { held_since: job.created_at } });
  for (let times = 0; times < 2; times++) {
    const released = await live.call('POST', `/api/jobs/${job.id}/release`);
    expect(released).toMatchObject({ status: 200, body: { id: job.id, held_since: null } });
  }
  await eventually(
    () => live.call('GET', `/api/jobs/${job.id}`),
    ({ body }) => body.status === 'completed',
  );
  const ended = await live.call('POST', `/api/jobs/${job.id}/hold`);
  expect(ended).toMatchObject({
    status: 409,
    body: { detail: 'The job is completed; there is nothing left to hold.' },
  });
  expect((await live.call('POST', `/api/jobs/${job.id}/release`)).status).toBe(200);
  expect((await live.call('POST', '/api/jobs/none/hold')).status).toBe(404);
});

test('a job that is held can be cancelled', async () => {
  const id = await live.submit([1], { requirements: { labels: { no: 'worker' } } });
  await live.call('POST', `/api/jobs/${id}/hold`);
  expect((await listed(id)).held_since).toEqual(expect.any(String));
  const cancelled = await live.call('POST', `/api/jobs/${id}/cancel`);
  expect(cancelled.body).toMatchObject({ status: 'cancelled', held_since: null });
});

test('"hold" is true or false', async () => {
  const json = { program, inputs: [1], hold: 'yes' };
  const { status, body } = await live.call('POST', '/api/jobs', { json });
  expect(status).toBe(422);
  expect(body.detail).toContain('hold must be true or false');
});
