// What is summed and listed of the past: work, throughput, recovery events, ended jobs.

import { expect, test } from 'vitest';
import type { WorkerRow, WorkSum } from '../rows.ts';
import type { StoreBench } from './store-bench.ts';
import {
  batch,
  idempotencyRow,
  jobRow,
  recoveryRow,
  startAt,
  taskRow,
  workerRow,
  workRow,
} from './rows.ts';
import { visitKey } from './visiting.ts';

const second = 1_000;

export function historyCases(bench: StoreBench): void {
  test('adds work to what is there, and a batch that is repeated only once', async () => {
    const { store } = bench;
    const more = workRow(1, 'worker-1', {
      completed: 2,
      failed: 3,
      retried: 1,
      completedMs: 0.5,
      busyMs: 4,
      energyJoules: 8,
      wastedMs: 0.25,
    });
    await store.commit(batch({ jobs: [jobRow(1)], work: [workRow(1, 'worker-1')] }), startAt);
    for (let times = 0; times < 3; times++) {
      await store.commit(batch({ sequence: 2, work: [more] }), startAt + 1_500);
    }
    const sum: WorkSum = {
      workerId: 'worker-1',
      completed: 3,
      failed: 3,
      retried: 1,
      completedMs: 1_000.5,
      busyMs: 1_004,
      energyJoules: 8,
      wastedMs: 0.25,
    };
    expect(await store.sumWork({})).toEqual([sum]);
    const reopened = await bench.reopen();
    await reopened.commit(batch({ sequence: 2, work: [more] }), startAt + 1_500);
    expect(await reopened.sumWork({ jobKey: 1 })).toEqual([sum]);
  });

  test('sums work per worker, of one job, from a moment on', async () => {
    const { store } = bench;
    const at = (bucket: number, completed: number) => ({
      bucketAt: startAt + bucket * 10 * second,
      completed,
    });
    const work = [
      workRow(1, 'worker-2', at(0, 1)),
      workRow(2, 'worker-2', at(1, 10)),
      workRow(1, 'worker-1', at(1, 100)),
      workRow(2, 'worker-1', at(2, 1_000)),
    ];
    await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], work }), startAt);
    const sums = async (...asked: Parameters<typeof store.sumWork>) =>
      (await store.sumWork(...asked)).map((sum) => [sum.workerId, sum.completed]);
    expect(await sums({})).toEqual([
      ['worker-1', 1_100],
      ['worker-2', 11],
    ]);
    expect(await sums({ jobKey: 1 })).toEqual([
      ['worker-1', 100],
      ['worker-2', 1],
    ]);
    // Rounded down to the bucket that it lies in.
    expect(await sums({ since: startAt + 19_999 })).toEqual([
      ['worker-1', 1_100],
      ['worker-2', 10],
    ]);
    expect(await sums({ jobKey: 1, since: startAt + 20 * second })).toEqual([]);
    expect(await sums({ jobKey: 3 })).toEqual([]);
    // The end is rounded down likewise: nothing is of two periods that adjoin.
    expect(await sums({ until: startAt + 29_999 })).toEqual([
      ['worker-1', 100],
      ['worker-2', 11],
    ]);
    expect(await sums({ since: startAt + 10 * second, until: startAt + 20 * second })).toEqual([
      ['worker-1', 100],
      ['worker-2', 10],
    ]);
    expect(await sums({ jobKey: 1, until: startAt + 10 * second })).toEqual([['worker-2', 1]]);
    expect(await sums({ since: startAt, until: startAt })).toEqual([]);
  });

  test('counts throughput in the second of the commit', async () => {
    const { store } = bench;
    const commits = [0, 999.5, 1_000, 2_500, 4_000, 60_000];
    await store.commit(batch({ jobs: [jobRow(1), jobRow(2)] }), startAt);
    for (const [i, ms] of commits.entries()) {
      const work = [workRow(1, 'worker-1', { failed: i }), workRow(2, 'worker-1')];
      await store.commit(batch({ sequence: i + 2, work }), startAt + ms);
    }
    const from = startAt;
    const to = startAt + 5 * second;
    expect(await store.sumThroughput({ jobKey: 1, from, to, bucketMs: second })).toEqual([
      { at: startAt, completed: 2, failed: 1 },
      { at: startAt + 1_000, completed: 1, failed: 2 },
      { at: startAt + 2_000, completed: 1, failed: 3 },
      { at: startAt + 4_000, completed: 1, failed: 4 },
    ]);
    expect(await store.sumThroughput({ from, to, bucketMs: 2 * second })).toEqual([
      { at: startAt, completed: 6, failed: 3 },
      { at: startAt + 2_000, completed: 2, failed: 3 },
      { at: startAt + 4_000, completed: 2, failed: 4 },
    ]);
    expect(
      await store.sumThroughput({ from: from + 1_000, to: to - 1_000, bucketMs: 3 * second }),
    ).toEqual([{ at: startAt + 1_000, completed: 4, failed: 5 }]);
    expect(await store.sumThroughput({ jobKey: 9, from, to, bucketMs: second })).toEqual([]);
  });

  test('lists recovery events newest first, page by page, of any job and of one', async () => {
    const { store } = bench;
    const recoveries = [1, 2, 3, 4, 5].map((id) => recoveryRow(id, id === 4 ? 2 : 1));
    await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], recoveries }), startAt);
    const ids = async (...asked: Parameters<typeof store.listRecoveries>) =>
      (await store.listRecoveries(...asked)).map((row) => row.id);
    expect(await ids(null, 2)).toEqual([5, 4]);
    expect(await ids(4, 2)).toEqual([3, 2]);
    expect(await ids(2, 2)).toEqual([1]);
    expect(await ids(null, 0)).toEqual([]);
    expect(await ids(5, 2, { jobKey: 1 })).toEqual([3, 2]);
    expect(await ids(null, 9, { jobKey: 3 })).toEqual([]);
  });

  test('loads the recovery events that wait for something, of open jobs', async () => {
    const { store } = bench;
    const done = jobRow(2, {}, { status: 'failed', completedAt: startAt });
    const before = recoveryRow(1, 1);
    await store.commit(batch({ jobs: [jobRow(1), done], recoveries: [before] }), startAt);
    const resumed = { outcome: 'resumed', toWorkerId: 'worker-2', nextAttempt: 2 } as const;
    const recoveries = [
      recoveryRow(9, 1, { outcome: 'restarted' }),
      { ...before, ...resumed },
      recoveryRow(2, 1, { ...resumed, resumedAt: startAt + 9 }),
      recoveryRow(3, 1, { outcome: 'adopted' }),
      recoveryRow(4, 1, { outcome: 'failed' }),
      recoveryRow(5, 1),
      recoveryRow(6, 2),
    ];
    await store.commit(batch({ sequence: 2, recoveries }), startAt);
    const state = await (await bench.reopen()).load();
    expect(state.recoveries).toEqual([recoveries[1], recoveries[5], recoveries[0]]);
    expect(state.nextRecoveryId).toBe(10);
    expect(await bench.store.listRecoveries(null, 9)).toHaveLength(7);
  });

  test('sums recovery events of a period', async () => {
    const { store } = bench;
    const resumedAfter = (id: number, ms: number) => startAt + id * second + ms;
    const recoveries = [
      recoveryRow(1, 1, { outcome: 'failed' }),
      recoveryRow(2, 2, { outcome: 'resumed', resumedAt: resumedAfter(2, 500) }),
      recoveryRow(3, 1, {
        outcome: 'restarted',
        resumedAt: resumedAfter(3, 2_500),
        workSavedSeconds: 1.5,
      }),
      recoveryRow(4, 1, { workSavedSeconds: 2 }),
    ];
    await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], recoveries }), startAt);
    expect(await store.sumRecoveries({})).toEqual({
      events: 4,
      recovered: 2,
      resumed: 2,
      msToResume: 3_000,
      workSavedSeconds: 3.5,
    });
    const since = startAt + 3 * second;
    expect(await store.sumRecoveries({ since })).toMatchObject({ events: 2, msToResume: 2_500 });
    const { events: all } = await store.sumRecoveries({});
    expect(await store.sumRecoveries({ until: since })).toMatchObject({ events: all - 2 });
    expect(await store.sumRecoveries({ jobKey: 2, since })).toMatchObject({ events: 0 });
  });

  test('finds the job of an idempotency key', async () => {
    const { store } = bench;
    const idempotencyKeys = [idempotencyRow('a', 1), idempotencyRow('b', 1)];
    await store.commit(batch({ jobs: [jobRow(1)], idempotencyKeys }), startAt);
    expect(await visitKey(store, 'a')).toEqual(idempotencyKeys[0]);
    expect(await visitKey(store, 'A')).toBeUndefined();
  });

  test('lists jobs that ended, the last one first, from a moment on', async () => {
    const { store } = bench;
    const ended = (key: number, ms: number) =>
      jobRow(
        key,
        { createdAt: startAt + key + 0.5 },
        { status: 'failed', completed: 7, failed: 2, completedAt: startAt + ms },
      );
    const jobs = [ended(1, 50), ended(2, 70), ended(3, 50), ended(4, 20), jobRow(5), ended(6, 90)];
    await store.commit(batch({ jobs, tasks: [taskRow(1, 0)] }), startAt);
    // Retried: open again.
    await store.commit(batch({ sequence: 2, jobs: [jobRow(6)] }), startAt);
    const list = async (since: number | null) =>
      (await Array.fromAsync(store.listEndedJobs(since))).flat();
    expect((await list(null)).map((job) => job.key)).toEqual([2, 3, 1, 4]);
    expect((await list(startAt + 50)).map((job) => job.key)).toEqual([2, 3, 1]);
    expect((await list(null))[0]).toEqual({
      key: 2,
      status: 'failed',
      createdAt: startAt + 2.5,
      completedAt: startAt + 70,
      taskCount: 10,
      completed: 7,
      failed: 2,
    });
  });

  test('lists workers that were deregistered, from a moment on', async () => {
    const { store } = bench;
    const gone = [3, 1, 2].map((key) => workerRow(key, { deregisteredAt: startAt + key }));
    await store.commit(batch({ workers: [...gone, workerRow(4)] }), startAt);
    const list = async (since: number | null) =>
      (await Array.fromAsync(store.listDepartedWorkers(since))).flat();
    expect(await list(null)).toEqual([gone[1], gone[2], gone[0]]);
    expect(await list(startAt + 3)).toEqual([gone[0]]);
  });

  test('lists workers that are registered', async () => {
    const { store } = bench;
    const registered = [3, 1, 2].map((key) => workerRow(key));
    const gone = workerRow(4, { deregisteredAt: startAt });
    await store.commit(batch({ workers: [...registered, gone] }), startAt);
    const list = async () => (await Array.fromAsync(store.listRegisteredWorkers())).flat();
    expect(await list()).toEqual([registered[1], registered[2], registered[0]]);
    await store.commit(
      batch({ sequence: 2, workers: [{ ...registered[1]!, deregisteredAt: startAt }] }),
      startAt,
    );
    expect((await list()).map(({ key }) => key)).toEqual([2, 3]);
    const one = (row: WorkerRow) => store.isRegistered(row.id);
    expect(await Promise.all([...registered, gone, workerRow(5)].map(one))).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  test('prunes workers that were removed before the first job was submitted, and may return', async () => {
    const { store } = bench;
    const removed = (key: number, at: number, mayReturn = true) =>
      workerRow(key, { deregisteredAt: startAt + at, mayReturn });
    const workers = [
      removed(1, 10),
      removed(2, 11),
      removed(3, 12, false),
      removed(4, 20),
      removed(5, 99),
      workerRow(6),
    ];
    const ended = { status: 'completed', completedAt: startAt + 30 } as const;
    const jobs = [
      jobRow(1, { createdAt: startAt + 5 }, ended),
      jobRow(2, { createdAt: startAt + 20 }),
    ];
    await store.commit(batch({ jobs, workers }), startAt);
    const left = async () =>
      (await Array.fromAsync(store.listDepartedWorkers(null))).flat().map(({ key }) => key);
    // The first job may tell of all of them.
    expect(await store.pruneWorkers(9)).toBe(false);
    expect(await left()).toEqual([1, 2, 3, 4, 5]);
    await store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
    expect(await store.pruneWorkers(1)).toBe(true);
    expect(await left()).toEqual([2, 3, 4, 5]);
    expect(await store.pruneWorkers(9)).toBe(false);
    expect(await left()).toEqual([3, 4, 5]);
    expect((await store.load()).workers.map(({ key }) => key)).toEqual([6]);
  });

  test('goes through more rows than one page', async () => {
    const { store } = bench;
    const count = 2_500;
    const keys = Array.from({ length: count }, (_, i) => i + 1);
    const ended = { status: 'completed', completedAt: startAt } as const;
    await store.commit(
      batch({
        jobs: keys.map((key) => jobRow(key, {}, ended)),
        workers: keys.map((key) => workerRow(key, { deregisteredAt: startAt })),
        recoveries: keys.map((key) => recoveryRow(key, key)),
        work: keys.map((key) => workRow(key, `worker-${key % 3}`)),
        deletedJobs: keys.slice(100, 2_400),
      }),
      startAt,
    );
    const sums = await store.sumWork({});
    expect(sums.reduce((sum, { completed }) => sum + completed, 0)).toBe(200);
    const throughput = { from: startAt, to: startAt + second, bucketMs: second };
    expect(await store.sumThroughput(throughput)).toEqual([
      { at: startAt, completed: 200, failed: 0 },
    ]);
    expect((await store.listRecoveries(null, 150)).at(-1)?.id).toBe(51);
    expect((await store.sumRecoveries({})).events).toBe(200);
    expect((await Array.fromAsync(store.listEndedJobs(null))).flat()).toHaveLength(200);
    expect((await Array.fromAsync(store.listDepartedWorkers(null))).flat()).toHaveLength(count);
    const returned = keys.map((key) => workerRow(key));
    await store.commit(batch({ sequence: 2, workers: returned }), startAt);
    const registered = (await Array.fromAsync(store.listRegisteredWorkers())).flat();
    expect(registered.map(({ key }) => key)).toEqual(keys);
  });
}
