// Recovery events: made when an attempt that had started is lost, filled when its task goes on.

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';

async function recoveries(cluster: VirtualCluster) {
  const chunks = await cluster.answer(
    Array.fromAsync(cluster.coordinator.taskReads.recoveryEvents()),
  );
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
    await cluster.answer(cluster.coordinator.workers.deregister('w'));
    expect(await recoveries(cluster)).toMatchObject([
      { reason: 'deregistered', outcome: 'requeued' },
    ]);
  });
});

describe('after a restart of the coordinator', () => {
  /** A worker runs j.0 for four seconds and has saved it twice when the coordinator dies. */
  async function restarted() {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1], { attemptTimeoutMs: 20_000 });
    worker.start('j.0');
    await cluster.advance(2000);
    worker.checkpoint('j.0', 1, 0.2, { i: 2 });
    await cluster.advance(2000);
    worker.checkpoint('j.0', 2, 0.4, { i: 4 });
    await cluster.settle();
    await cluster.crash();
    return { cluster, worker };
  }

  test('an attempt that its worker names is adopted, and a recovery event says so', async () => {
    const { cluster, worker } = await restarted();
    await cluster.advance(3000);
    worker.connect(cluster.coordinator, [{ ...worker.held('j.0'), run_ms: 7000 }]);
    await cluster.settle();
    const [event, ...others] = await recoveries(cluster);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      reason: 'coordinator_restart',
      outcome: 'adopted',
      from_worker_id: 'w',
      to_worker_id: 'w',
      attempt: 1,
      next_attempt: 1,
      work_saved_seconds: 7,
      time_lost_seconds: 0,
    });
    expect(Date.parse(event!.resumed_at!) - Date.parse(event!.lost_at)).toBe(3000);
  });

  test('its time limit goes on from where it began, not from the restart', async () => {
    const { cluster, worker } = await restarted();
    await cluster.advance(3000);
    worker.connect(cluster.coordinator, [{ ...worker.held('j.0'), run_ms: 7000 }]);
    // Twenty seconds of its own and five of slack, of which seven have passed.
    for (let second = 0; second < 17; second++) {
      worker.heartbeat('j.0');
      await cluster.advance(1000);
    }
    cluster.takeLines();
    await cluster.advance(999);
    expect(cluster.takeLines()).toEqual([]);
    await cluster.advance(1);
    expect(cluster.takeLines()).toContain('j.0 #1 timed_out (attempt_timeout), charged: timeout');
  });

  test('a time limit of which nobody knows when it began grows by the time without a coordinator', async () => {
    const { cluster, worker } = await restarted();
    await cluster.advance(3000);
    worker.connect(cluster.coordinator, [worker.held('j.0')]);
    await cluster.settle();
    const task = cluster.coordinator.state.jobs.get('j')!.tasks.get(0)!;
    expect(task.live[0]!.startedAt).toBe(task.assignedAt);
    expect(task.live[0]!.timeout!.at).toBe(task.assignedAt! + 25_000);
  });

  test('an attempt of which a checkpoint is there and that nobody names resumes from it', async () => {
    const { cluster } = await restarted();
    await cluster.advance(15_000);
    const next = await cluster.join('next');
    expect(next.given.get('j.0')).toMatchObject([
      { attempt: 2, checkpoint: { sequence: 2, progress: 0.4, state: { i: 4 } } },
    ]);
    expect(await recoveries(cluster)).toMatchObject([
      { outcome: 'resumed', resumed_from_progress: 0.4, work_saved_seconds: 4, attempt: 1 },
    ]);
  });

  test('the run time behind the checkpoint that an attempt resumed from still counts when that one is dropped', async () => {
    const cluster = await VirtualCluster.start();
    const first = await cluster.join('first');
    await cluster.submit('j', [1]);
    first.start('j.0');
    await cluster.advance(2000);
    first.checkpoint('j.0', 1, 0.2, { i: 2 });
    await cluster.settle();
    first.drop();
    await cluster.advance(10_000);
    const next = await cluster.join('next');
    next.start('j.0');
    for (const sequence of [1, 2]) {
      await cluster.advance(1000);
      next.checkpoint('j.0', sequence, 0.2 + sequence / 10, {});
      await cluster.settle();
    }
    await cluster.crash();
    next.connect(cluster.coordinator, [{ ...next.held('j.0'), run_ms: 2000 }]);
    await cluster.settle();
    await cluster.advance(1000);
    next.checkpoint('j.0', 3, 0.5, {});
    await cluster.settle();
    const task = cluster.coordinator.state.jobs.get('j')!.tasks.get(0)!;
    expect(task.checkpoints.map(({ runMs }) => runMs)).toEqual([4000, 5000]);
  });

  test('a quarantine goes on', async () => {
    const cluster = await VirtualCluster.start({ settings: { quarantineAfterBlames: 1 } });
    const bad = await cluster.join('bad');
    const good = await cluster.join('good');
    await cluster.submit('j', [1], { retryDelayMs: 0 });
    bad.fail('j.0');
    await cluster.settle();
    good.complete('j.0');
    await cluster.settle();
    await cluster.crash();
    bad.connect(cluster.coordinator);
    await cluster.settle();
    const status = async () =>
      (await cluster.answer(cluster.coordinator.reads.workers())).find(({ id }) => id === 'bad')
        ?.status;
    expect(await status()).toBe('quarantined');
    await cluster.submit('k', [1]);
    expect(bad.given.get('k.0')).toBeUndefined();
    for (let second = 0; second < 61; second++) {
      bad.heartbeat();
      await cluster.advance(1000);
    }
    expect(bad.given.get('k.0')).toHaveLength(1);
    bad.complete('k.0');
    await cluster.settle();
    expect(await status()).toBe('online');
  });
});

describe('a checkpoint', () => {
  const another = '{"i":4}';
  // What was another input of the next attempt, if it became a part of its assignment as it is.
  const torn = '1},"input":666,"zz":{"a":1';
  const long = `[${'1,'.repeat(100_000)}`;
  test.each([
    ['whose hash is another', '{"i":5}', another],
    ['that is not JSON', torn, torn],
    ['that is not JSON at its end', long, long],
  ])('%s is dropped, and the task resumes from the one before', async (_, state, hashed) => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1]);
    worker.start('j.0');
    worker.checkpoint('j.0', 1, 0.2, { i: 2 });
    await cluster.settle();
    const bytes = gzipSync(state);
    worker.say({
      type: 'checkpoint',
      checkpoints: [
        {
          ...worker.ref('j.0'),
          sequence: 2,
          progress: 0.4,
          state_gzip: bytes.toString('base64'),
          sha256: cluster.runtime.hash(hashed),
          size_bytes: hashed.length,
        },
      ],
    });
    await cluster.settle();
    worker.drop();
    await cluster.advance(10_000);
    const next = await cluster.join('next');
    // A moment for the thread that unpacks it.
    await eventually(async () => {
      await cluster.settle();
      return next.given.get('j.0');
    });
    expect(next.given.get('j.0')).toMatchObject([{ checkpoint: { sequence: 1, state: { i: 2 } } }]);
    await cluster.settle();
    expect(cluster.takeLines()).toContain('j.0 dropped checkpoint 2');
    expect(await recoveries(cluster)).toMatchObject([
      { outcome: 'resumed', resumed_from_progress: 0.2 },
    ]);
  });
});

async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('an idempotency key', () => {
  const submit = (cluster: VirtualCluster, key: string, bodyHash: string) =>
    cluster.answer(
      cluster.coordinator.submissions.submit(
        submission({ retryDelayMs: 0 }),
        { type: 'list', inputs: ['1'] },
        { key, bodyHash },
      ),
    );

  test('returns the same job for the same body, also after a restart', async () => {
    const cluster = await VirtualCluster.start();
    const first = await submit(cluster, 'k', 'same');
    expect(await submit(cluster, 'k', 'same')).toEqual(first);
    await cluster.crash();
    expect(await submit(cluster, 'k', 'same')).toEqual(first);
    expect(cluster.coordinator.state.counters.jobs).toBe(1);
  });

  test('is a conflict with another body, and makes a job with another key', async () => {
    const cluster = await VirtualCluster.start();
    await submit(cluster, 'k', 'one');
    expect(await submit(cluster, 'k', 'two')).toMatchObject({
      ok: false,
      rejection: { code: 'idempotency_conflict' },
    });
    expect(await submit(cluster, 'l', 'two')).toMatchObject({ ok: true });
  });

  test('is taken once when it comes twice at the same time', async () => {
    const cluster = await VirtualCluster.start();
    const answers = Promise.all([submit(cluster, 'k', 'same'), submit(cluster, 'k', 'same')]);
    const [first, second] = await cluster.answer(answers);
    expect(first).toEqual(second);
    expect(cluster.coordinator.state.counters.jobs).toBe(1);
  });

  test('goes with its job', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    const first = await submit(cluster, 'k', 'same');
    const id = first.ok ? first.value.id : '';
    worker.complete(`${id}.0`);
    expect(await cluster.answer(cluster.coordinator.jobs.delete(id))).toMatchObject({ ok: true });
    expect(await cluster.answer(cluster.coordinator.reads.findJob(id))).toBe(undefined);
    const again = await submit(cluster, 'k', 'same');
    expect(again).toMatchObject({ ok: true });
    expect(again).not.toEqual(first);
  });
});
