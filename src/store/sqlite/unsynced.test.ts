// Which transactions wait for the disk: all but those that are simply done again.

import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { batch, jobRow, startAt, workerRow, workRow } from '../conformance/rows.ts';
import { spansMs } from '../sums.ts';
import { openSqliteStore } from './open.ts';
import { makeDirectory } from './testing/directory.ts';

const [dayMs] = spansMs;

/** A store with a job that has ended, and what was set since the last question, each time with what was before. */
async function openListening() {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path, { patienceMs: 0 });
  onTestFinished(() => store.close());
  const ended = { status: 'completed', completed: 1, completedAt: startAt } as const;
  const jobs = [jobRow(1, { taskCount: 1 }, ended)];
  await store.commit(batch({ jobs, work: [workRow(1, 'worker-1')] }), startAt);
  const seen: unknown[] = [];
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    sql: string,
  ) {
    // 1 is normal, 2 is full.
    seen.push(this.prepare('pragma synchronous').get()?.['synchronous'], sql);
    this.prepare(sql).run();
  });
  onTestFinished(() => exec.mockRestore());
  return { store, path, taken: () => seen.splice(0) };
}

const once = [2, 'pragma synchronous = normal', 1, 'pragma synchronous = full'];

test('sums, sweeping and pruning do not wait for the disk, and commits afterwards do', async () => {
  const { store, taken } = await openListening();
  expect(await store.keepSums(startAt + 2 * dayMs)).toBe(true);
  expect(taken()).toEqual(once);
  const gone = workerRow(1, { deregisteredAt: startAt - 1, mayReturn: true });
  await store.commit(batch({ sequence: 2, workers: [gone], deletedJobs: [1] }), startAt);
  expect(taken()).toEqual([]);
  await store.sweep(1_000);
  expect(taken()).toEqual(once);
  await store.pruneWorkers(10);
  expect(taken()).toEqual(once);
  await store.commit(batch({ sequence: 3, jobs: [jobRow(2)] }), startAt);
  expect(taken()).toEqual([]);
});

test('inputs of a job that is not there yet do not wait for the disk, and its commit does', async () => {
  const { store, taken } = await openListening();
  await store.stageInputs(2, 0, ['1', '2']);
  expect(taken()).toEqual(once);
  await store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  expect(taken()).toEqual([]);
});

test('a sweep that fails leaves the next commit synced', async () => {
  const { store, path, taken } = await openListening();
  await store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
  const other = new DatabaseSync(path);
  other.prepare('begin immediate').run();
  await expect(store.sweep(1_000)).rejects.toMatchObject({ code: 'store_locked' });
  other.close();
  expect(taken()).toEqual(once);
});
