// What workers report, as the coordinator answers it on the wire: one bad report does not spoil the
// others, and everything is answered after the commit.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

describe('a frame', () => {
  test('may hold reports of every kind; each is decided on its own', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 5 });
    await cluster.submit('j', [0, 1, 2, 3, 4]);
    worker.take();
    const ref = (index: number) => worker.ref(`j.${index}`);
    worker.say(
      { type: 'started', started: [ref(0), { ...ref(1), token: 'guessed' }] },
      { type: 'progress', progress: [{ ...ref(0), progress: 0.5, message: 'half' }] },
      {
        type: 'result',
        results: [
          { ...ref(1), value: { x: 1 } },
          { ...ref(0), attempt: 9, value: 1 },
        ],
      },
      { type: 'failure', failures: [{ ...ref(2), error_type: 'Error', error_message: 'no' }] },
      { type: 'refusal', refusals: [{ ...ref(3), reason: 'battery' }] },
      { type: 'release', releases: [ref(4)] },
    );
    await cluster.settle();
    const said = worker.take();
    expect(said.flatMap((each) => (each.type === 'ack' ? each.accepted : []))).toEqual([
      { task_id: 'j.1', attempt: 1, kind: 'result' },
      { task_id: 'j.2', attempt: 1, kind: 'failure' },
      { task_id: 'j.3', attempt: 1, kind: 'refusal' },
      { task_id: 'j.4', attempt: 1, kind: 'release' },
    ]);
    const rejected = said.flatMap((each) => (each.type === 'reject' ? each.rejected : []));
    expect(rejected.map(({ task_id, kind, code }) => [task_id, kind, code])).toEqual([
      ['j.1', 'started', 'not_yours'],
      ['j.0', 'result', 'not_yours'],
    ]);
  });

  test('that arrived before the connection closed still counts', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    worker.complete('j.0', 1);
    worker.drop();
    await cluster.settle();
    expect(await cluster.answer(cluster.coordinator.reads.findJob('j'))).toMatchObject({
      status: 'completed',
    });
  });

  test('with a result that is too large fails the task, for good', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    worker.complete('j.0', 'x'.repeat(2 * 1024 * 1024));
    await cluster.settle();
    expect(await cluster.answer(cluster.coordinator.reads.findJob('j'))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('result_too_large'),
    });
    expect(worker.takeOnly('ack').at(-1)?.accepted).toHaveLength(1);
  });

  test('with `bye` releases everything and ends the connection', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    worker.start('j.0');
    worker.say({ type: 'bye', reason: 'lunch' });
    await cluster.settle();
    expect(worker.closedFor).toBe('bye');
    expect(cluster.takeLines().slice(-4)).toEqual([
      'j.0 #1 started',
      'j.0 #1 released (worker_drained)',
      'j.0 requeued',
      'worker w left',
    ]);
  });
});

describe('a heartbeat', () => {
  test('is answered with what to stop, and with what is wrong with its telemetry', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    const ref = worker.ref('j.0');
    void cluster.coordinator.jobs.cancel('j');
    await cluster.settle();
    worker.take();
    worker.say({
      type: 'heartbeat',
      heartbeat_id: 7,
      telemetry: { cpu_load_percent: 400, ram_available_mb: 512 },
      assign_sequence: 1,
      running: [ref],
    });
    await cluster.settle();
    expect(worker.takeOnly('ack')[0]?.heartbeat).toEqual({
      heartbeat_id: 7,
      stop: [{ task_id: 'j.0', attempt: 1, reason: 'stale_attempt' }],
      heartbeat_interval_seconds: 5,
      drain: false,
      warnings: ['cpu_load_percent must be a number from 0 to 100; ignored.'],
    });
    const [shown] = await cluster.answer(cluster.coordinator.reads.workers());
    expect(shown?.telemetry).toEqual({ ram_available_mb: 512 });
  });

  test('keeps a worker alive; a silent one loses its tasks and its connection', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    for (let beat = 0; beat < 6; beat++) {
      await cluster.advance(5000);
      worker.heartbeat('j.0');
      await cluster.settle();
    }
    expect(worker.closedFor).toBeNull();
    await cluster.advance(15_000);
    expect(worker.closedFor).toBe('not heard of for too long');
    expect(cluster.takeLines().slice(-3)).toEqual([
      'j.0 #1 lost (worker_lost)',
      'j.0 requeued',
      'worker w lost',
    ]);
  });
});

describe('what is decided about a worker', () => {
  test('is told to it: cancel, drain, resume, recall', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 });
    await cluster.submit('j');
    await cluster.submit('k');
    worker.take();
    await cluster.answer(cluster.coordinator.jobs.cancel('j'));
    await cluster.answer(cluster.coordinator.workers.drain('w'));
    await cluster.answer(cluster.coordinator.workers.resume('w'));
    expect(worker.take()).toEqual([
      { type: 'revoke', attempts: [{ task_id: 'j.0', attempt: 1, reason: 'cancelled' }] },
      { type: 'drain', drain: true },
      { type: 'recall', attempts: [{ task_id: 'k.0', attempt: 1 }] },
      { type: 'drain', drain: false },
    ]);
  });

  test('is a cancel when another attempt brought the result first', async () => {
    const cluster = await VirtualCluster.start();
    const late = await cluster.join('late');
    await cluster.submit('j');
    late.drop();
    await cluster.advance(10_000);
    const other = await cluster.join('other');
    late.connect(cluster.coordinator, [late.held('j.0', 'finished')]);
    late.complete('j.0');
    await cluster.settle();
    expect(other.takeOnly('cancel')).toEqual([
      { type: 'cancel', attempts: [{ task_id: 'j.0', attempt: 2, reason: 'superseded' }] },
    ]);
  });
});

describe('behind many results of a long job', () => {
  /** Results of the long job wait for the commit before them, and fill more than a batch. */
  async function crowded() {
    const cluster = await VirtualCluster.start({ batchLimit: 20 });
    const busy = await cluster.join('busy', { slots: 60 });
    const other = await cluster.join('other', { type: 'phone', slots: 2 });
    const only = (type: string) => ({ requirements: { type: [type] } });
    await cluster.submit('long', { type: 'range', start: 0, count: 60 }, only('pc'));
    await cluster.submit('short', [1, 2], only('phone'));
    for (const worker of [busy, other]) worker.take();
    cluster.gate.shut();
    busy.complete('long.0');
    await cluster.settle();
    const reportMany = () => {
      for (const from of [1, 21]) {
        const results = Array.from({ length: 20 }, (_, i) => ({
          ...busy.ref(`long.${from + i}`),
          value: null,
        }));
        busy.say({ type: 'result', results });
      }
    };
    return { cluster, busy, other, reportMany };
  }

  /** Of each commit after the one that is held back: how many tasks it completes of the long job, and of the short. */
  async function completed(cluster: VirtualCluster): Promise<number[][]> {
    const { gate, coordinator } = cluster;
    const keys = ['long', 'short'].map((id) => coordinator.state.jobs.get(id)?.spec.key);
    const before = gate.commits.length;
    gate.open();
    await cluster.settle();
    return gate.commits
      .slice(before + 1)
      .map(({ tasks }) => tasks.filter(({ status }) => status === 'completed'))
      .map((tasks) => keys.map((key) => tasks.filter(({ jobKey }) => jobKey === key).length));
  }

  test('the frame with the only result of a short one is read first', async () => {
    const { cluster, other, reportMany } = await crowded();
    reportMany();
    other.complete('short.0');
    expect(await completed(cluster)).toEqual([
      [0, 1],
      [20, 0],
      [20, 0],
    ]);
  });

  test('a small part of the long job keeps its place', async () => {
    const { cluster, busy, other, reportMany } = await crowded();
    reportMany();
    busy.complete('long.50');
    other.complete('short.0');
    expect(await completed(cluster)).toEqual([
      [0, 1],
      [20, 0],
      [20, 0],
      [1, 0],
    ]);
  });

  test('it passes what is said of another task', async () => {
    const { cluster, other, reportMany } = await crowded();
    reportMany();
    other.start('short.1');
    other.complete('short.0');
    expect((await completed(cluster))[0]).toEqual([0, 1]);
  });

  test('it does not pass what is said of its own', async () => {
    const { cluster, other, reportMany } = await crowded();
    reportMany();
    other.start('short.0');
    other.complete('short.0');
    expect((await completed(cluster)).at(-1)).toEqual([0, 1]);
    expect(other.takeOnly('reject')).toEqual([]);
  });

  test('a frame that says more than results keeps its place, and so do those after it', async () => {
    const { cluster, other, reportMany } = await crowded();
    reportMany();
    other.heartbeat('short.0');
    other.complete('short.0');
    expect(await completed(cluster)).toEqual([
      [20, 0],
      [20, 0],
      [0, 1],
    ]);
  });
});
