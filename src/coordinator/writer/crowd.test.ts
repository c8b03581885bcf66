// A crowded inbox: what is refused, what is kept, and which workers are not taken for silent.

import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';

const stepMs = 4900;
const perBatch = 5;

/** Ten commands are too many, and a batch takes five. */
async function stage(bytes = 1_000_000) {
  const inboxMarks = { commands: 10, bytes };
  const cluster = await VirtualCluster.start({ batchLimit: perBatch, inboxMarks });
  const worker = await cluster.join('w');
  await cluster.submit('long', [1]);
  worker.start('long.0');
  await cluster.settle();
  const { coordinator } = cluster;
  const order = (count: number) => {
    for (let i = 0; i < count; i++) {
      coordinator.scheduler.configure({ algorithm: 'fifo' }).catch(() => undefined);
    }
  };
  /** A commit begins and does not end; more and more waits behind it. */
  const crowd = async () => {
    cluster.gate.shut();
    order(1);
    await cluster.settle();
    order(11);
  };
  return { cluster, coordinator, worker, order, crowd };
}

describe('while too much waits', () => {
  test('a job is refused before anything of it is kept, and its key is as good as new', async () => {
    const { cluster, coordinator, crowd } = await stage();
    await crowd();
    expect(coordinator.isCrowded).toBe(true);
    const inputs = { type: 'list', inputs: ['1'] } as const;
    const key = { key: 'k', bodyHash: 'b' };
    const refused = await coordinator.submissions.submit(submission(), inputs, key);
    expect(refused).toEqual({
      ok: false,
      rejection: {
        code: 'busy',
        detail:
          'Too much waits to be decided; nothing of this job was kept. Try again in a moment.',
      },
    });
    cluster.gate.open();
    await cluster.settle();
    expect(coordinator.isCrowded).toBe(false);
    expect(coordinator.state.counters.jobs).toBe(1);
    const other = { key: 'k', bodyHash: 'another body' };
    const taken = await cluster.answer(coordinator.submissions.submit(submission(), inputs, other));
    expect(taken.ok).toBe(true);
  });

  test('everything else is taken, and answered when its turn comes', async () => {
    const { cluster, coordinator, worker, crowd } = await stage();
    await crowd();
    const cancelled = coordinator.jobs.cancel('long');
    worker.heartbeat('long.0');
    worker.take();
    cluster.gate.open();
    await cluster.settle();
    expect((await cancelled).ok).toBe(true);
    const acks = worker.takeOnly('ack');
    expect(acks.at(-1)?.heartbeat?.stop).toMatchObject([{ task_id: 'long.0' }]);
  });

  test('frames count with their bytes', async () => {
    const { cluster, coordinator } = await stage(20_000);
    const session = coordinator.sessions.open({ send: () => undefined, close: () => undefined });
    cluster.gate.shut();
    void coordinator.scheduler.configure({ algorithm: 'fifo' });
    await cluster.settle();
    session.receive([{ type: 'bye', reason: '' }], 20_000);
    expect(coordinator.isCrowded).toBe(false);
    session.receive([{ type: 'bye', reason: '' }], 1);
    expect(coordinator.isCrowded).toBe(true);
    cluster.gate.open();
    await cluster.settle();
    expect(coordinator.isCrowded).toBe(false);
  });

  test('jobs count with their inputs and programs, and every request with itself', async () => {
    const { cluster, coordinator, order } = await stage(50_000);
    cluster.gate.shut();
    order(1);
    await cluster.settle();
    const submit = (text: string, source: string) => {
      const inputs = { type: 'list', inputs: [JSON.stringify(text)] } as const;
      const given = submission({ program: { kind: 'javascript', source } });
      coordinator.submissions.submit(given, inputs).catch(() => undefined);
    };
    submit('x'.repeat(10_000), 'x'.repeat(10_000));
    expect(coordinator.isCrowded).toBe(false);
    submit('', 'x'.repeat(10_000));
    expect(coordinator.isCrowded).toBe(false);
    order(1);
    expect(coordinator.isCrowded).toBe(true);
    cluster.gate.open();
    await cluster.settle();
  });

  test('a request that waits for its end waits no longer when the coordinator fails', async () => {
    const { cluster, coordinator, crowd } = await stage();
    await crowd();
    cluster.gate.breakNext();
    cluster.gate.open();
    await cluster.answer(coordinator.eased());
    expect(coordinator.health).toBe('failed');
  });
});

describe('a worker that is not read from, because too much waits', () => {
  /** As much comes as is decided, for longer than a lease. */
  async function crowdForLong() {
    const staged = await stage();
    const { cluster, coordinator, order, crowd } = staged;
    await crowd();
    for (let step = 0; step < 8; step++) {
      await cluster.advance(stepMs);
      order(perBatch);
      cluster.gate.open();
      cluster.gate.shut();
      await cluster.settle();
    }
    expect(coordinator.isCrowded).toBe(true);
    return staged;
  }

  test('is not lost meanwhile', async () => {
    const { worker } = await crowdForLong();
    expect(worker.closedFor).toBeNull();
  });

  test('is not lost before what it has said is read', async () => {
    const { cluster, coordinator, worker } = await crowdForLong();
    cluster.gate.open();
    await cluster.answer(coordinator.eased());
    await cluster.advance(1000);
    expect(worker.closedFor).toBeNull();
    worker.heartbeat('long.0');
    await cluster.advance(14_500);
    expect(worker.closedFor).toBeNull();
  });

  test('is lost a lease later when it has said nothing', async () => {
    const { cluster, worker } = await crowdForLong();
    cluster.gate.open();
    await cluster.advance(15_100);
    expect(worker.closedFor).toBe('not heard of for too long');
  });
});
