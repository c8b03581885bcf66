// Sums that are kept of past work: they change no answer, and spare the rows.

import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dayBegin, expectSumsAlike } from '../conformance/kept-sums.ts';
import { batch, jobRow, startAt, workRow } from '../conformance/rows.ts';
import { secondMs, spansMs } from '../sums.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open.ts';
import { makeDirectory } from './testing/directory.ts';

const [dayMs, hourMs] = spansMs;

test('what is kept as sums is what the rows give, to the last bit, on any history', async () => {
  const makeStores = async () =>
    [openSqliteStore(':memory:'), openSqliteStore(':memory:')] as const;
  await expect(expectSumsAlike(makeStores, 80)).resolves.toBeUndefined();
}, 60_000);

/** A file with an hour of work in each of so many hours from `dayBegin` on, all of it summed. */
async function summedFile(hours: number, workers = 1): Promise<{ path: string; store: Store }> {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  const rows = Array.from({ length: hours * workers }, (_, i) =>
    workRow(1, `worker-${i % workers}`, { bucketAt: dayBegin + Math.floor(i / workers) * hourMs }),
  );
  await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], work: rows }), startAt);
  while (await store.keepSums(dayBegin + hours * hourMs));
  return { path, store };
}

const completedBy = async (store: Store, since?: number, until?: number) =>
  (
    await store.sumWork({
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    })
  ).reduce((sum, { completed }) => sum + completed, 0);

test('questions about what is over read no rows', async () => {
  const { path, store } = await summedFile(30);
  await store.close();
  const db = new DatabaseSync(path);
  db.exec('delete from work');
  db.close();
  const reopened = openSqliteStore(path);
  expect(await completedBy(reopened)).toBe(30);
  expect(await completedBy(reopened, dayBegin + 5 * hourMs)).toBe(25);
  expect(await completedBy(reopened, dayBegin + 5 * hourMs, dayBegin + 28 * hourMs)).toBe(23);
  // Within an hour its rows are read.
  expect(await completedBy(reopened, dayBegin + 5 * hourMs + 10 * secondMs)).toBe(24);
  await reopened.close();
});

test('what many workers did in an hour is kept in parts', async () => {
  const { path, store } = await summedFile(2, 1_201);
  await store.close();
  const db = new DatabaseSync(path);
  expect(db.prepare('select count(*) n from work_sums').get()?.n).toBe(6);
  db.close();
  const reopened = openSqliteStore(path);
  expect(await reopened.sumWork({})).toHaveLength(1_201);
  expect(await completedBy(reopened)).toBe(2_402);
  await reopened.close();
});

test('a sum that cannot be read is not taken: the rows count', async () => {
  const { path, store } = await summedFile(26);
  await store.close();
  const db = new DatabaseSync(path);
  db.exec("update work_sums set works = 'damaged'");
  db.close();
  const reopened = openSqliteStore(path);
  expect(await completedBy(reopened)).toBe(26);
  await reopened.close();
});

test('a job that is removed takes only the sums of its own time along', async () => {
  const { path, store } = await summedFile(60);
  const late = workRow(2, 'worker-1', { bucketAt: dayBegin + 50 * hourMs });
  await store.commit(batch({ sequence: 2, work: [late] }), startAt);
  while (await store.keepSums(dayBegin + 72 * hourMs));
  await store.commit(batch({ sequence: 3, deletedJobs: [2] }), startAt);
  expect(await completedBy(store)).toBe(60);
  await store.close();
  const db = new DatabaseSync(path);
  const sums = db.prepare('select span_ms, count(*) n from work_sums group by 1 order by 1').all();
  expect(sums.map(({ span_ms, n }) => [span_ms, n])).toEqual([
    [hourMs, 59],
    [dayMs, 2],
  ]);
  db.close();
});
