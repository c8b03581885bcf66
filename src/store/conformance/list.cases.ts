// What is asked of a store by the page.

import { expect, test } from 'vitest';
import type { AcceptedAccount } from '../../core/records.ts';
import type { StoreBench } from './store-bench.ts';
import {
  attemptRow,
  batch,
  completedRow,
  failedRow,
  jobRow,
  payload,
  startAt,
  taskRow,
  workerRow,
} from './rows.ts';
import { visitTasks } from './visiting.ts';

export function listCases(bench: StoreBench): void {
  test('lists jobs newest first, page by page', async () => {
    const { store } = bench;
    await store.commit(batch({ jobs: [1, 4, 2, 9, 7].map((key) => jobRow(key)) }), startAt);
    const keys = async (before: number | null, limit: number) =>
      (await store.listJobs({}, before, limit)).map((job) => job.spec.key);
    expect(await keys(null, 2)).toEqual([9, 7]);
    expect(await keys(7, 2)).toEqual([4, 2]);
    expect(await keys(2, 2)).toEqual([1]);
    expect(await keys(1, 2)).toEqual([]);
  });

  test('lists jobs of a status, of a client, of both', async () => {
    const { store } = bench;
    const jobs = Array.from({ length: 12 }, (_, key) =>
      jobRow(
        key,
        { clientId: key % 2 === 0 ? 'a' : 'b' },
        { status: key % 3 === 0 ? 'running' : 'completed' },
      ),
    );
    await store.commit(batch({ jobs }), startAt);
    const list = async (...asked: Parameters<typeof store.listJobs>) =>
      (await store.listJobs(...asked)).map((job) => job.spec.key);
    expect(await list({ statuses: ['running'] }, null, 3)).toEqual([9, 6, 3]);
    expect(await list({ clientId: 'a' }, 8, 10)).toEqual([6, 4, 2, 0]);
    expect(await list({ clientId: 'b', statuses: ['running'] }, null, 10)).toEqual([9, 3]);
    expect(await list({ statuses: ['failed'] }, null, 10)).toEqual([]);
    expect(await list({ statuses: ['failed', 'running'] }, 9, 10)).toEqual([6, 3, 0]);
    expect(await list({ statuses: ['running', 'completed'], clientId: 'a' }, null, 3)).toEqual([
      10, 8, 6,
    ]);
  });

  test('lists jobs without their task priorities, finds one with them', async () => {
    const { store } = bench;
    const job = jobRow(1, { taskPriorities: Int16Array.of(1, 2) });
    await store.commit(batch({ jobs: [job] }), startAt);
    expect(await store.findJob('job-1')).toEqual(job);
    const listed = { ...job, spec: { ...job.spec, taskPriorities: null } };
    expect(await store.listJobs({}, null, 1)).toEqual([listed]);
    expect(await store.findJobHead('job-1')).toEqual(listed);
  });

  test('lists the rows that exist, in order, without results', async () => {
    const { store } = bench;
    const tasks = [completedRow(1, 9), taskRow(1, 2), completedRow(1, 0), failedRow(1, 5)];
    await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], tasks }), startAt);
    await store.commit(batch({ sequence: 2, tasks: [taskRow(2, 0), taskRow(1, 3)] }), startAt);
    const list = async (from: number, limit: number) =>
      (await store.listTasks(1, from, limit)).map((row) => row.index);
    expect(await list(0, 3)).toEqual([0, 2, 3]);
    expect(await list(4, 3)).toEqual([5, 9]);
    expect(await list(10, 3)).toEqual([]);
    expect((await store.listTasks(1, 0, 1))[0]?.resultJson).toBeNull();
    expect(await store.listTasks(3, 0, 9)).toEqual([]);
  });

  test('lists what was accepted with its account, which no other list reads', async () => {
    const { store } = bench;
    const plain = { energyJoules: null, checkpoints: 0, resumedFrom: null };
    const costly = { ...plain, energyJoules: 12.5 };
    const resumed = {
      energyJoules: 0.25,
      checkpoints: 3,
      resumedFrom: { attempt: 1, progress: 0.5 },
    };
    const done = (index: number, account: AcceptedAccount | null) => ({
      ...completedRow(1, index),
      account,
    });
    const tasks = [done(9, resumed), done(0, plain), done(40_000, costly), done(3, null)];
    const others = [failedRow(1, 5), taskRow(1, 2)];
    await store.commit(
      batch({ jobs: [jobRow(1), jobRow(2)], tasks: [...tasks, ...others] }),
      startAt,
    );
    const list = async (from: number, limit: number) =>
      (await bench.store.listAccepted(1, from, limit)).map(({ index, account }) => [
        index,
        account,
      ]);
    expect(await list(0, 9)).toEqual([
      [0, plain],
      [3, null],
      [9, resumed],
      [40_000, costly],
    ]);
    expect(await list(1, 2)).toEqual([
      [3, null],
      [9, resumed],
    ]);
    expect(await list(40_001, 9)).toEqual([]);
    expect((await store.listAccepted(1, 0, 1))[0]).toEqual({ ...tasks[1], resultJson: null });
    expect(await store.listAccepted(2, 0, 9)).toEqual([]);
    expect(await store.listAccepted(3, 0, 9)).toEqual([]);
    expect((await store.listTasks(1, 9, 1))[0]?.account).toBeNull();
    expect((await store.listResults(1, 9, 1, 1_000))[0]).toMatchObject({ account: null });
    expect((await store.findTask(1, 9))?.account).toBeNull();

    // Written again by somebody who has read neither.
    const again = { ...completedRow(1, 9), resultJson: null, losses: 1 };
    await store.commit(batch({ sequence: 2, tasks: [again] }), startAt);
    await bench.reopen();
    expect(await list(9, 1)).toEqual([[9, resumed]]);
    // An account is replaced as a whole, also by one that knows no energy.
    await bench.store.commit(batch({ sequence: 3, tasks: [done(9, plain)] }), startAt);
    expect(await list(9, 1)).toEqual([[9, plain]]);
    await bench.store.commit(batch({ sequence: 4, deletedJobs: [1] }), startAt);
    expect(await list(0, 9)).toEqual([]);
  });

  test('lists ended attempts with their accounts', async () => {
    const { store } = bench;
    const resumedFrom = { attempt: 1, progress: 0.125 };
    const attempts = [
      attemptRow(1, 0, 1, { account: null }),
      attemptRow(1, 0, 2, { account: { runMs: 7.25, checkpoints: 2, resumedFrom } }),
      attemptRow(1, 0, 3, { account: { runMs: 0, checkpoints: 0, resumedFrom: null } }),
    ];
    await store.commit(batch({ jobs: [jobRow(1)], tasks: [taskRow(1, 0)], attempts }), startAt);
    expect(await (await bench.reopen()).listJobAttempts(1, null, 9)).toEqual(attempts);
  });

  test('reads the rows that exist among those named', async () => {
    const { store } = bench;
    const tasks = [completedRow(1, 1), failedRow(2, 0), taskRow(2, 3, { attempt: 2 })];
    const attempts = [attemptRow(2, 3, 1), attemptRow(1, 1, 1, { token: null })];
    await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], tasks, attempts }), startAt);
    const found = await visitTasks(store, [
      { jobKey: 2, index: 3 },
      { jobKey: 2, index: 4 },
      { jobKey: 1, index: 1 },
      { jobKey: 9, index: 0 },
    ]);
    const past = [{ attempt: 1, workerId: 'worker-1', token: 'lost-2-3-1', outcome: 'lost' }];
    expect(found).toEqual([
      { row: tasks[2], past, checkpoints: [] },
      { row: { ...tasks[0], resultJson: null }, past: [], checkpoints: [] },
    ]);
  });

  test('lists the attempts of a job that did not succeed, page by page', async () => {
    const { store } = bench;
    const attempts = [
      attemptRow(1, 7, 2),
      attemptRow(1, 7, 1),
      attemptRow(1, 7, -1),
      attemptRow(1, 2 ** 24 - 1, 1),
      attemptRow(2, 0, 1),
      attemptRow(1, 0, 3),
    ];
    const tasks = [taskRow(1, 0), taskRow(1, 7), taskRow(1, 2 ** 24 - 1), taskRow(2, 0)];
    const jobs = [jobRow(1, { taskCount: 2 ** 24 }), jobRow(2)];
    await store.commit(batch({ jobs, tasks, attempts }), startAt);
    const list = async (...asked: Parameters<typeof store.listJobAttempts>) =>
      (await store.listJobAttempts(...asked)).map(({ index, attempt }) => [index, attempt]);
    const all = [
      [0, 3],
      [7, -1],
      [7, 1],
      [7, 2],
      [2 ** 24 - 1, 1],
    ];
    expect(await list(1, null, 10)).toEqual(all);
    expect(await list(1, null, 2)).toEqual(all.slice(0, 2));
    expect(await list(1, { index: 7, attempt: -1 }, 2)).toEqual(all.slice(2, 4));
    expect(await list(1, { index: 2 ** 24 - 1, attempt: 1 }, 2)).toEqual([]);
    expect(await list(3, null, 2)).toEqual([]);
  });

  test('lists results of final rows within a bound of bytes, at least one', async () => {
    const { store } = bench;
    const large = JSON.stringify('x'.repeat(10_000));
    const tasks = [
      taskRow(1, 0),
      completedRow(1, 1, large),
      failedRow(1, 3),
      completedRow(1, 5, large),
      completedRow(1, 8, 'null'),
    ];
    await store.commit(batch({ jobs: [jobRow(1)], tasks }), startAt);
    const list = async (from: number, limit: number, bytes: number) =>
      (await store.listResults(1, from, limit, bytes)).map((row) => row.index);
    expect(await list(0, 10, 1e6)).toEqual([1, 3, 5, 8]);
    expect(await list(2, 2, 1e6)).toEqual([3, 5]);
    expect(await list(0, 10, 1)).toEqual([1]);
    expect(await list(0, 10, 12_000)).toEqual([1, 3]);
    expect(await list(9, 10, 1e6)).toEqual([]);
    expect((await store.listResults(1, 1, 1, 1))[0]).toEqual(tasks[1]);
  });

  test('lists rows of one status, however far apart', async () => {
    const { store } = bench;
    const job = jobRow(1, { taskCount: 2 ** 24 });
    const tasks = [
      failedRow(1, 3),
      completedRow(1, 4),
      taskRow(1, 5, { attempt: 2 }),
      failedRow(1, 70_000),
      failedRow(1, 2 ** 24 - 1),
    ];
    const attempts = [attemptRow(1, 5, 1)];
    await store.commit(batch({ jobs: [job], tasks, attempts }), startAt);
    const failed = await store.listTasksByStatus(1, 'failed', 0, 10);
    expect(failed.map(({ row }) => row)).toEqual([tasks[0], tasks[3], tasks[4]]);
    const rest = await store.listTasksByStatus(1, 'failed', 4, 1);
    expect(rest.map(({ row }) => row.index)).toEqual([70_000]);
    expect(await store.listTasksByStatus(1, 'assigned', 0, 10)).toMatchObject([
      { row: tasks[2], past: [{ attempt: 1, token: 'lost-1-5-1' }] },
    ]);
    expect(await store.listTasksByStatus(1, 'cancelled', 0, 10)).toEqual([]);
  });

  test('counts in cells what has not completed, as it is stored', async () => {
    const { store } = bench;
    const tasks = [
      failedRow(1, 3),
      failedRow(1, 4),
      completedRow(1, 5),
      taskRow(1, 6),
      taskRow(1, 9, { status: 'pending' }),
      failedRow(1, 10),
      failedRow(1, 16_000_000),
      failedRow(2, 5),
      taskRow(1, 8, { status: 'cancelled' }),
    ];
    const job = jobRow(1, { taskCount: 2 ** 24 });
    await store.commit(batch({ jobs: [job, jobRow(2)], tasks }), startAt);
    expect(await store.countCells(1, { from: 3, to: 10, width: 2 })).toEqual({
      pending: [0, 0, 0, 1],
      assigned: [0, 1, 0, 0],
      failed: [2, 0, 0, 0],
      cancelled: [0, 0, 1, 0],
    });
    const wide = { from: 0, to: 2 ** 24, width: 10_000_000 };
    expect(await store.countCells(1, wide)).toMatchObject({ pending: [1, 0], failed: [3, 1] });
    const nothing = { pending: [], assigned: [], failed: [], cancelled: [] };
    expect(await store.countCells(1, { from: 7, to: 7, width: 1 })).toEqual(nothing);
    expect(await store.countCells(3, wide)).toBeUndefined();
    const ended = { status: 'cancelled', cancelledAt: startAt, completedAt: startAt } as const;
    const jobs = [jobRow(1, { taskCount: 2 ** 24 }, ended)];
    await store.commit(batch({ sequence: 2, jobs }), startAt);
    expect(await store.countCells(1, wide)).toMatchObject({ pending: [1, 0], assigned: [1, 0] });
  });

  test('lists attempts of a task oldest first, failures of a worker newest first', async () => {
    const { store } = bench;
    const attempts = [
      attemptRow(1, 0, 2, { endedAt: startAt + 30 }),
      attemptRow(1, 0, 1, { endedAt: startAt + 10, token: null, outcome: 'failed' }),
      attemptRow(1, 1, 1, { endedAt: startAt + 20, workerId: 'worker-2' }),
      attemptRow(2, 0, 1, { endedAt: startAt + 30 }),
    ];
    const workers = [workerRow(1), workerRow(2)];
    await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], attempts, workers }), startAt);
    expect(await store.listAttempts(1, 0)).toEqual([attempts[1], attempts[0]]);
    expect(await store.listAttempts(1, 9)).toEqual([]);
    const failures = await store.listFailures('worker-1', 10);
    expect(failures).toEqual([attempts[3], attempts[0], attempts[1]]);
    expect(await store.listFailures('worker-1', 1)).toEqual([attempts[3]]);
  });

  test('keeps what a worker did not take, or had to give back, with its task, and not among its failures', async () => {
    const { store } = bench;
    const rest = { token: null, startedAt: null, count: 56 };
    const attempts = [
      attemptRow(1, 0, -2, { ...rest, outcome: 'withdrawn', count: 1 }),
      attemptRow(1, 0, 2, { token: null, outcome: 'failed' }),
      attemptRow(1, 0, 1, { ...rest, outcome: 'refused' }),
      attemptRow(1, 0, 3, { ...rest, outcome: 'released' }),
      attemptRow(1, 0, 4, { token: null, outcome: 'revoked', errorType: 'cancelled' }),
    ];
    const batched = { jobs: [jobRow(1)], attempts, workers: [workerRow(1)] };
    await store.commit(batch(batched), startAt);
    expect(await store.listAttempts(1, 0)).toEqual([2, 0, 1, 3, 4].map((place) => attempts[place]));
    expect(await store.listFailures('worker-1', 10)).toEqual([attempts[1]]);
  });

  test('moves a failure to the worker that a rewritten attempt names', async () => {
    const { store } = bench;
    const workers = [workerRow(1), workerRow(2)];
    const attempts = [attemptRow(1, 0, 1)];
    await store.commit(batch({ jobs: [jobRow(1)], attempts, workers }), startAt);
    const moved = attemptRow(1, 0, 1, { workerId: 'worker-2', token: null });
    await store.commit(batch({ sequence: 2, attempts: [moved] }), startAt);
    expect(await store.listFailures('worker-1', 10)).toEqual([]);
    expect(await store.listFailures('worker-2', 10)).toEqual([moved]);
  });

  test('reads inputs one after another and scattered', async () => {
    const { store } = bench;
    await store.commit(batch({ jobs: [jobRow(1)], payloads: [payload(1, 10)] }), startAt);
    const read = async (indices: number[]) => (await store.readInputs(1, indices)).join();
    expect(await read([4, 5, 6])).toBe('{"input":4},{"input":5},{"input":6}');
    expect(await read([9, 0, 9])).toBe('{"input":9},{"input":0},{"input":9}');
    expect(await read([])).toBe('');
    await expect(read([10])).rejects.toThrow('input');
    await expect(read([9, 10])).rejects.toThrow('input');
  });
}
