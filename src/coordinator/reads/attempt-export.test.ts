// All attempts that are over, from the store.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import {
  attemptRow,
  batch,
  completedRow,
  jobRow,
  startAt,
} from '../../../test/support/stored-rows.ts';
import type { ExportAsked } from '../port/reads.ts';
import { AttemptExport } from './attempt-export.ts';

async function exported(cluster: VirtualCluster, asked: ExportAsked = {}) {
  const { evaluation } = cluster.coordinator;
  const chunks = await cluster.answer(evaluation.exportAttempts(asked));
  if (chunks === undefined) throw new Error('no such job');
  return (await cluster.answer(Array.fromAsync(chunks))).flat();
}

async function names(cluster: VirtualCluster, asked: ExportAsked = {}) {
  return (await exported(cluster, asked)).map(({ task_id, attempt, outcome }) => [
    task_id,
    attempt,
    outcome,
  ]);
}

describe('the export', () => {
  test('has every attempt that is over, by job, index and number, and none that is live', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 4 });
    await cluster.submit('j', [1, 2, 3], { retryDelayMs: 0 });
    await cluster.submit('k', [1]);
    worker.start('j.0', 'j.1', 'j.2', 'k.0');
    worker.complete('j.2');
    worker.fail('j.0', { error_type: 'RangeError' });
    await cluster.settle();
    await cluster.advance(1_000);
    worker.start('j.0');
    worker.complete('j.0');
    worker.complete('k.0');
    await cluster.settle();
    expect(await names(cluster)).toEqual([
      ['k.0', 1, 'completed'],
      ['j.0', 1, 'failed'],
      ['j.0', 2, 'completed'],
      ['j.2', 1, 'completed'],
    ]);
  });

  test('tells what an attempt went on from, what it saved, how long it waited and ran', async () => {
    const cluster = await VirtualCluster.start();
    const one = await cluster.join('one');
    await cluster.submit('j', [1], { checkpointIntervalMs: 1_000, retryDelayMs: 500, name: 'sum' });
    await cluster.advance(250);
    one.start('j.0');
    await cluster.settle();
    await cluster.advance(2_000);
    one.checkpoint('j.0', 1, 0.25);
    one.checkpoint('j.0', 2, 0.5);
    one.fail('j.0', { error_type: 'RangeError', run_ms: 1_999 });
    const two = await cluster.join('two');
    await cluster.advance(1_000);
    two.start('j.0');
    await cluster.settle();
    await cluster.advance(3_000);
    two.complete('j.0', null, { run_ms: 2_750, energy_joules: 12.5 });
    await cluster.settle();
    const rows = await exported(cluster);
    expect(rows).toMatchObject([
      {
        job_id: 'j',
        job_name: 'sum',
        task_id: 'j.0',
        index: 0,
        attempt: 1,
        count: 1,
        worker_id: one.id,
        worker_name: 'one',
        algorithm: 'fifo',
        waited_seconds: 0.25,
        ran_seconds: 1.999,
        outcome: 'failed',
        given_up_as: null,
        error_type: 'RangeError',
        checkpoints: 2,
        resumed_from_attempt: null,
        resumed_from_progress: null,
        energy_joules: null,
      },
      {
        attempt: 2,
        worker_id: two.id,
        worker_name: 'two',
        waited_seconds: 1,
        ran_seconds: 2.75,
        outcome: 'completed',
        error_type: null,
        checkpoints: 0,
        resumed_from_attempt: 1,
        resumed_from_progress: 0.5,
        energy_joules: 12.5,
      },
    ]);
    const [first, second] = rows.map(({ submitted_at, assigned_at, started_at, ended_at }) =>
      [submitted_at, assigned_at, started_at!, ended_at].map((time) => Date.parse(time)),
    );
    const [submittedAt = 0] = first!;
    expect(first!.map((at) => at - submittedAt)).toEqual([0, 0, 250, 2_250]);
    expect(second!.map((at) => at - submittedAt)).toEqual([0, 2_500, 3_250, 6_250]);
  });

  test('names the algorithm that was in force when an attempt was assigned', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 1 });
    const { scheduler } = cluster.coordinator;
    for (const [id, algorithm] of [
      ['a', 'edas'],
      ['b', 'edas'],
      ['c', 'mabac'],
    ] as const) {
      await cluster.submit(id, [1]);
      worker.start(`${id}.0`);
      await cluster.settle();
      await cluster.advance(1_000);
      await cluster.answer(scheduler.configure({ algorithm }));
      await cluster.advance(1_000);
      worker.complete(`${id}.0`);
      await cluster.settle();
    }
    const rows = await exported(cluster);
    expect(rows.map(({ job_id, algorithm }) => [job_id, algorithm])).toEqual([
      ['c', 'edas'],
      ['b', 'edas'],
      ['a', 'fifo'],
    ]);
  });

  test('has an attempt once whose result came after it had been given up', async () => {
    const cluster = await VirtualCluster.start();
    const one = await cluster.join('one');
    await cluster.submit('j', [1], { attemptTimeoutMs: 1_000, retryDelayMs: 60_000 });
    one.start('j.0');
    await cluster.settle();
    await cluster.advance(10_000);
    expect(await names(cluster)).toEqual([['j.0', 1, 'timed_out']]);
    one.complete('j.0', null, { run_ms: 9_000 });
    await cluster.settle();
    expect(await exported(cluster)).toMatchObject([
      {
        attempt: 1,
        outcome: 'completed',
        given_up_as: 'timed_out',
        worker_id: one.id,
        waited_seconds: 0,
        ran_seconds: 9,
        error_type: null,
        checkpoints: 0,
      },
    ]);
  });

  test('is over a restart what it was before', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 });
    await cluster.submit('j', [1, 2], { maxAttempts: 1 });
    worker.start('j.0', 'j.1');
    worker.complete('j.0');
    worker.fail('j.1', { error_type: 'Error' });
    await cluster.settle();
    const before = await exported(cluster);
    expect(before).toHaveLength(2);
    await cluster.crash();
    await cluster.boot();
    expect(await exported(cluster)).toEqual(before);
  });

  test('is of a job, of a worker, of a time', async () => {
    const cluster = await VirtualCluster.start();
    const one = await cluster.join('one', { slots: 1 });
    await cluster.submit('j', [1]);
    one.start('j.0');
    await cluster.settle();
    await cluster.advance(5_000);
    one.complete('j.0');
    await cluster.settle();
    const [{ assigned_at, ended_at } = { assigned_at: '', ended_at: '' }] = await exported(cluster);
    const [assignedAt, endedAt] = [Date.parse(assigned_at), Date.parse(ended_at)];
    const count = async (asked: ExportAsked) => (await exported(cluster, asked)).length;
    expect(await count({ jobId: 'j' })).toBe(1);
    expect(await count({ workerId: one.id! })).toBe(1);
    expect(await count({ workerId: 'another' })).toBe(0);
    expect(await count({ since: endedAt })).toBe(1);
    expect(await count({ since: endedAt + 1 })).toBe(0);
    expect(await count({ until: assignedAt + 1 })).toBe(1);
    expect(await count({ until: assignedAt })).toBe(0);
    expect(await count({ owner: 'ann' })).toBe(0);
    const { evaluation } = cluster.coordinator;
    expect(await cluster.answer(evaluation.exportAttempts({ jobId: 'none' }))).toBeUndefined();
    expect(
      await cluster.answer(evaluation.exportAttempts({ jobId: 'j', owner: 'ann' })),
    ).toBeUndefined();
  });

  test('reads on only when a chunk was taken, and not at all when its reader leaves', async () => {
    const cluster = await VirtualCluster.start();
    const { store } = cluster.gate;
    const jobs = [1, 2, 3].map((key) => jobRow(key, {}, { completedAt: startAt }));
    const indices = Array.from({ length: 600 }, (_, index) => index);
    const tasks = jobs.flatMap(({ spec }) => indices.map((index) => completedRow(spec.key, index)));
    await store.commit(batch({ sequence: 1_000, jobs, tasks }), startAt);
    let reads = 0;
    const counting = new Proxy(store, {
      get(target, name) {
        if (name === 'listAccepted') reads++;
        return Reflect.get(target, name) as unknown;
      },
    });
    const { state } = cluster.coordinator;
    const loop = { settled: async () => undefined };
    const whole = new AttemptExport({ state, store: counting, loop });
    const chunks = (await whole.find({}))!;
    expect(reads).toBe(0);
    const first = await chunks.next();
    expect(first.value).toHaveLength(128);
    expect(reads).toBe(1);
    await chunks.next();
    expect(reads).toBe(2);
    await chunks.return();
    expect((await chunks.next()).done).toBe(true);
    expect(reads).toBe(2);
    const all = await Array.fromAsync((await whole.find({}))!);
    expect(all.flat()).toHaveLength(1_800);
    expect(Math.max(...all.map((chunk) => chunk.length))).toBeLessThanOrEqual(2 * 128);
  });

  test('has one job after the other where they are many and small', async () => {
    const cluster = await VirtualCluster.start();
    const { store } = cluster.gate;
    const keys = Array.from({ length: 250 }, (_, key) => key + 1);
    const jobs = keys.map((key) => jobRow(key, {}, { completedAt: startAt }));
    const tasks = keys.map((key) => completedRow(key, 0));
    await store.commit(batch({ sequence: 1_000, jobs, tasks }), startAt);
    const rows = await exported(cluster);
    expect(rows.map(({ job_id }) => job_id)).toEqual(keys.toReversed().map((key) => `job-${key}`));
    // Of a time when that was not kept.
    const [{ checkpoints, energy_joules } = { checkpoints: 0, energy_joules: 0 }] = rows;
    expect([checkpoints, energy_joules]).toEqual([null, null]);
  });

  test('tells of a copy when it was assigned, and not how long it waited', async () => {
    const cluster = await VirtualCluster.start();
    const { store } = cluster.gate;
    const endedAt = startAt + 1_000;
    const copied = {
      ...completedRow(1, 0),
      attempt: 2,
      acceptedAttempt: 2,
      workerId: 'worker-2',
      assignedAt: startAt + 500,
      startedAt: startAt + 600,
      completedAt: endedAt,
      runMs: 400,
    };
    const original = attemptRow(1, 0, 1, { outcome: 'superseded', endedAt });
    const jobs = [jobRow(1, {}, { completedAt: endedAt })];
    await store.commit(
      batch({ sequence: 1_000, jobs, tasks: [copied], attempts: [original] }),
      startAt,
    );
    const rows = await exported(cluster);
    expect(rows).toMatchObject([
      { attempt: 1, outcome: 'superseded', worker_id: 'worker-1', waited_seconds: 0.001 },
      {
        attempt: 2,
        outcome: 'completed',
        worker_id: 'worker-2',
        assigned_at: new Date(startAt + 500).toISOString(),
        waited_seconds: null,
        ran_seconds: 0.4,
      },
    ]);
  });

  test('names no algorithm where an older version has set one before', async () => {
    const cluster = await VirtualCluster.start();
    const { store } = cluster.gate;
    const config = {
      algorithm: 'edas' as const,
      weighting: 'manual' as const,
      weights: {},
      updatedAt: startAt + 100,
    };
    const schedulerChanges = [config];
    const jobs = [jobRow(1, {}, { completedAt: startAt })];
    const tasks = [
      completedRow(1, 0),
      { ...completedRow(1, 1), assignedAt: startAt + 100, completedAt: startAt + 110 },
    ];
    await store.commit(batch({ sequence: 1_000, jobs, tasks, schedulerChanges }), startAt);
    // It did not note what was in force at its first start.
    cluster.disk.schedulerChanges = schedulerChanges;
    const rows = await exported(cluster);
    expect(rows.map(({ algorithm }) => algorithm)).toEqual([null, 'edas']);
  });

  test('goes through more rows than one read gives', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 1_000 });
    const indices = Array.from({ length: 620 }, (_, index) => index);
    await cluster.submit('j', indices, { maxAttempts: 1 });
    worker.start(...indices.map((index) => `j.${index}`));
    for (const index of indices) {
      if (index % 20 === 0) worker.complete(`j.${index}`);
      else worker.fail(`j.${index}`, { error_type: 'Error' });
    }
    await cluster.settle();
    const rows = await exported(cluster);
    expect(rows.map(({ index }) => index)).toEqual(indices);
    expect(rows.filter(({ outcome }) => outcome === 'completed')).toHaveLength(31);
  });
});
