// What a batch names is read in one call.

import { expect, test } from 'vitest';
import { indicesPerJob } from '../../core/task-key.ts';
import type { StoreBench } from './store-bench.ts';
import {
  batch,
  blobOf,
  completedRow,
  idempotencyRow,
  jobRow,
  startAt,
  taskRow,
  workerRow,
} from './rows.ts';
import { visit } from './visiting.ts';

const nothing = {
  jobs: [],
  tasks: [],
  workers: [],
  idempotencyKeys: [],
  blobs: [],
  expiring: [],
};

export function visitorCases(bench: StoreBench): void {
  test('gives all that a batch names at once, and leaves out what is not there', async () => {
    const { store } = bench;
    const prioritized = { taskPriorities: Int16Array.of(1, -1) };
    const jobs = [jobRow(1, prioritized), jobRow(2), jobRow(3), jobRow(4)];
    const tasks = [taskRow(2, 4), completedRow(2, 1), taskRow(4, 0)];
    const workers = [workerRow(1), workerRow(2, { deregisteredAt: startAt })];
    const idempotencyKeys = [idempotencyRow('key', 3)];
    await store.commit(batch({ jobs, tasks, workers, idempotencyKeys }), startAt);
    const { sha256, bytes } = blobOf(1);
    await store.putBlob(sha256, bytes, startAt);

    const found = await visit(store, {
      jobs: new Set(['job-1', 'job-9']),
      tasks: new Map([
        ['job-9', new Set([0])],
        ['job-2', new Set([1, 2, 4])],
      ]),
      workers: new Set(['worker-2', 'worker-9']),
      idempotencyKeys: new Set(['nobody', 'key']),
      blobs: new Set([sha256, blobOf(2).sha256]),
    });
    const byKey = found.jobs.toSorted((a, b) => a.spec.key - b.spec.key);
    expect(byKey).toEqual([jobs[0], jobs[1], jobs[2]]);
    expect(found.tasks).toEqual([
      { row: { ...tasks[1], resultJson: null }, past: [], checkpoints: [] },
      { row: tasks[0], past: [], checkpoints: [] },
    ]);
    expect(found.workers).toEqual([workers[1]]);
    expect(found.idempotencyKeys).toEqual(idempotencyKeys);
    expect(found.blobs).toEqual([{ sha256, sizeBytes: bytes.length }]);
    expect(await visit(store, {})).toEqual(nothing);
  });

  test('reads no job again that memory holds, and still its tasks', async () => {
    const { store } = bench;
    const jobs = [jobRow(1), jobRow(2), jobRow(3)];
    const idempotencyKeys = [idempotencyRow('key', 2)];
    const tasks = [taskRow(3, 1)];
    await store.commit(batch({ jobs, tasks, idempotencyKeys }), startAt);
    const wanted = {
      jobs: new Set(['job-1']),
      tasks: new Map([['job-3', new Set([1])]]),
      idempotencyKeys: new Set(['key']),
    };
    const found = await visit(store, wanted, { held: ['job-1', 'job-2', 'job-3'] });
    const row = { row: tasks[0], past: [], checkpoints: [] };
    expect(found).toEqual({ ...nothing, idempotencyKeys, tasks: [row] });
  });

  test('finds no task beyond the last one of its job', async () => {
    const { store } = bench;
    const jobs = [jobRow(1, { taskCount: 3 }), jobRow(2)];
    await store.commit(batch({ jobs, tasks: [taskRow(1, 2), taskRow(2, 0)] }), startAt);
    const tasks = new Map([['job-1', new Set([2, 3, indicesPerJob])]]);
    const found = (await visit(store, { tasks })).tasks;
    expect(found.map(({ row }) => [row.jobKey, row.index])).toEqual([[1, 2]]);
  });

  test('touches the blobs, so that they are not collected', async () => {
    const { store } = bench;
    const [wanted, other] = [blobOf(1), blobOf(2)];
    const later = startAt + 3_600_000;
    for (const { sha256, bytes } of [wanted, other]) await store.putBlob(sha256, bytes, startAt);
    await visit(store, { blobs: new Set([wanted.sha256]) }, { at: later });
    await store.collectBlobs(later, 9);
    expect(await store.findBlob(other.sha256)).toBeUndefined();
    expect(await store.findBlob(wanted.sha256)).toMatchObject({ touchedAt: later });
  });
}
