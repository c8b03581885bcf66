// The table behind the last decision: as the scheduler found it, not as it is now.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

describe('scheduling info', () => {
  test('has no decision before the first, and ranks the workers as they are', async () => {
    const cluster = await VirtualCluster.start({ algorithm: 'least_loaded' });
    await cluster.join('w');
    const info = await cluster.answer(cluster.coordinator.scheduler.info());
    expect(info).toMatchObject({
      algorithm: 'least_loaded',
      pending_tasks: 0,
      active_tasks: 0,
      decisions_total: 0,
      last_decision: null,
    });
    expect(info.workers.map(({ worker_id }) => worker_id)).toEqual(['w']);
  });

  test.each(['fifo', 'round_robin', 'least_loaded', 'wrr', 'edas', 'aras', 'mabac'] as const)(
    'names the task, the worker and the table of the last decision under %s',
    async (algorithm) => {
      const cluster = await VirtualCluster.start({ algorithm });
      await cluster.join('a', { slots: 2 });
      await cluster.join('b', { slots: 1 });
      await cluster.submit('j', [1, 2, 3, 4]);
      const info = await cluster.answer(cluster.coordinator.scheduler.info());
      expect(info).toMatchObject({ pending_tasks: 1, active_tasks: 3, decisions_total: 3 });
      expect(info.last_decision).toMatchObject({ task_id: 'j.2', job_id: 'j', algorithm });
      const selected = info.workers.filter((worker) => worker.selected);
      expect(selected.map(({ worker_id }) => worker_id)).toEqual([info.last_decision!.worker_id]);
      // It had a free slot then, though it has none now.
      expect(selected[0]!.eligible).toBe(true);
      expect(info.last_decision!.reason).not.toBe('');
    },
  );

  test('shows all nine criteria where scores are made of them', async () => {
    const cluster = await VirtualCluster.start({ algorithm: 'aras' });
    await cluster.join('a');
    await cluster.submit('j', [1]);
    const info = await cluster.answer(cluster.coordinator.scheduler.info());
    expect(Object.keys(info.workers[0]!.criteria)).toHaveLength(9);
    const [worker] = await cluster.answer(cluster.coordinator.reads.workers());
    expect(worker!.score).toBe(info.workers[0]!.score);
  });

  test('forgets the last decision when everything is cleared', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('a');
    await cluster.submit('j', [1]);
    await cluster.answer(cluster.coordinator.clear());
    const info = await cluster.answer(cluster.coordinator.scheduler.info());
    expect(info).toMatchObject({ last_decision: null, workers: [], decisions_total: 0 });
  });
});

describe('the configuration', () => {
  test('refuses weights of which none is larger than zero, and keeps what was', async () => {
    const cluster = await VirtualCluster.start();
    const weights = { cpu: 0, memory: 0, throughput: 0, failure_rate: 0, latency: 0 };
    const answer = await cluster.answer(cluster.coordinator.scheduler.configure({ weights }));
    expect(answer).toMatchObject({ ok: false, rejection: { code: 'validation_failed' } });
    const config = await cluster.answer(cluster.coordinator.scheduler.config());
    expect(config.weights.cpu).toBe(0.2);
  });
});
