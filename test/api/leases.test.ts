// A worker may ask for a longer lease, and the interface shows the lease that it has.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

const device = { type: 'browser', platform: 'web' };

test('a worker over HTTP is told its lease, which stands in its resource', async () => {
  const json = { ...device, lease_seconds: 180 };
  const registered = await live.call('POST', '/api/workers', { json });
  expect([registered.status, registered.body.lease_seconds]).toEqual([201, 180]);
  const { body } = await live.call('GET', '/api/workers');
  expect(body).toMatchObject([{ id: registered.body.worker_id, lease_seconds: 180 }]);
});

test('a worker on a socket is told the same', async () => {
  const worker = await live.worker(() => undefined, { lease_seconds: 180 });
  expect(worker.received[0]).toMatchObject({ type: 'welcome', lease_seconds: 180 });
});

test.each([0, -1, 86_401, '60', null])('a lease of %j seconds is a 422', async (lease_seconds) => {
  const answer = await live.call('POST', '/api/workers', { json: { ...device, lease_seconds } });
  expect(answer.status).toBe(422);
  expect(answer.body.detail).toContain('lease_seconds');
});
