// Every row comes back as it was written, at once and after the file was closed and opened.

import { expect, test } from 'vitest';
import { noTotals } from '../../core/totals.ts';
import { contentOf, fullBatch, fullContent } from './full-batch.ts';
import type { StoreBench } from './store-bench.ts';
import {
  attemptRow,
  awkward,
  batch,
  completedRow,
  failedRow,
  jobRow,
  startAt,
  taskRow,
  workerRow,
} from './rows.ts';
import { visitWorker } from './visiting.ts';

export function rowCases(bench: StoreBench): void {
  test('is empty when new', async () => {
    expect(await bench.store.load()).toEqual({
      generation: 1,
      sequence: 0,
      ownerCounters: new Map(),
      config: null,
      jobs: [],
      tasks: [],
      workers: [],
      recoveries: [],
      counters: {
        total: 0,
        pending: 0,
        running: 0,
        completed: 0,
        failed: 0,
        cancelled: 0,
        tasks: 0,
        tasksCompleted: 0,
      },
      totals: noTotals(),
      nextWorkerKey: 1,
      nextRecoveryId: 1,
      nextCheckpointId: 1,
      nextNotificationId: 1,
      hasSchedulerChanges: false,
      hasBlobs: false,
      lastCommitAt: null,
    });
  });

  test('gives back every field of every row after it was opened again', async () => {
    const rows = fullBatch();
    await bench.store.commit(rows, startAt + 5);
    expect(await contentOf(bench.store)).toEqual(fullContent(rows));
    expect(await contentOf(await bench.reopen())).toEqual(fullContent(rows));
  });

  test('a batch that is repeated changes nothing', async () => {
    const rows = fullBatch();
    await bench.store.commit(rows, startAt + 5);
    await bench.store.commit(rows, startAt + 5);
    expect(await contentOf(bench.store)).toEqual(fullContent(rows));
    expect(await bench.store.listFailures('worker-1', 10)).toHaveLength(1);
    await bench.store.commit(batch({ sequence: 76, jobs: [jobRow(9)] }), startAt + 9);
    expect(await contentOf(await bench.reopen())).toEqual(fullContent(rows));
  });

  test('a row that is written again is replaced, a list may become empty', async () => {
    const { store } = bench;
    const avoid = ['worker-1', 'worker-2'];
    await store.commit(batch({ jobs: [jobRow(1)], tasks: [taskRow(1, 0, { avoid })] }), startAt);
    const changed = jobRow(1, {}, { status: 'running', cursors: [7, 0, 3], startedAt: startAt });
    const task = taskRow(1, 0, { status: 'pending', token: null, notBefore: startAt + 0.25 });
    await store.commit(batch({ sequence: 2, jobs: [changed], tasks: [task] }), startAt);
    const state = await store.load();
    expect(state.jobs).toEqual([changed]);
    expect(state.tasks).toEqual([{ row: task, past: [], checkpoints: [] }]);
    expect(state.sequence).toBe(2);
  });

  test('keeps the result of a completed task that is written without it', async () => {
    const { store } = bench;
    await store.commit(batch({ jobs: [jobRow(1)], tasks: [completedRow(1, 0, '"r"')] }), startAt);
    const again = { ...completedRow(1, 0), resultJson: null, runMs: 1 };
    await store.commit(batch({ sequence: 2, tasks: [again] }), startAt);
    expect(await store.findTask(1, 0)).toEqual({ ...again, resultJson: '"r"' });
  });

  test('keeps awkward text and a result of a megabyte to the letter', async () => {
    const large = JSON.stringify('é'.repeat(2 ** 20));
    const texts = [JSON.stringify(awkward), '""', 'null', '[]', '"\\ud800"', large];
    const { store } = bench;
    const job = jobRow(1, { name: awkward, clientId: awkward, requirements: {} });
    const tasks = texts.map((text, index) => ({
      ...completedRow(1, index, text),
      errorType: '',
      errorMessage: awkward,
      workerId: awkward,
    }));
    await store.commit(batch({ jobs: [job], tasks }), startAt);
    const reopened = await bench.reopen();
    expect(await reopened.findJob('job-1')).toEqual(job);
    for (const row of tasks) expect(await reopened.findTask(1, row.index)).toEqual(row);
  });

  test('reserves keys of jobs, and no key twice, neither after it was opened again', async () => {
    const { store } = bench;
    expect(await store.reserveJobKeys(1000)).toBe(1);
    expect(await store.reserveJobKeys(1)).toBe(1001);
    await store.commit(batch({ jobs: [jobRow(7)] }), startAt);
    const reopened = await bench.reopen();
    expect(await reopened.reserveJobKeys(2)).toBe(1002);
    // One that nobody had reserved.
    await reopened.commit(batch({ sequence: 2, jobs: [jobRow(2000)] }), startAt);
    expect(await reopened.reserveJobKeys(1)).toBe(2001);
  });

  test('confirms what memory holds at once, and nothing once it is closed', async () => {
    const { store } = bench;
    await store.commit(batch({ jobs: [jobRow(1)] }), startAt);
    await store.confirm();
    await bench.reopen();
    await expect(store.confirm()).rejects.toMatchObject({ code: 'store_closed' });
  });

  test('holds keys and indices at the ends of their ranges', async () => {
    const { store } = bench;
    const job = jobRow(2 ** 29 - 2, { taskCount: 2 ** 24 });
    const { key } = job.spec;
    const tasks = [taskRow(key, 0), taskRow(key, 2 ** 24 - 1)];
    await store.commit(batch({ jobs: [job], tasks }), startAt);
    expect(await store.listTasks(key, 0, 10)).toEqual(tasks);
    expect((await store.load()).tasks.map((task) => task.row)).toEqual(tasks);
    expect(await store.reserveJobKeys(1)).toBe(2 ** 29 - 1);
  });

  test('counts jobs by status, and tasks', async () => {
    const jobs = [
      jobRow(1),
      jobRow(2, {}, { status: 'running', completed: 2 }),
      jobRow(3, {}, { status: 'completed', completed: 10, completedAt: startAt }),
      jobRow(4, { taskCount: 5 }, { status: 'failed', failed: 1, completedAt: startAt }),
    ];
    await bench.store.commit(batch({ jobs }), startAt);
    const { counters, jobs: open } = await bench.store.load();
    expect(counters).toEqual({
      total: 4,
      pending: 1,
      running: 1,
      completed: 1,
      failed: 1,
      cancelled: 0,
      tasks: 35,
      tasksCompleted: 12,
    });
    expect(open.map((job) => job.spec.key)).toEqual([1, 2]);
  });

  test('loads tasks of open jobs that are not final, with their past attempts', async () => {
    const { store } = bench;
    const done = jobRow(2, {}, { status: 'completed', completedAt: startAt });
    const tasks = [
      taskRow(1, 4, { attempt: 3 }),
      taskRow(1, 2, { status: 'pending', token: null, attempt: 1, notBefore: startAt + 7 }),
      completedRow(1, 1),
      failedRow(1, 3),
      completedRow(2, 0),
    ];
    const attempts = [
      attemptRow(1, 4, 2, { outcome: 'timed_out' }),
      attemptRow(1, 4, 1, { token: null, outcome: 'revoked' }),
      attemptRow(1, 2, 1),
      attemptRow(1, 3, 1),
    ];
    await store.commit(batch({ jobs: [done, jobRow(1)], tasks, attempts }), startAt);
    const loaded = (await (await bench.reopen()).load()).tasks;
    expect(loaded.map(({ row, past }) => [row.index, past])).toEqual([
      [2, [{ attempt: 1, workerId: 'worker-1', token: 'lost-1-2-1', outcome: 'lost' }]],
      [4, [{ attempt: 2, workerId: 'worker-1', token: 'lost-1-4-2', outcome: 'timed_out' }]],
    ]);
  });

  test('knows a deregistered worker and does not load it', async () => {
    const gone = workerRow(2, {
      deregisteredAt: startAt + 9,
      draining: { since: startAt + 1, deadline: startAt + 7 },
      leaseMs: 60_000,
      leaseNowMs: 300_000,
      joined: { tokenId: 'token1', label: 'second laptop' },
      givenName: 'desk',
      waitsUntil: startAt + 3,
    });
    await bench.store.commit(batch({ workers: [workerRow(3), gone, workerRow(1)] }), startAt);
    const { workers, nextWorkerKey } = await bench.store.load();
    expect(workers.map((row) => row.key)).toEqual([1, 3]);
    expect(nextWorkerKey).toBe(4);
    expect(await visitWorker(bench.store, 'worker-2')).toEqual(gone);
    expect(await visitWorker(bench.store, 'worker-9')).toBeUndefined();
  });

  test('answers with `store_closed` once it is closed', async () => {
    const { store } = bench;
    await store.close();
    await expect(store.load()).rejects.toMatchObject({ code: 'store_closed' });
    await expect(store.commit(batch(), startAt)).rejects.toMatchObject({ code: 'store_closed' });
    await expect(store.listResults(1, 0, 1, 1)).rejects.toMatchObject({ code: 'store_closed' });
    await store.close();
  });
}
