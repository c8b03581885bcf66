// What waits for the disk, and what nobody is told or shown before it is there.

import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { batch, blobOf, jobRow, startAt, workerRow, workRow } from '../conformance/rows.ts';
import { spansMs } from '../sums.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open.ts';
import { makeDirectory } from './testing/directory.ts';

const [dayMs] = spansMs;

/** A disk whose syncs are counted, and end only when they are let. */
class SlowDisk {
  syncs = 0;
  #isHeld = false;
  #waiting: PromiseWithResolvers<void>[] = [];
  #begun = Promise.withResolvers<void>();

  readonly sync = async (): Promise<void> => {
    this.syncs++;
    this.#begun.resolve();
    if (!this.#isHeld) return;
    const waiting = Promise.withResolvers<void>();
    this.#waiting.push(waiting);
    await waiting.promise;
  };

  hold(): void {
    this.#isHeld = true;
    this.#begun = Promise.withResolvers();
  }

  /** Resolves with the first sync since the disk was held. */
  begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** With an error, the syncs that wait fail. */
  release(error?: Error): void {
    this.#isHeld = false;
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (error === undefined) resolve();
      else reject(error);
    }
  }

  take(): number {
    return [this.syncs, (this.syncs = 0)][0]!;
  }
}

/** A store with a job that has ended. */
async function openOn(disk: SlowDisk): Promise<{ store: Store; path: string }> {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path, { patienceMs: 0, syncLog: disk.sync });
  onTestFinished(() => {
    disk.release();
    return store.close();
  });
  const ended = { status: 'completed', completed: 1, completedAt: startAt } as const;
  const jobs = [jobRow(1, { taskCount: 1 }, ended)];
  await store.commit(batch({ jobs, work: [workRow(1, 'worker-1')] }), startAt);
  disk.syncs = 0;
  return { store, path };
}

/** Whether it has settled by now; everything that can go on without the disk has gone on. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let is = false;
  void promise.then(
    () => (is = true),
    () => (is = true),
  );
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
  return is;
}

test('a commit resolves when the disk has it, and not before', async () => {
  const disk = new SlowDisk();
  const { store } = await openOn(disk);
  disk.hold();
  const commit = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  await disk.begun();
  expect(await hasSettled(commit)).toBe(false);
  disk.release();
  await commit;
  expect(disk.take()).toBe(1);
});

test('nobody reads what the disk does not have yet', async () => {
  const disk = new SlowDisk();
  const { store } = await openOn(disk);
  disk.hold();
  const commit = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  await disk.begun();
  const reads = [
    store.findJobHead('job-2'),
    store.listJobs({}, null, 9),
    store.listTasks(2, 0, 9),
    store.listResults(2, 0, 9, 1e6),
    store.sumWork({}),
    store.listRecoveries(null, 9),
    store.listAudit({}, null, 9),
    store.loadTokens(),
    store.findBlob('none'),
  ];
  for (const read of reads) expect(await hasSettled(read)).toBe(false);
  disk.release();
  await Promise.all([commit, ...reads]);
  expect((await store.listJobs({}, null, 9)).map(({ spec }) => spec.key)).toEqual([2, 1]);
});

test('a read that comes in one turn with a commit shows nothing of it before the disk has it', async () => {
  const disk = new SlowDisk();
  const { store } = await openOn(disk);
  disk.hold();
  const read = store.findJobHead('job-2');
  const commit = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  await disk.begun();
  const seen = (await hasSettled(read)) ? await read : undefined;
  expect(seen).toBeUndefined();
  disk.release();
  await Promise.all([commit, read]);
});

test('a write waits for its own sync only, not for those of writes that came meanwhile', async () => {
  const disk = new SlowDisk();
  const { store } = await openOn(disk);
  disk.hold();
  const first = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  const read = store.findJobHead('job-2');
  await disk.begun();
  const second = store.commit(batch({ sequence: 3, jobs: [jobRow(3)] }), startAt);
  disk.release();
  disk.hold();
  expect((await Promise.all([first, read]))[1]).toBeDefined();
  await disk.begun();
  expect(await hasSettled(second)).toBe(false);
  disk.release();
  await second;
});

test('two writes that come during a sync share the next one', async () => {
  const disk = new SlowDisk();
  const { store } = await openOn(disk);
  const { sha256, bytes } = blobOf(1_000);
  disk.hold();
  const first = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  await disk.begun();
  const others = [
    store.beginBlob().finish(sha256, startAt),
    store.commit(batch({ sequence: 3, jobs: [jobRow(3)] }), startAt),
  ];
  expect(await hasSettled(Promise.race(others))).toBe(false);
  disk.release();
  await Promise.all([first, ...others]);
  expect(disk.take()).toBe(2);
  expect(bytes).toHaveLength(1_000);
});

test('a commit that was written before waits for the disk as well', async () => {
  const disk = new SlowDisk();
  const { store } = await openOn(disk);
  disk.hold();
  const commit = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  await disk.begun();
  const again = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  expect(await hasSettled(again)).toBe(false);
  disk.release();
  await Promise.all([commit, again]);
});

test('after a sync that failed nothing is told, shown or written any more', async () => {
  const disk = new SlowDisk();
  const { store, path } = await openOn(disk);
  disk.hold();
  const commit = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  await disk.begun();
  const read = store.findJobHead('job-1');
  disk.release(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
  const fault = {
    code: 'store_write_failed',
    message: `The database ${path} could not be written (EIO: i/o error, fdatasync).`,
  };
  await expect(commit).rejects.toMatchObject(fault);
  await expect(read).rejects.toMatchObject(fault);
  // The disk answers again, but may have lost what it was given before.
  await expect(store.listJobs({}, null, 9)).rejects.toMatchObject(fault);
  const next = store.commit(batch({ sequence: 3, jobs: [jobRow(3)] }), startAt);
  await expect(next).rejects.toMatchObject(fault);
});

test('a disk that finds no space at the sync says so', async () => {
  const disk = new SlowDisk();
  const { store, path } = await openOn(disk);
  disk.hold();
  const commit = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  await disk.begun();
  disk.release(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }));
  const message = `The disk is full: no space is left for the database ${path}.`;
  await expect(commit).rejects.toMatchObject({ code: 'store_full', message });
});

test('a store that is closed during a sync waits for it, and keeps its commit', async () => {
  const disk = new SlowDisk();
  const { store, path } = await openOn(disk);
  disk.hold();
  const commit = store.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  await disk.begun();
  const close = store.close();
  expect(await hasSettled(close)).toBe(false);
  await expect(store.findJobHead('job-1')).rejects.toMatchObject({ code: 'store_closed' });
  disk.release();
  await Promise.all([commit, close]);
  const reopened = openSqliteStore(path);
  expect((await reopened.load()).sequence).toBe(2);
  await reopened.close();
});

test('what was acknowledged is in the files as the disk has them', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const kept = join(await makeDirectory(), 'muster.db');
  const copy = async (): Promise<void> => {
    for (const suffix of ['', '-wal']) await copyFile(path + suffix, kept + suffix);
  };
  const store = openSqliteStore(path, { syncLog: copy });
  onTestFinished(() => store.close());
  const { sha256, bytes } = blobOf(600_000);
  for (let sequence = 1; sequence <= 5; sequence++) {
    await store.stageInputs(sequence, 0, ['1', '2']);
    await store.commit(batch({ sequence, jobs: [jobRow(sequence)] }), startAt);
  }
  await store.putBlob(sha256, bytes, startAt);
  const others = openSqliteStore(kept, { syncLog: async () => undefined });
  expect((await others.load()).sequence).toBe(5);
  expect(await others.readInputs(5, [0, 1])).toEqual(['1', '2']);
  expect(await others.readBlob(sha256)).toEqual(bytes);
  await others.close();
  expect(dirname(kept)).not.toBe(dirname(path));
});

test('sums, sweeping, pruning and inputs of a job to come do not wait for the disk', async () => {
  const disk = new SlowDisk();
  const { store } = await openOn(disk);
  expect(await store.keepSums(startAt + 2 * dayMs)).toBe(true);
  const gone = workerRow(1, { deregisteredAt: startAt - 1, mayReturn: true });
  await store.commit(batch({ sequence: 2, workers: [gone], deletedJobs: [1] }), startAt);
  expect(disk.take()).toBe(1);
  await store.sweep(1_000);
  await store.pruneWorkers(10);
  await store.stageInputs(await store.reserveJobKeys(1), 0, ['1', '2']);
  expect(disk.take()).toBe(0);
  await store.commit(batch({ sequence: 3, jobs: [jobRow(3)] }), startAt);
  expect(disk.take()).toBe(1);
});

test('a sweep that fails leaves the next commit to wait for the disk', async () => {
  const disk = new SlowDisk();
  const { store, path } = await openOn(disk);
  await store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
  const other = new DatabaseSync(path);
  other.prepare('begin immediate').run();
  await expect(store.sweep(1_000)).rejects.toMatchObject({ code: 'store_locked' });
  other.close();
  disk.take();
  await store.commit(batch({ sequence: 3, jobs: [jobRow(3)] }), startAt);
  expect(disk.take()).toBe(1);
});
