// Below the floor of free disk what brings data is refused, and nothing that was accepted is lost; above it
// everything goes on by itself.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DiskRoom } from '../../src/coordinator/port/disk-room.ts';
import { Metrics } from '../../src/server/metrics.ts';
import { blobOf } from '../../src/store/conformance/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type LiveServer, type Loose, program, startLiveServer } from './support/live-server.ts';

const disk = {
  isFull: false,
  freeBytes: 900_000_000,
  floorBytes: 256_000_000,
  detail: 'Only 198 MB are left.',
};
let live: LiveServer;
let store: Store;
beforeEach(async () => {
  disk.isFull = false;
  const metrics = new Metrics({ version: '1.2.3', disk });
  store = openSqliteStore(':memory:');
  live = await startLiveServer({}, store, {}, { disk: disk satisfies DiskRoom, metrics });
});
afterEach(() => live.close());

const device = { type: 'pc', platform: 'linux' };

async function register(): Promise<{ path: string; headers: Record<string, string> }> {
  const { body } = await live.call('POST', '/api/workers', { json: device });
  const headers = { authorization: `Bearer ${body.worker_token}` };
  return { path: `/api/workers/${body.worker_id}`, headers };
}

async function submit(): Promise<[number, string | undefined]> {
  const json = { program, inputs: [1] };
  const { status, body } = await live.call('POST', '/api/jobs', { json });
  return [status, body.code];
}

async function put(headers: Record<string, string> = {}, size = 100): Promise<number> {
  const { sha256, bytes } = blobOf(size);
  const body = bytes as Uint8Array<ArrayBuffer>;
  return (await live.call('PUT', `/api/blobs/${sha256}`, { body, headers })).status;
}

test('jobs and blobs of clients are refused with 507 and what to do, and taken again above it', async () => {
  disk.isFull = true;
  const json = { program, inputs: [1] };
  const { status, body } = await live.call('POST', '/api/jobs', { json });
  expect([status, body]).toEqual([507, { code: 'disk_full', detail: 'Only 198 MB are left.' }]);
  expect(await put()).toBe(507);
  disk.isFull = false;
  expect(await submit()).toEqual([201, undefined]);
  expect(await put()).toBe(201);
});

test('a stream of inputs that was begun above the floor ends below it, and leaves nothing', async () => {
  const job = `${JSON.stringify({ program })}\n`;
  const input = `"${'x'.repeat(1000)}"\n`;
  const staging = vi.spyOn(store, 'stageInputs');
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (sent === 3_000) {
        await vi.waitUntil(() => staging.mock.calls.length > 0, { timeout: 20_000 });
        disk.isFull = true;
      }
      if (sent > 20_000) return controller.close();
      controller.enqueue(new TextEncoder().encode(sent === 0 ? job : input.repeat(100)));
      sent += 100;
    },
  });
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await live.call('POST', '/api/jobs', { body, headers });
  expect([answer.status, answer.body.code]).toEqual([507, 'disk_full']);
  expect((await live.call('GET', '/api/jobs')).body).toEqual([]);
});

test('a blob that was begun above the floor ends below it, but for that of a worker', async () => {
  const { headers } = await register();
  const statusOf = async (shown: Record<string, string>): Promise<number> => {
    disk.isFull = false;
    const { sha256, bytes } = blobOf(200_000);
    const begun = vi.spyOn(store, 'beginBlob').mockClear();
    const pieces = [bytes.subarray(0, 100_000), bytes.subarray(100_000)];
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (pieces.length === 1) {
          await vi.waitUntil(() => begun.mock.calls.length > 0, { timeout: 20_000 });
          disk.isFull = true;
        }
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    });
    return (await live.call('PUT', `/api/blobs/${sha256}`, { body, headers: shown })).status;
  };
  expect(await statusOf({})).toBe(507);
  expect(await statusOf(headers)).toBe(201);
});

test('what was accepted goes on: claims, results, large ones too, cancels and deletions', async () => {
  const job = await live.submit([1, 2]);
  const other = await live.submit([1]);
  const { path, headers } = await register();
  disk.isFull = true;
  const claim = () => live.call('POST', `${path}/claim`, { json: { max: 1 }, headers });
  const beat = await live.call('POST', `${path}/heartbeat`, { json: { telemetry: {} }, headers });
  expect(beat.status).toBe(200);
  for (const value of [1, 2]) {
    const [{ task_id, attempt, token }] = (await claim()).body.assignments;
    const results = [{ task_id, attempt, token, value }];
    const report = await live.call('POST', `${path}/report`, { json: { results }, headers });
    expect(report.body.rejected).toEqual([]);
  }
  expect(await put(headers)).toBe(201);
  expect((await live.call('GET', `/api/jobs/${job}`)).body.status).toBe('completed');
  expect((await live.call('POST', `/api/jobs/${other}/cancel`)).status).toBe(200);
  expect((await live.call('DELETE', `/api/jobs/${job}`)).status).toBe(200);
});

test('a checkpoint is rejected, and the one before it stays', async () => {
  const job = await live.submit([1], { checkpoint: { interval_seconds: 1 } });
  const { path, headers } = await register();
  const claimed = await live.call('POST', `${path}/claim`, { json: { max: 1 }, headers });
  const [{ task_id, attempt, token }] = claimed.body.assignments;
  const save = async (sequence: number): Promise<Loose> => {
    const checkpoint = { task_id, attempt, token, sequence, progress: 0.1, state: { sequence } };
    const json = { checkpoints: [checkpoint] };
    return (await live.call('POST', `${path}/report`, { json, headers })).body;
  };
  expect((await save(1)).rejected).toEqual([]);
  disk.isFull = true;
  expect((await save(2)).rejected).toMatchObject([{ kind: 'checkpoint', code: 'disk_full' }]);
  const { body } = await live.call('GET', `/api/checkpoints/job/${job}`);
  expect(body).toMatchObject([{ sequence: 1 }]);
  disk.isFull = false;
  expect((await save(3)).rejected).toEqual([]);
});

test('the health checks and the metrics tell it', async () => {
  const told = { is_full: true, free_bytes: 900_000_000, floor_bytes: 256_000_000 };
  disk.isFull = true;
  for (const path of ['/healthz', '/readyz']) {
    const { status, body } = await live.call('GET', path);
    expect([status, body.status, body.disk]).toEqual([200, 'ready', told]);
  }
  expect((await live.call('GET', '/metrics')).text).toContain('\nmuster_disk_full 1\n');
  disk.isFull = false;
  expect((await live.call('GET', '/metrics')).text).toContain('\nmuster_disk_full 0\n');
});
