// A store in which there is something of everything, for tests that look whether all of it is still there.

import { adminOwner } from '../../core/owner.ts';
import type { Store } from '../store.ts';
import { contentOf, fullBatch } from './full-batch.ts';
import {
  attemptRow,
  auditEntry,
  awkward,
  batch,
  blobOf,
  completedRow,
  failedRow,
  jobRow,
  newCheckpoint,
  notificationRow,
  payload,
  startAt,
  taskRow,
  tokenRow,
  traceRow,
  workerRow,
  workRow,
} from './rows.ts';

const blobs = [blobOf(0), blobOf(300), blobOf(600_000)];
/** Tasks of the job 5, of which each fourth has failed. */
const manyTasks = 2_000;

/** What can be seen. No task stands in a dispatch. */
export async function fillRichly(store: Store): Promise<void> {
  const [empty, small, large] = blobs as [Blob, Blob, Blob];
  await store.commit(fullBatch(), startAt + 5);
  for (const { sha256, bytes } of blobs) await store.putBlob(sha256, bytes, startAt + 7);
  await store.ownBlob(large.sha256, 'ann');
  await store.ownBlob(small.sha256, adminOwner);
  const many = Array.from({ length: manyTasks }, (_, i) => i);
  const failed = many.filter((i) => i % 4 === 0);
  await store.stageInputs(
    5,
    0,
    many.map((i) => `{"x":${i}}`),
    [small.sha256],
  );
  await store.commit(
    batch({
      sequence: 78,
      jobs: [
        jobRow(5, { owner: 'ann', taskCount: manyTasks, name: 'many' }, { status: 'running' }),
        jobRow(
          6,
          { owner: 'ann' },
          { status: 'cancelled', cancelledAt: startAt, completedAt: startAt },
        ),
      ],
      payloads: [
        { ...payload(5, 0), inputs: [] },
        { ...payload(6, 2), program: payload(5, 0).program },
      ],
      tasks: many.map((i) =>
        i % 4 === 0
          ? failedRow(5, i)
          : {
              ...completedRow(5, i, i === 5 ? `"${'ü'.repeat(500_000)}"` : `{"square":${i * i}}`),
              account:
                i % 3 === 0
                  ? null
                  : {
                      energyJoules: i % 3 === 1 ? null : i / 7,
                      checkpoints: i % 2,
                      resumedFrom: i % 2 === 0 ? null : { attempt: 1, progress: 1 / 3 },
                    },
            },
      ),
      attempts: failed.flatMap((i) => [
        attemptRow(5, i, 1, { outcome: 'failed', token: null, errorMessage: awkward }),
        attemptRow(5, i, -2, { outcome: 'withdrawn', count: 3, account: null }),
      ]),
      traces: [traceRow(5, 4, 1, { output: 'printed'.repeat(9_000) })],
      workers: [
        workerRow(2, {
          deregisteredAt: startAt + 9,
          mayReturn: true,
          joined: { tokenId: 'token1', label: awkward },
          givenName: awkward,
          draining: { since: null, deadline: startAt + 0.5 },
          kinds: [],
        }),
        workerRow(3, {
          joined: { tokenId: 'token2', label: null },
          draining: { since: 5, deadline: null },
        }),
      ],
      checkpoints: [
        newCheckpoint(11, 5, { index: 7 }, { encoding: 'gzip', bytes: Uint8Array.of(0, 1, 255) }),
        newCheckpoint(12, 5, { index: 8 }, { encoding: 'blob', blobSha256: large.sha256 }),
      ],
      blobReferences: [
        { jobKey: 5, sha256: large.sha256 },
        { jobKey: 3, sha256: empty.sha256 },
      ],
      work: many.slice(0, 50).map((i) =>
        workRow(5, `worker-${i % 5}`, {
          bucketAt: startAt + i * 10_000,
          completedMs: 0.1 * i,
          energyJoules: 1 / (i + 1),
        }),
      ),
      notifications: [notificationRow(20, 6, { answer: awkward })],
      tokens: [tokenRow(3, { kind: 'worker', workerId: 'worker-2' })],
      audit: Array.from({ length: 30 }, (_, i) =>
        auditEntry(i, {
          object: i === 3 ? awkward : null,
          outcome: i % 2 === 0 ? 'done' : 'refused',
        }),
      ),
    }),
    startAt + 800,
  );
}

/** What nobody can see, tasks in dispatches, and sums that are kept. */
export async function addHidden(store: Store): Promise<void> {
  const unnamed = blobOf(700_000, 9);
  await store.stageInputs(8, 0, ['1', '2']);
  await store.stageInputs(9, 0, ['3']);
  await store.dropStaged(9);
  const draft = store.beginBlob();
  await draft.append(unnamed.bytes);
  await store.commit(
    batch({
      sequence: 79,
      jobs: [jobRow(10, { owner: 'ann', taskCount: 40 }, { status: 'running' }), jobRow(11)],
      payloads: [payload(10, 40), payload(11, 10)],
      tasks: [
        ...Array.from({ length: 12 }, (_, i) => taskRow(10, i, { runBeforeMs: 0 })),
        completedRow(11, 0),
      ],
      attempts: [attemptRow(11, 1, 1)],
      work: [workRow(11, 'worker-1')],
    }),
    startAt + 900,
  );
  await store.commit(
    batch({
      sequence: 80,
      jobs: [jobRow(10, { owner: 'ann', taskCount: 40 }, { status: 'running', completed: 1 })],
      tasks: [completedRow(10, 3)],
      deletedJobs: [11],
    }),
    startAt + 1_000,
  );
  while (await store.keepSums(startAt + 1e9));
}

/** Every answer about it. */
export async function readRichly(store: Store): Promise<unknown> {
  const { tasks, counters, ownerCounters, ...state } = await store.load();
  const owners = ['ann', 'admin', awkward, 'zoe'];
  return {
    full: await contentOf(store),
    state: { ...state, tasks, counters, ownerCounters: [...ownerCounters] },
    jobs: await store.listJobs({}, null, 99),
    tasks: [await store.listTasks(5, 0, manyTasks), await store.listTasks(10, 0, 99)],
    accepted: await store.listAccepted(5, 0, manyTasks),
    results: await store.listResults(5, 0, manyTasks, 2 ** 24),
    cells: [await store.countCells(5, { from: 0, to: manyTasks, width: 7 })],
    attempts: await store.listJobAttempts(5, null, manyTasks),
    traces: [await store.listTraces(5, 4), await store.readOutput(5, 4, 1)],
    inputs: [
      await store.readInputs(5, [0, manyTasks - 1]),
      await store.readInputs(6, [0, 1]),
      await store.readInputs(11, []),
    ],
    programs: [await store.findProgram(5), await store.findProgram(6), await store.findProgram(11)],
    failures: await store.listFailures('worker-1', 9),
    states: [await store.readCheckpointState(11), await store.readCheckpointState(12)],
    checkpoints: await store.listCheckpoints(5, null, 9),
    blobs: await Promise.all(
      blobs.map(async ({ sha256 }) => [
        await store.findBlob(sha256),
        Buffer.from((await store.readBlob(sha256))!).toString('base64'),
      ]),
    ),
    rights: await Promise.all(
      owners.map(async (owner) => [
        await store.blobBytesOf(owner),
        await Promise.all(blobs.map(({ sha256 }) => store.isBlobOf(sha256, owner))),
      ]),
    ),
    work: [
      await store.sumWork({}),
      await store.sumWork({ jobKey: 5 }),
      await store.sumWork({ owner: 'ann', since: startAt + 60_000 }),
      await store.sumThroughput({ from: startAt, to: startAt + 9_000, bucketMs: 1_000 }),
    ],
    departed: (await Array.fromAsync(store.listDepartedWorkers(null))).flat(),
    registered: (await Array.fromAsync(store.listRegisteredWorkers())).flat(),
    ended: (await Array.fromAsync(store.listEndedJobs(null))).flat(),
    notifications: await store.listNotifications(6, 9),
    tokens: [await store.loadTokens(), await store.listWorkerTokens(9)],
    audit: await store.listAudit({}, null, 99),
    changes: await store.listSchedulerChanges(9),
    recoveries: await store.listRecoveries(null, 9),
  };
}

type Blob = ReturnType<typeof blobOf>;
