// Who did what when, from what is told after commits and from memory.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { AttemptsAsked } from '../port/reads.ts';

async function history(cluster: VirtualCluster, asked: Partial<AttemptsAsked> = {}) {
  const { evaluation } = cluster.coordinator;
  const found = await cluster.answer(evaluation.attempts({ limit: 100, ...asked }));
  if (found === undefined) throw new Error('no such job');
  return found;
}

async function rows(cluster: VirtualCluster, asked: Partial<AttemptsAsked> = {}) {
  const { attempts } = await history(cluster, asked);
  return attempts.map(({ task_id, attempt, status, slot }) => [task_id, attempt, status, slot]);
}

describe('the attempts', () => {
  test('have the smallest number that was free when they began', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 3 });
    await cluster.submit('j', [1, 2, 3, 4]);
    worker.start('j.0', 'j.1', 'j.2');
    await cluster.settle();
    await cluster.advance(1_000);
    worker.complete('j.1');
    await cluster.settle();
    worker.start('j.3');
    await cluster.settle();
    expect(await rows(cluster)).toEqual([
      ['j.3', 1, 'running', 1],
      ['j.2', 1, 'running', 2],
      ['j.0', 1, 'running', 0],
      ['j.1', 1, 'completed', 1],
    ]);
  });

  test('have a number also when nobody said that they had begun', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 });
    await cluster.submit('j', [1, 2]);
    worker.start('j.0');
    worker.complete('j.1');
    await cluster.settle();
    expect(await rows(cluster)).toEqual([
      ['j.0', 1, 'running', 0],
      ['j.1', 1, 'completed', 1],
    ]);
  });

  test('tell what they went on from, what they saved and how they ended', async () => {
    const cluster = await VirtualCluster.start();
    const one = await cluster.join('one');
    await cluster.submit('j', [1], { checkpointIntervalMs: 1_000, retryDelayMs: 0 });
    one.start('j.0');
    one.checkpoint('j.0', 1, 0.25);
    one.checkpoint('j.0', 2, 0.5);
    one.fail('j.0', { error_type: 'RangeError' });
    const last = await cluster.join('two');
    await cluster.advance(2_000);
    last.start('j.0');
    last.complete('j.0');
    await cluster.settle();
    const { attempts, left_out } = await history(cluster, { jobId: 'j' });
    expect(left_out).toBe(0);
    expect(attempts).toMatchObject([
      {
        job_id: 'j',
        task_id: 'j.0',
        index: 0,
        attempt: 2,
        worker_id: last.id,
        slot: 0,
        status: 'completed',
        progress: 1,
        resumed_from_progress: 0.5,
        resumed_from_attempt: 1,
        checkpoints: 0,
        error_type: null,
      },
      {
        attempt: 1,
        worker_id: 'one',
        status: 'failed',
        progress: 0.5,
        resumed_from_progress: null,
        resumed_from_attempt: null,
        checkpoints: 2,
        error_type: 'RangeError',
      },
    ]);
    for (const each of attempts) {
      expect(each.assigned_at <= each.started_at!).toBe(true);
      expect(each.started_at! <= each.ended_at!).toBe(true);
    }
  });

  test('that were lost and came back are there once, completed', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1]);
    worker.start('j.0');
    await cluster.settle();
    await cluster.advance(600_000);
    expect(await rows(cluster)).toEqual([['j.0', 1, 'lost', 0]]);
    worker.connect(cluster.coordinator, [worker.held('j.0')]);
    await cluster.settle();
    worker.say({ type: 'result', results: [{ ...worker.ref('j.0', 1), value: 1 }] });
    await cluster.settle();
    expect(await rows(cluster)).toContainEqual(['j.0', 1, 'completed', 0]);
    expect(await rows(cluster)).not.toContainEqual(['j.0', 1, 'lost', 0]);
  });

  test('are found by worker and by time, and tell how many did not fit', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 1 });
    await cluster.submit('j', [1, 2, 3]);
    const moments: number[] = [];
    for (const task of ['j.0', 'j.1']) {
      worker.start(task);
      await cluster.advance(1_000);
      worker.complete(task);
      await cluster.settle();
      moments.push(cluster.runtime.now());
      await cluster.advance(1_000);
    }
    worker.start('j.2');
    await cluster.settle();
    const found = await history(cluster, { limit: 1 });
    expect([found.attempts.map(({ task_id }) => task_id), found.left_out]).toEqual([['j.2'], 2]);
    const ids = async (asked: Partial<AttemptsAsked>) =>
      (await history(cluster, asked)).attempts.map(({ index }) => index);
    expect(await ids({ workerId: 'w' })).toEqual([2, 1, 0]);
    expect(await ids({ workerId: 'nobody' })).toEqual([]);
    expect(await ids({ since: moments[1]! })).toEqual([2, 1]);
    expect(await ids({ since: moments[1]! + 1 })).toEqual([2]);
    expect(await ids({ until: moments[0]! - 1_000 })).toEqual([]);
    const { evaluation } = cluster.coordinator;
    expect(await cluster.answer(evaluation.attempts({ jobId: 'none', limit: 9 }))).toBeUndefined();
  });

  test('go with their job, and begin anew with the coordinator', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 });
    await cluster.submit('a', [1]);
    await cluster.submit('b', [1]);
    worker.complete('a.0');
    worker.complete('b.0');
    await cluster.settle();
    await cluster.answer(cluster.coordinator.jobs.delete('a'));
    expect(await rows(cluster)).toEqual([['b.0', 1, 'completed', 0]]);
    await cluster.advance(5_000);
    await cluster.crash();
    const { attempts, kept_since } = await history(cluster);
    expect([attempts, Date.parse(kept_since)]).toEqual([[], cluster.runtime.now()]);
  });
});
