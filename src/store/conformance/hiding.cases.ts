// What nobody sees: cleared generations, submissions that are not complete, and the true status of
// tasks whose job was ended as a whole.

import { expect, test } from 'vitest';
import type { DamagedTask, TaskRow } from '../rows.ts';
import type { Store } from '../store.ts';
import type { StoreBench } from './store-bench.ts';
import {
  attemptRow,
  batch,
  completedRow,
  failedRow,
  idempotencyRow,
  jobRow,
  newCheckpoint,
  payload,
  programRow,
  recoveryRow,
  startAt,
  taskRow,
  traceRow,
  workerRow,
  workRow,
} from './rows.ts';
import { visitKey, visitTasks, visitWorker } from './visiting.ts';

export function hidingCases(bench: StoreBench): void {
  test('a task of a cancelled job that is not final reads as cancelled everywhere', async () => {
    const { store } = bench;
    const job = jobRow(1, {}, { status: 'running' });
    const attempt = { attempt: 1, workerId: 'worker-1', token: 'live', assignedAt: startAt };
    const live = { ...attempt, runBeforeMs: 0 };
    const tasks = [
      taskRow(1, 0, { attempt: 2, others: [live] }),
      taskRow(1, 1, { status: 'pending', token: null, notBefore: startAt + 60 }),
      completedRow(1, 2),
      failedRow(1, 3),
    ];
    await store.commit(batch({ jobs: [job], tasks, attempts: [attemptRow(1, 0, 1)] }), startAt);
    const cancelledAt = startAt + 50;
    const ended = { status: 'cancelled', cancelledAt, completedAt: cancelledAt } as const;
    await store.commit(batch({ sequence: 2, jobs: [{ ...job, ...ended }] }), startAt);

    const seen = ['cancelled', 'cancelled', 'completed', 'failed'];
    const named = tasks.map(({ jobKey, index }) => ({ jobKey, index }));
    const statuses = async (rows: Promise<readonly (TaskRow | DamagedTask)[]>) =>
      (await rows).map((row) => 'status' in row && row.status);
    expect(await statuses(store.listTasks(1, 0, 9))).toEqual(seen);
    expect(await statuses(store.listResults(1, 0, 9, 1e6))).toEqual(seen);
    expect((await visitTasks(store, named)).map(({ row }) => row.status)).toEqual(seen);
    const cancelled = await store.listTasksByStatus(1, 'cancelled', 0, 9);
    expect(cancelled.map(({ row }) => row.index)).toEqual([0, 1]);
    expect(await store.listTasksByStatus(1, 'assigned', 0, 9)).toEqual([]);
    const gone = {
      ...tasks[0],
      status: 'cancelled',
      token: null,
      others: [],
      runBeforeMs: null,
      completedAt: cancelledAt,
    };
    expect(await store.findTask(1, 0)).toEqual(gone);
    expect((await store.load()).tasks).toEqual([]);
  });

  test('a job that was given up hides its open tasks until it is retried', async () => {
    const { store } = bench;
    const failed = jobRow(1, {}, { status: 'failed', completedAt: startAt + 5 });
    const tasks = [taskRow(1, 0, { status: 'pending', token: null }), failedRow(1, 1)];
    await store.commit(batch({ jobs: [failed], tasks }), startAt);
    expect((await store.findTask(1, 0))?.status).toBe('cancelled');
    await store.commit(batch({ sequence: 2, jobs: [jobRow(1)] }), startAt);
    expect((await store.findTask(1, 0))?.status).toBe('pending');
  });

  test('a new generation hides everything at once, then sweeping removes it', async () => {
    const { store } = bench;
    await fill(store, 1, 1);
    await store.stageInputs(6, 0, ['1', '2']);
    await store.commit(batch({ sequence: 2, generation: 2 }), startAt + 1);
    await expectGone(store);
    await fill(store, 8, 2, 3);

    await sweepAll(store);
    await expectGone(store);
    const state = await (await bench.reopen()).load();
    expect(state.generation).toBe(2);
    expect(state.jobs.map((job) => job.spec.key)).toEqual([8]);
    expect(state.tasks.map(({ row }) => row.jobKey)).toEqual([8]);
    expect(state.workers.map((row) => row.key)).toEqual([8]);
    expect(await bench.store.readInputs(8, [0])).toEqual(['{"input":0}']);
    expect(await bench.store.listFailures('worker-8', 9)).toHaveLength(1);
  });

  test('keys are never used again, though all that had them is swept', async () => {
    const { store } = bench;
    await fill(store, 40, 1);
    await store.commit(batch({ sequence: 2, generation: 2 }), startAt);
    await sweepAll(store);
    const state = await (await bench.reopen()).load();
    const { nextWorkerKey, nextRecoveryId, nextCheckpointId } = state;
    const next = [
      await bench.store.reserveJobKeys(1),
      nextWorkerKey,
      nextRecoveryId,
      nextCheckpointId,
    ];
    expect(next).toEqual([41, 141, 41, 41]);
  });

  test('a job that is written with an older generation is gone', async () => {
    const { store } = bench;
    await fill(store, 1, 1);
    await store.commit(batch({ sequence: 2, jobs: [jobRow(1, { generation: 0 })] }), startAt);
    expect(await store.findJob('job-1')).toBeUndefined();
    expect(await store.listTasks(1, 0, 9)).toEqual([]);
    await sweepAll(store);
    expect((await store.load()).counters.total).toBe(0);
    expect(await store.listFailures('worker-1', 9)).toEqual([]);
  });

  test('a deleted job is gone at once, and only that one', async () => {
    const { store } = bench;
    await fill(store, 1, 1);
    await fill(store, 2, 1, 2);
    const ended = { status: 'completed', completed: 10, completedAt: startAt + 9 } as const;
    const jobs = [1, 2].map((key) => jobRow(key, {}, ended));
    await store.commit(batch({ sequence: 3, jobs }), startAt);
    await store.commit(batch({ sequence: 4, deletedJobs: [1, 99] }), startAt);
    await expectJobGone(store);
    expect(await store.listFailures('worker-1', 9)).toEqual([]);
    expect(await visitWorker(store, 'worker-1')).toEqual(workerRow(1));
    await sweepAll(store);

    const state = await (await bench.reopen()).load();
    expect(state.counters).toMatchObject({ total: 1, completed: 1, tasks: 10, tasksCompleted: 10 });
    expect(await bench.store.reserveJobKeys(1)).toBe(3);
    await expectJobGone(bench.store);
    expect(await bench.store.findJob('job-2')).toEqual(jobs[1]);
    expect(await visitKey(bench.store, 'key-2')).toEqual(idempotencyRow('key-2', 2));
    expect(await bench.store.sumWork({})).toMatchObject([{ workerId: 'worker-2', completed: 1 }]);
    expect(await bench.store.listRecoveries(null, 9)).toEqual([recoveryRow(2, 2)]);
    expect(await bench.store.sumCheckpoints({})).toEqual({ count: 1, storedBytes: 102 });
    expect(await bench.store.readCheckpointState(2)).toBeDefined();
    expect(await bench.store.listFailures('worker-2', 9)).toHaveLength(1);
  });

  test('an idempotency key that was used again outlives the job it named before', async () => {
    const { store } = bench;
    await fill(store, 1, 1);
    await store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
    const again = idempotencyRow('key-1', 2);
    await store.commit(
      batch({ sequence: 3, jobs: [jobRow(2)], idempotencyKeys: [again] }),
      startAt,
    );
    await sweepAll(store);
    expect(await visitKey(store, 'key-1')).toEqual(again);
  });

  test('what belongs to a job that was cleared by the batch that submitted it is left out', async () => {
    const { store } = bench;
    const rows = {
      recoveries: [recoveryRow(4, 1)],
      checkpoints: [newCheckpoint(4, 1)],
      idempotencyKeys: [idempotencyRow('key-1', 1)],
      work: [workRow(1, 'worker-1')],
    };
    await store.commit(batch({ ...rows, generation: 2 }), startAt);
    await store.commit(batch({ sequence: 2, jobs: [jobRow(1, { generation: 2 })] }), startAt);
    await expectNothingOfJobOne(store);
    expect(await store.load()).toMatchObject({ nextRecoveryId: 5, nextCheckpointId: 5 });
  });

  test('what comes for a job after it was deleted is left out', async () => {
    const { store } = bench;
    await fill(store, 1, 1);
    const rows = {
      recoveries: [recoveryRow(4, 1)],
      checkpoints: [newCheckpoint(4, 1)],
      idempotencyKeys: [idempotencyRow('key-1', 1)],
      work: [workRow(1, 'worker-1')],
    };
    await store.commit(batch({ sequence: 2, deletedJobs: [1], ...rows }), startAt);
    await store.commit(batch({ sequence: 3, ...rows, checkpoints: [] }), startAt);
    await expectNothingOfJobOne(store);
    await sweepAll(store);
    await expectNothingOfJobOne(store);
    expect(await store.load()).toMatchObject({ nextRecoveryId: 5, nextCheckpointId: 5 });
  });

  test('staged inputs belong to nobody until the commit that shows the job', async () => {
    const { store } = bench;
    await store.stageInputs(1, 0, ['0', '1']);
    await store.stageInputs(1, 2, ['2']);
    expect(await store.readInputs(1, [0])).toEqual([]);
    expect(await store.listJobs({}, null, 9)).toEqual([]);
    const shown = { jobKey: 1, program: programRow('{}'), inputs: [] };
    await store.commit(batch({ jobs: [jobRow(1)], payloads: [shown] }), startAt);
    expect(await store.readInputs(1, [0, 1, 2])).toEqual(['0', '1', '2']);
    await (await bench.reopen()).load();
    await sweepAll(bench.store);
    expect(await bench.store.readInputs(1, [2])).toEqual(['2']);
  });

  test('inputs are staged behind those before them only, and never behind what was dropped', async () => {
    const { store } = bench;
    expect(await store.stageInputs(1, 1, ['1'])).toBe(false);
    expect(await store.stageInputs(1, 0, ['0', '1'])).toBe(true);
    expect(await store.stageInputs(1, 3, ['3'])).toBe(false);
    expect(await store.sealStaged(1, 3)).toBe(false);
    expect(await store.sealStaged(2, 1)).toBe(false);
    expect(await store.stageInputs(1, 2, ['2'])).toBe(true);
    expect(await store.sealStaged(1, 3)).toBe(true);
    await store.dropStaged(1);
    expect(await store.stageInputs(1, 0, ['0'])).toBe(false);
    expect(await store.stageInputs(1, 3, ['3'])).toBe(false);
    expect(await store.sealStaged(1, 3)).toBe(false);
    await sweepAll(store);
    expect(await store.stageInputs(1, 3, ['3'])).toBe(false);
    expect(await store.sealStaged(1, 3)).toBe(false);
  });

  test.each([
    ['were never stored', async () => undefined],
    ['were dropped', (store: Store) => store.dropStaged(1)],
  ])('a job is not written when inputs that were staged for it %s', async (_why, lose) => {
    const { store } = bench;
    await store.stageInputs(1, 0, ['0', '1']);
    await store.stageInputs(2, 0, ['0', '1']);
    const whole = { jobKey: 2, program: programRow('{}'), inputs: [], staged: 2 };
    await store.commit(batch({ jobs: [jobRow(2)], payloads: [whole] }), startAt);
    await lose(store);
    const staged = { ...whole, jobKey: 1, staged: 3 };
    const commit = store.commit(
      batch({ sequence: 2, jobs: [jobRow(1)], payloads: [staged] }),
      startAt,
    );
    await expect(commit).rejects.toMatchObject({
      code: 'store_write_failed',
      message: expect.stringContaining('submit the job again') as string,
    });
    const reopened = await bench.reopen();
    expect((await reopened.load()).jobs.map(({ spec }) => spec.key)).toEqual([2]);
    expect(await reopened.readInputs(1, [0])).toEqual([]);
    expect(await reopened.readInputs(2, [0, 1])).toEqual(['0', '1']);
  });

  test('what was staged is dropped on request, and by a start', async () => {
    const { store } = bench;
    await store.stageInputs(3, 0, ['0', '1']);
    await store.dropStaged(3);
    await sweepAll(store);
    await store.stageInputs(5, 0, ['0', '1']);
    const reopened = await bench.reopen();
    await reopened.load();
    await sweepAll(reopened);
    await reopened.commit(batch({ jobs: [jobRow(3), jobRow(5)] }), startAt);
    await expect(reopened.readInputs(3, [0])).rejects.toThrow('input');
    await expect(reopened.readInputs(5, [0])).rejects.toThrow('input');
  });

  test('a payload whose job was cleared in the same batch leaves nothing', async () => {
    const { store } = bench;
    await store.stageInputs(2, 0, ['0']);
    const shown = { jobKey: 2, program: programRow('{}'), inputs: [] };
    await store.commit(batch({ payloads: [shown, payload(1, 2)], generation: 2 }), startAt);
    await sweepAll(store);
    await store.commit(
      batch({ sequence: 2, jobs: [1, 2].map((key) => jobRow(key, { generation: 2 })) }),
      startAt,
    );
    expect(await store.findProgram(1)).toBeUndefined();
    await expect(store.readInputs(1, [0])).rejects.toThrow('input');
    await expect(store.readInputs(2, [0])).rejects.toThrow('input');
  });
}

async function fill(store: Store, key: number, generation: number, sequence = 1): Promise<void> {
  await store.commit(
    batch({
      sequence,
      jobs: [jobRow(key, { generation })],
      tasks: [taskRow(key, 0), completedRow(key, 1), failedRow(key, 2)],
      attempts: [attemptRow(key, 2, 1, { workerId: `worker-${key}` })],
      traces: [traceRow(key, 2, 1, { output: 'printed' })],
      workers: [
        workerRow(key, { generation }),
        workerRow(key + 100, { generation, deregisteredAt: startAt }),
      ],
      recoveries: [recoveryRow(key, key)],
      checkpoints: [newCheckpoint(key, key)],
      idempotencyKeys: [idempotencyRow(`key-${key}`, key)],
      work: [workRow(key, `worker-${key}`)],
      payloads: [payload(key, 10)],
    }),
    startAt,
  );
}

/** Of what `fill(store, 1, 1)` wrote. */
async function expectGone(store: Store): Promise<void> {
  expect(await store.findJob('job-1')).toBeUndefined();
  expect((await store.listJobs({}, null, 9)).filter((job) => job.spec.key === 1)).toEqual([]);
  expect(await store.findProgram(1)).toBeUndefined();
  expect(await store.readInputs(1, [0])).toEqual([]);
  expect(await visitTasks(store, [{ jobKey: 1, index: 0 }])).toEqual([]);
  expect(await store.listTasks(1, 0, 9)).toEqual([]);
  expect(await store.listResults(1, 0, 9, 1e6)).toEqual([]);
  expect(await store.listTasksByStatus(1, 'failed', 0, 9)).toEqual([]);
  expect(await store.findTask(1, 1)).toBeUndefined();
  expect(await store.listAttempts(1, 2)).toEqual([]);
  expect(await store.listTraces(1, 2)).toEqual([]);
  expect(await store.readOutput(1, 2, 1)).toBeNull();
  expect(await store.listFailures('worker-1', 9)).toEqual([]);
  expect(await visitWorker(store, 'worker-1')).toBeUndefined();
  expect((await flatten(store.listDepartedWorkers(null))).filter((row) => row.key === 101)).toEqual(
    [],
  );
  expect((await flatten(store.listRegisteredWorkers())).filter((row) => row.key === 1)).toEqual([]);
  expect(await store.isRegistered('worker-1')).toBe(false);
  await expectJobGone(store);
}

async function expectJobGone(store: Store): Promise<void> {
  expect(await store.findJob('job-1')).toBeUndefined();
  expect(await store.listTasks(1, 0, 9)).toEqual([]);
  const ended = await flatten(store.listEndedJobs(null));
  expect(ended.filter((job) => job.key === 1)).toEqual([]);
  await expectNothingOfJobOne(store);
}

async function expectNothingOfJobOne(store: Store): Promise<void> {
  const recoveries = [
    ...(await store.load()).recoveries,
    ...(await store.listRecoveries(null, 9)),
    ...(await store.listRecoveries(null, 9, { jobKey: 1 })),
  ];
  expect(recoveries.filter((row) => row.jobKey === 1)).toEqual([]);
  expect(await store.sumRecoveries({ jobKey: 1 })).toMatchObject({ events: 0 });
  expect(await store.listCheckpoints(1, null, 9)).toEqual([]);
  expect(await store.sumCheckpoints({ jobKey: 1 })).toEqual({ count: 0, storedBytes: 0 });
  for (const id of [1, 4]) expect(await store.readCheckpointState(id)).toBeUndefined();
  expect(await visitKey(store, 'key-1')).toBeUndefined();
  expect(await store.sumWork({ jobKey: 1 })).toEqual([]);
  expect((await store.sumWork({})).filter((sum) => sum.workerId === 'worker-1')).toEqual([]);
  const period = { from: startAt, to: startAt + 1_000, bucketMs: 1_000 };
  expect(await store.sumThroughput({ ...period, jobKey: 1 })).toEqual([]);
}

async function flatten<T>(chunks: AsyncIterable<readonly T[]>): Promise<T[]> {
  return (await Array.fromAsync(chunks)).flat();
}

async function sweepAll(store: Store): Promise<void> {
  for (let calls = 0; await store.sweep(5); calls++) expect(calls).toBeLessThan(100);
}
