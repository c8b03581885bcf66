// Recovery events: made when an attempt that had started is lost, filled when its task goes on.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../test/support/virtual-cluster.ts';

async function recoveries(cluster: VirtualCluster) {
  const chunks = await cluster.answer(Array.fromAsync(cluster.coordinator.recoveryEvents()));
  return chunks.flat();
}

/** A worker runs j.0 for two seconds, then its connection is gone for good. */
async function lostMidTask() {
  const cluster = await VirtualCluster.start();
  const lost = await cluster.join('lost');
  await cluster.submit('j', [1]);
  lost.start('j.0');
  await cluster.advance(2000);
  lost.drop();
  await cluster.advance(10_000);
  return { cluster, lost };
}

describe('a recovery event', () => {
  test('is made when an attempt that had started is lost', async () => {
    const { cluster } = await lostMidTask();
    expect(await recoveries(cluster)).toMatchObject([
      {
        task_id: 'j.0',
        from_worker_id: 'lost',
        to_worker_id: null,
        reason: 'connection_lost',
        attempt: 1,
        next_attempt: null,
        resumed_at: null,
        time_lost_seconds: 12,
        outcome: 'requeued',
      },
    ]);
  });

  test('names the next worker at the next assignment, and the moment when it started', async () => {
    const { cluster } = await lostMidTask();
    const next = await cluster.join('next');
    expect(await recoveries(cluster)).toMatchObject([
      { to_worker_id: 'next', next_attempt: 2, outcome: 'restarted', resumed_at: null },
    ]);
    next.start('j.0');
    await cluster.settle();
    const [event] = await recoveries(cluster);
    expect(event!.resumed_at).not.toBe(null);
  });

  test('is filled after a restart of the coordinator, too', async () => {
    const { cluster } = await lostMidTask();
    await cluster.crash();
    const next = await cluster.join('next');
    next.start('j.0');
    expect(await recoveries(cluster)).toMatchObject([{ to_worker_id: 'next', next_attempt: 2 }]);
  });

  test('is not made for an attempt that had not started, nor for an error of the task', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1]);
    worker.fail('j.0');
    await cluster.advance(5000);
    worker.drop();
    await cluster.advance(10_000);
    expect(await recoveries(cluster)).toEqual([]);
  });

  test('says failed when no budget is left', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1], { maxLostAttempts: 1 });
    worker.start('j.0');
    await cluster.settle();
    worker.drop();
    await cluster.advance(10_000);
    expect(await recoveries(cluster)).toMatchObject([{ outcome: 'failed', to_worker_id: null }]);
  });

  test('is made when its worker is removed, at no cost to the task', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1], { maxLostAttempts: 1 });
    worker.start('j.0');
    await cluster.settle();
    await cluster.answer(cluster.coordinator.deregisterWorker('w'));
    expect(await recoveries(cluster)).toMatchObject([
      { reason: 'deregistered', outcome: 'requeued' },
    ]);
  });
});

describe('an idempotency key', () => {
  const submission = (cluster: VirtualCluster, key: string, bodyHash: string) =>
    cluster.answer(
      cluster.coordinator.submitJob(
        {
          name: null,
          clientId: 'anonymous',
          priority: 0,
          program: { kind: 'javascript', source: 'export default 1' },
          taskPriorities: null,
          maxAttempts: 3,
          maxLostAttempts: 5,
          retryDelayMs: 0,
          attemptTimeoutMs: null,
          progressTimeoutMs: null,
          onTaskFailure: 'continue',
          lateResults: 'accept',
          requirements: null,
          checkpointIntervalMs: null,
          speculation: null,
        },
        { type: 'list', inputs: ['1'] },
        { key, bodyHash },
      ),
    );

  test('returns the same job for the same body, also after a restart', async () => {
    const cluster = await VirtualCluster.start();
    const first = await submission(cluster, 'k', 'same');
    expect(await submission(cluster, 'k', 'same')).toEqual(first);
    await cluster.crash();
    expect(await submission(cluster, 'k', 'same')).toEqual(first);
    expect(cluster.coordinator.state.counters.jobs).toBe(1);
  });

  test('is a conflict with another body, and makes a job with another key', async () => {
    const cluster = await VirtualCluster.start();
    await submission(cluster, 'k', 'one');
    expect(await submission(cluster, 'k', 'two')).toMatchObject({
      ok: false,
      rejection: { code: 'idempotency_conflict' },
    });
    expect(await submission(cluster, 'l', 'two')).toMatchObject({ ok: true });
  });

  test('is taken once when it comes twice at the same time', async () => {
    const cluster = await VirtualCluster.start();
    const answers = Promise.all([
      submission(cluster, 'k', 'same'),
      submission(cluster, 'k', 'same'),
    ]);
    const [first, second] = await cluster.answer(answers);
    expect(first).toEqual(second);
    expect(cluster.coordinator.state.counters.jobs).toBe(1);
  });

  test('goes with its job', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    const first = await submission(cluster, 'k', 'same');
    const id = first.ok ? first.value.id : '';
    worker.complete(`${id}.0`);
    expect(await cluster.answer(cluster.coordinator.deleteJob(id))).toMatchObject({ ok: true });
    expect(await cluster.answer(cluster.coordinator.findJob(id))).toBe(undefined);
    const again = await submission(cluster, 'k', 'same');
    expect(again).toMatchObject({ ok: true });
    expect(again).not.toEqual(first);
  });
});
