// A database in which the disk has damaged single values: no wrong value is served, and all others are.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { blobOf } from '../../src/store/conformance/rows.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let folder: string;
let live: LiveServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-damage-'));
  live = await startLiveServer({}, openSqliteStore(join(folder, 'muster.db')));
});

afterEach(async () => {
  await live.close();
  await rm(folder, { recursive: true });
});

function damage(change: string): void {
  const db = new DatabaseSync(join(folder, 'muster.db'));
  db.exec(change);
  db.close();
}

/** With it a job is not small: what it needs is read when it is sent, and not at hand since its submission. */
const long = 'x'.repeat(5_000);

async function followed(job: string): Promise<string> {
  return (await live.call('GET', `/api/jobs/${job}/results?follow=true`)).text;
}

test('a damaged result is an error of its task alone', async () => {
  const worker = await live.worker(({ input }) => ({ value: `value ${String(input)}` }));
  const job = await live.submit([0, 1, 2]);
  await followed(job);
  damage(`update tasks set result = '"value x"' where result = '"value 1"'`);
  const message =
    `What is stored of task ${job}.1 is damaged. Restore a backup of the database, or submit its ` +
    'input again.';
  const results = [
    { index: 0, task_id: `${job}.0`, status: 'completed', value: 'value 0' },
    { index: 1, task_id: `${job}.1`, status: 'failed', error: { type: 'store_damaged', message } },
    { index: 2, task_id: `${job}.2`, status: 'completed', value: 'value 2' },
  ];
  expect((await live.call('GET', `/api/jobs/${job}/results`)).body).toEqual(results);
  const lines = (await followed(job)).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(results);
  for (const path of ['', '/explain']) {
    expect(await live.call('GET', `/api/jobs/${job}/tasks/1${path}`)).toMatchObject({
      status: 500,
      body: { code: 'store_damaged', detail: message },
    });
  }
  expect(await live.call('GET', `/api/jobs/${job}/tasks/2`)).toMatchObject({
    status: 200,
    body: { result: 'value 2' },
  });
  worker.end();
});

test('a damaged input fails its task with the reason, and no other', async () => {
  const job = await live.submit(['a', 'b', long], { max_attempts: 1 });
  damage(`update inputs set json = '"x"' where json = '"b"'`);
  const worker = await live.worker(({ input }) => ({ value: input }));
  const lines = (await followed(job)).trim().split('\n');
  const results = lines.map((line) => JSON.parse(line)).toSorted((a, b) => a.index - b.index);
  expect(results).toMatchObject([
    { status: 'completed', value: 'a' },
    {
      status: 'failed',
      error: {
        type: 'payload_unreadable',
        message: expect.stringContaining(`The stored input of task ${job}.1 is damaged.`),
      },
    },
    { status: 'completed', value: long },
  ]);
  worker.end();
});

test('a damaged program fails the tasks that need it with the reason', async () => {
  const job = await live.submit([long], { max_attempts: 1 });
  damage("update programs set json = replace(json, 'n', 'm')");
  const worker = await live.worker(({ input }) => ({ value: input }));
  expect(JSON.parse(await followed(job))).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining(`The stored program of job ${job} is damaged.`) },
  });
  worker.end();
});

test('a damaged blob is refused from its first byte, or cut off before the damage', async () => {
  const { sha256, bytes } = blobOf(600_000);
  expect((await live.call('PUT', `/api/blobs/${sha256}`, { body: bytes })).status).toBe(201);
  damage('update blob_chunks set bytes = zeroblob(262144) where key % 65536 = 1');
  await expect(fetch(`${live.url}/api/blobs/${sha256}`).then((got) => got.bytes())).rejects.toThrow(
    'terminated',
  );
  damage('update blob_chunks set bytes = zeroblob(262144) where key % 65536 = 0');
  expect(await live.call('GET', `/api/blobs/${sha256}`)).toMatchObject({
    status: 500,
    body: { code: 'store_damaged', detail: expect.stringContaining(sha256) },
  });
});

test('`/healthz` tells what the last check of the database found, once there was one', async () => {
  const found = { checked_at: '2026-10-09T08:00:00.000Z', values: 7, unverified: 1, damaged: 2 };
  const told: (typeof found)[] = [];
  const other = await startLiveServer({}, undefined, {}, { storeHealth: () => told[0] });
  expect((await other.call('GET', '/healthz')).body).toEqual({ status: 'ready', version: '1.2.3' });
  told.push(found);
  expect((await other.call('GET', '/healthz')).body).toEqual({
    status: 'ready',
    version: '1.2.3',
    store: found,
  });
  expect((await other.call('GET', '/readyz')).body).toEqual({ status: 'ready' });
  await other.close();
});
