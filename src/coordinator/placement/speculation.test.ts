// Copies of stragglers, seen from outside: which worker gets one, when, and what it changes.

import { describe, expect, test } from 'vitest';
import type { ScriptedWorker } from '../../../test/support/scripted-worker.ts';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

const speculation = { maxCopies: 1, maxShare: 1 };

/** Two workers; the first task of three took a second, the other two run. */
async function running(given: Parameters<VirtualCluster['submit']>[2] = {}) {
  const cluster = await VirtualCluster.start();
  const slow = await cluster.join('slow');
  const quick = await cluster.join('quick');
  await cluster.submit('j', [0, 1, 2], { speculation, ...given });
  slow.start('j.0');
  quick.start('j.1');
  await pass(cluster, 1, slow, quick);
  quick.complete('j.1', null, { run_ms: 1000 });
  await cluster.settle();
  quick.start('j.2');
  await cluster.settle();
  return { cluster, slow, quick };
}

/** Seconds go by, and the workers are heard of. */
async function pass(cluster: VirtualCluster, seconds: number, ...workers: ScriptedWorker[]) {
  for (let second = 0; second < seconds; second++) {
    for (const worker of workers) worker.heartbeat(...worker.given.keys());
    await cluster.advance(1000);
  }
}

describe('a straggler', () => {
  test('gets a copy when nothing waits and a worker is idle', async () => {
    const { cluster, slow, quick } = await running();
    await pass(cluster, 3, slow, quick);
    expect(quick.given.get('j.0')).toBeUndefined();
    quick.complete('j.2', null, { run_ms: 1000 });
    await pass(cluster, 2, slow, quick);
    expect(quick.given.get('j.0')).toMatchObject([{ attempt: 2 }]);
    quick.start('j.0');
    quick.complete('j.0', 'from the copy');
    await cluster.settle();
    expect(slow.takeOnly('cancel')).toMatchObject([
      { attempts: [{ task_id: 'j.0', attempt: 1, reason: 'superseded' }] },
    ]);
    expect(cluster.coordinator.state.jobs.has('j')).toBe(false);
    const metrics = await cluster.answer(cluster.coordinator.evaluation.metrics({}));
    expect(metrics!.recovery).toMatchObject({ events: 1, wasted_seconds: 6 });
  });

  test('gets none while the job has not asked for it', async () => {
    const { cluster, slow, quick } = await running({ speculation: null });
    quick.complete('j.2', null, { run_ms: 1000 });
    await pass(cluster, 9, slow, quick);
    expect(quick.given.get('j.0')).toBeUndefined();
  });

  test('gets none while it is no longer on its way than its like', async () => {
    const { cluster, slow, quick } = await running();
    quick.complete('j.2', null, { run_ms: 60_000 });
    await pass(cluster, 4, slow, quick);
    expect(quick.given.get('j.0')).toBeUndefined();
  });

  test('that is nearly done is left alone', async () => {
    const { cluster, slow, quick } = await running();
    slow.say({ type: 'progress', progress: [{ ...slow.ref('j.0'), progress: 0.95 }] });
    quick.complete('j.2', null, { run_ms: 1000 });
    await pass(cluster, 3, slow, quick);
    expect(quick.given.get('j.0')).toBeUndefined();
  });

  test('and its copy are both adopted after a restart of the coordinator', async () => {
    const { cluster, slow, quick } = await running();
    quick.complete('j.2', null, { run_ms: 1000 });
    await pass(cluster, 5, slow, quick);
    quick.start('j.0');
    await cluster.settle();
    const before = cluster.durable();
    await cluster.crash();
    expect(cluster.durable()).toEqual(before);
    slow.connect(cluster.coordinator, [slow.held('j.0')]);
    quick.connect(cluster.coordinator, [quick.held('j.0')]);
    await cluster.settle();
    const task = cluster.coordinator.state.jobs.get('j')!.tasks.get(0)!;
    expect(task.live).toMatchObject([
      { attempt: 1, isCopy: false },
      { attempt: 2, isCopy: true },
    ]);
    slow.complete('j.0');
    await cluster.settle();
    expect(quick.takeOnly('cancel')).toMatchObject([{ attempts: [{ reason: 'superseded' }] }]);
  });

  test('saves more beside its copy, and the copy keeps what lay behind it when it began', async () => {
    const { cluster, slow, quick } = await running();
    slow.checkpoint('j.0', 1, 0.1, { i: 1 });
    quick.complete('j.2', null, { run_ms: 1000 });
    await pass(cluster, 5, slow, quick);
    quick.start('j.0');
    // Two states are kept: that from which the copy began is not among them any more.
    slow.checkpoint('j.0', 2, 0.2, { i: 2 });
    await pass(cluster, 1, slow, quick);
    slow.checkpoint('j.0', 3, 0.3, { i: 3 });
    await cluster.settle();
    const behind = () => {
      const task = cluster.coordinator.state.jobs.get('j')!.tasks.get(0)!;
      return task.live.map(({ attempt, runBeforeMs }) => [attempt, runBeforeMs]);
    };
    const before = behind();
    await cluster.crash();
    expect(before).toEqual([
      [1, 0],
      [2, 1000],
    ]);
    expect(behind()).toEqual(before);
  });
});
