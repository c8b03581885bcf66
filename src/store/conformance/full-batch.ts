// One batch with something of everything, and what a store must tell when it holds it.

import { noTotals } from '../../core/totals.ts';
import type { WriteBatch } from '../rows.ts';
import type { Store } from '../store.ts';
import {
  attemptRow,
  awkward,
  batch,
  completedRow,
  idempotencyRow,
  jobRow,
  newCheckpoint,
  notificationRow,
  payload,
  recoveryRow,
  startAt,
  taskRow,
  tokenRow,
  traceRow,
  workerRow,
  workRow,
} from './rows.ts';
import { visitKey, visitWorker } from './visiting.ts';

export function fullBatch(): WriteBatch {
  return batch({
    sequence: 77,
    totals: { ...noTotals(), jobsSubmitted: 3, completedMs: 0.1 },
    jobs: [
      jobRow(
        3,
        {
          name: awkward,
          clientId: 'someone',
          owner: awkward,
          priority: -10,
          taskPriorities: Int16Array.of(-32768, 0, 32767),
          taskCount: 3,
          requirements: { type: ['pc'], minRamMb: 512, labels: { room: awkward } },
          attemptTimeoutMs: 1500.5,
          retainMs: 90_000,
          notify: [{ url: awkward, host: awkward, on: ['failed'], secret: awkward }],
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
    traces: [
      traceRow(3, 0, 1, { output: awkward }),
      traceRow(3, 2, 1, { stack: null, output: 'x' }),
    ],
    workers: [
      workerRow(1, {
        awaySince: startAt + 0.5,
        name: awkward,
        kinds: ['javascript', 'wasm'],
        runtimes: { wasm: 'preview1' },
        hands: ['bytes', 'shared'],
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
    notifications: [
      notificationRow(11, 4, { host: awkward, startedAt: null, answer: awkward, triedAt: startAt }),
      notificationRow(12, 4, { target: 3, status: 'failed', outcome: 'given_up', nextAt: null }),
    ],
    checkpoints: [
      newCheckpoint(4, 3, { progress: 0, runMs: 0 }),
      newCheckpoint(9, 3, { index: 2, workerId: awkward, createdAt: startAt + 0.125 }, null),
    ],
    blobReferences: [{ jobKey: 3, sha256: 'aa' }],
    idempotencyKeys: [idempotencyRow(awkward, 3)],
    tokens: [
      tokenRow(1, {
        kind: 'join',
        owner: awkward,
        label: awkward,
        expiresAt: startAt + 0.5,
        lastUsedAt: startAt + 0.25,
        quota: { requests: 5 },
        usesLeft: 3,
        revokedAt: startAt + 0.75,
        labels: { room: awkward },
        needsApproval: true,
        joinedBy: 'token2',
        givenName: 'desk',
      }),
      tokenRow(2),
    ],
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
    schedulerChanges: [
      {
        algorithm: 'edas',
        weighting: 'entropy',
        weights: { cpu: 0.4 },
        updatedAt: startAt - 0.5,
        by: awkward,
      },
    ],
    generation: 1,
  });
}

/** What can be asked of a store that holds `fullBatch()`. */
export async function contentOf(store: Store): Promise<unknown> {
  const { counters: _, tasks: __, ownerCounters, ...state } = await store.load();
  return {
    state,
    owners: [...ownerCounters.keys()],
    jobs: [await store.findJob('job-3'), await store.findJob('job-4')],
    tasks: [await store.findTask(3, 0), await store.findTask(3, 2)],
    attempts: await store.listAttempts(3, 0),
    traces: [await store.listTraces(3, 0), await store.listTraces(3, 2)],
    outputs: [await store.readOutput(3, 0, 1), await store.readOutput(3, 2, 1)],
    worker: await visitWorker(store, 'worker-1'),
    programs: [await store.findProgram(3), await store.findProgram(4)],
    inputs: await store.readInputs(3, [2, 0]),
    recoveries: await store.listRecoveries(null, 9),
    idempotencyKeys: [await visitKey(store, awkward)],
    tokens: await store.loadTokens(),
    schedulerChanges: await store.listSchedulerChanges(9),
    notifications: await store.listNotifications(4, 9),
    checkpoints: await store.listCheckpoints(3, null, 9),
    state4: await store.readCheckpointState(4),
    work: await store.sumWork({}),
    throughput: await store.sumThroughput({ from: startAt, to: startAt + 1_000, bucketMs: 1_000 }),
  };
}

/** What it must answer. */
export function fullContent(rows: WriteBatch): unknown {
  const { jobs, tasks, attempts, workers, payloads, config, recoveries, idempotencyKeys } = rows;
  const { checkpoints, traces, notifications, tokens, schedulerChanges } = rows;
  const { jobKey: _, bucketAt: __, ...work } = rows.work[0]!;
  return {
    state: {
      generation: 1,
      sequence: 77,
      config,
      jobs,
      workers,
      recoveries,
      nextWorkerKey: 2,
      nextRecoveryId: 8,
      nextCheckpointId: 10,
      nextNotificationId: 13,
      hasSchedulerChanges: true,
      hasBlobs: false,
      totals: rows.totals,
      lastCommitAt: startAt + 5,
    },
    owners: [awkward],
    jobs,
    tasks,
    attempts,
    traces: traces.map(({ output, ...rest }) => [{ ...rest, hasOutput: output !== null }]),
    outputs: traces.map(({ output }) => output),
    worker: workers[0],
    programs: [payloads[0]?.program, undefined],
    inputs: ['{"input":2}', '{"input":0}'],
    recoveries: recoveries.toReversed(),
    idempotencyKeys,
    tokens,
    schedulerChanges,
    notifications: notifications.toReversed(),
    checkpoints: checkpoints.map(({ row }) => row),
    state4: checkpoints[0]?.state,
    work: [work],
    throughput: [{ at: startAt, completed: 1, failed: 3 }],
  };
}
