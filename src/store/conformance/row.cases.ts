// Every row comes back as it was written, at once and after the file was closed and opened.

import { expect, test } from 'vitest';
import type { WriteBatch } from '../rows.ts';
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
  recoveryRow,
  startAt,
  taskRow,
  workerRow,
  workRow,
} from './rows.ts';

const awkward = 'ünïcode 🦊 \u0000 \u2028 "quoted" \\ \n end';

export function rowCases(bench: StoreBench): void {
  test('is empty when new', async () => {
    expect(await bench.store.load()).toEqual({
      generation: 1,
      sequence: 0,
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
      nextJobKey: 1,
      nextWorkerKey: 1,
      nextRecoveryId: 1,
      nextCheckpointId: 1,
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

  test('holds keys and indices at the ends of their ranges', async () => {
    const { store } = bench;
    const job = jobRow(2 ** 29 - 2, { taskCount: 2 ** 24 });
    const { key } = job.spec;
    const tasks = [taskRow(key, 0), taskRow(key, 2 ** 24 - 1)];
    await store.commit(batch({ jobs: [job], tasks }), startAt);
    expect(await store.listTasks(key, 0, 10)).toEqual(tasks);
    expect((await store.load()).tasks.map((task) => task.row)).toEqual(tasks);
    expect((await store.load()).nextJobKey).toBe(2 ** 29 - 1);
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
    const gone = workerRow(2, { deregisteredAt: startAt + 9, draining: true, leaseMs: 60_000 });
    await bench.store.commit(batch({ workers: [workerRow(3), gone, workerRow(1)] }), startAt);
    const { workers, nextWorkerKey } = await bench.store.load();
    expect(workers.map((row) => row.key)).toEqual([1, 3]);
    expect(nextWorkerKey).toBe(4);
    expect(await bench.store.findWorker('worker-2')).toEqual(gone);
    expect(await bench.store.findWorker('worker-9')).toBeUndefined();
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

function fullBatch(): WriteBatch {
  return batch({
    sequence: 77,
    jobs: [
      jobRow(
        3,
        {
          name: awkward,
          clientId: 'someone',
          priority: -10,
          taskPriorities: Int16Array.of(-32768, 0, 32767),
          taskCount: 3,
          requirements: { type: ['pc'], minRamMb: 512, labels: { room: awkward } },
          attemptTimeoutMs: 1500.5,
          onTaskFailure: 'fail_job',
          lateResults: 'reject',
          speculation: { maxCopies: 2, maxShare: 0.5 },
        },
        { status: 'running', cursors: [1, 0, 1], startedAt: startAt, completed: 1, error: awkward },
      ),
      jobRow(4, { rangeStart: -5 }),
    ],
    tasks: [
      taskRow(3, 0, {
        attempt: 2,
        others: [
          {
            attempt: 1,
            workerId: awkward,
            token: 't',
            assignedAt: startAt + 0.25,
            runBeforeMs: 7.5,
          },
        ],
        avoid: ['worker-1'],
        losses: 1,
        assignedAt: startAt + 0.5,
      }),
      { ...completedRow(3, 2, '{"a":[1,2]}'), errors: 2, timeouts: 1, errorType: 'E' },
    ],
    attempts: [attemptRow(3, 0, 1, { startedAt: null, errorMessage: awkward })],
    workers: [
      workerRow(1, {
        name: awkward,
        kinds: ['javascript', 'wasm'],
        labels: { gpu: 'no', [awkward]: '' },
        totalCompleted: 12,
        totalFailed: 1,
        busyMs: 0.1,
        smoothedTaskMs: 7.25,
        energyJoules: 1e9,
        quarantine: { until: startAt + 0.5, pauseMs: 60_000 },
      }),
    ],
    recoveries: [
      recoveryRow(6, 3),
      recoveryRow(7, 4, {
        index: 2 ** 24 - 1,
        toWorkerId: awkward,
        reason: 'coordinator_restart',
        attempt: 3,
        nextAttempt: 4,
        checkpointId: 'c-1',
        resumedFromProgress: 0.75,
        lostAt: startAt + 0.25,
        workSavedSeconds: 0.1,
        outcome: 'resumed',
      }),
    ],
    checkpoints: [
      newCheckpoint(4, 3, { progress: 0, runMs: 0 }),
      newCheckpoint(9, 3, { index: 2, workerId: awkward, createdAt: startAt + 0.125 }, null),
    ],
    blobReferences: [{ jobKey: 3, sha256: 'aa' }],
    idempotencyKeys: [idempotencyRow(awkward, 3)],
    work: [
      workRow(3, awkward, {
        failed: 3,
        retried: 2,
        completedMs: 0.1,
        busyMs: 0.3,
        energyJoules: 7.5,
        wastedMs: 0.2,
      }),
    ],
    payloads: [payload(3, 3)],
    config: {
      algorithm: 'edas',
      weighting: 'manual',
      weights: { cpu: 0.4, latency: 0.1 },
      updatedAt: startAt,
    },
    generation: 1,
  });
}

/** What can be asked of a store that holds `fullBatch()`. */
async function contentOf(store: Store): Promise<unknown> {
  const { counters: _, tasks: __, ...state } = await store.load();
  return {
    state,
    jobs: [await store.findJob('job-3'), await store.findJob('job-4')],
    tasks: [await store.findTask(3, 0), await store.findTask(3, 2)],
    attempts: await store.listAttempts(3, 0),
    worker: await store.findWorker('worker-1'),
    programs: [await store.findProgram(3), await store.findProgram(4)],
    inputs: await store.readInputs(3, [2, 0]),
    recoveries: await store.listRecoveries(null, 9),
    idempotencyKeys: [await store.findIdempotencyKey(awkward)],
    checkpoints: await store.listCheckpoints(3, null, 9),
    state4: await store.readCheckpointState(4),
    work: await store.sumWork({}),
    throughput: await store.sumThroughput({ from: startAt, to: startAt + 1_000, bucketMs: 1_000 }),
  };
}

function fullContent(rows: WriteBatch): unknown {
  const { jobs, tasks, attempts, workers, payloads, config, recoveries, idempotencyKeys } = rows;
  const { checkpoints } = rows;
  const { jobKey: _, bucketAt: __, ...work } = rows.work[0]!;
  return {
    state: {
      generation: 1,
      sequence: 77,
      config,
      jobs,
      workers,
      recoveries,
      nextJobKey: 5,
      nextWorkerKey: 2,
      nextRecoveryId: 8,
      nextCheckpointId: 10,
      hasBlobs: false,
      lastCommitAt: startAt + 5,
    },
    jobs,
    tasks,
    attempts,
    worker: workers[0],
    programs: [payloads[0]?.program, undefined],
    inputs: ['{"input":2}', '{"input":0}'],
    recoveries: recoveries.toReversed(),
    idempotencyKeys,
    checkpoints: checkpoints.map(({ row }) => row),
    state4: checkpoints[0]?.state,
    work: [work],
    throughput: [{ at: startAt, completed: 1, failed: 3 }],
  };
}
