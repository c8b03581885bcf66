// What is committed reaches the database by a thread of its own, whatever the commits meanwhile.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { batch, jobRow, startAt } from '../../conformance/rows.ts';
import { openSqliteStore } from '../open.ts';
import { makeDirectory } from '../testing/directory.ts';

const megabyte = 1024 * 1024;
const texts = Array.from({ length: 100 }, (_, i) => JSON.stringify(`${i}`.padEnd(10_000, 'x')));

test('the log is emptied without a pause of the writes, and is gone after the end', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  onTestFinished(() => store.close());
  const rounds = 60;
  for (let round = 0; round < rounds; round++) {
    await store.stageInputs(1, round * texts.length, texts);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await store.commit(batch({ jobs: [jobRow(1, { taskCount: rounds * texts.length })] }), startAt);
  // 60 MB went through it; it is cut to 8 MB each time when it begins anew.
  expect(statSync(`${path}-wal`).size).toBeLessThan(40 * megabyte);
  await store.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(statSync(path).size).toBeGreaterThan(50 * megabyte);
  const again = openSqliteStore(path);
  onTestFinished(() => again.close());
  await again.load();
  const indices = [0, 99, 100, rounds * texts.length - 1];
  const read = await Promise.all(indices.map((index) => again.readInputs(1, [index])));
  expect(read.flat()).toEqual(indices.map((index) => texts[index % texts.length]));
});

test('what is in the log is moved although nothing is written any more', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  onTestFinished(() => store.close());
  for (let i = 0; i < 6; i++) await store.stageInputs(1, i * texts.length, texts);
  await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(3 * megabyte), 30_000);
});

test('who closes twice waits for the same end, and nothing is taken meanwhile', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  for (let i = 0; i < 6; i++) await store.stageInputs(1, i * texts.length, texts);
  const ends = [store.close(), store.close()];
  await expect(store.load()).rejects.toMatchObject({ code: 'store_closed' });
  await Promise.all(ends);
  const again = openSqliteStore(path);
  await again.close();
});

test('small commits need no thread, and keep the log small', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  onTestFinished(() => store.close());
  const threads = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => threads.mockRestore());
  for (let i = 0; i < 150; i++) await store.stageInputs(1, 10 * i, texts.slice(0, 10));
  expect(threads).not.toHaveBeenCalled();
  expect(statSync(`${path}-wal`).size).toBeLessThan(6 * megabyte);
  await store.stageInputs(1, 10_000, texts);
  for (let i = 0; i < 10; i++) await store.stageInputs(1, 20_000 + 100 * i, texts);
  expect(threads).toHaveBeenCalledWith('move');
});
