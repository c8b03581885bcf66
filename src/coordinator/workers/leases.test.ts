// A worker that cannot speak as often as others has a lease of its own, within bounds.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

/** A worker that asked for it, with a task that it runs. */
async function stage(lease_seconds: number) {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('w', { lease_seconds });
  await cluster.submit('j');
  worker.start('j.0');
  await cluster.settle();
  return { cluster, worker };
}

async function stagePulling(lease_seconds: number) {
  const cluster = await VirtualCluster.start();
  cluster.runtime.names.push('w');
  const device = { type: 'browser', platform: 'web', lease_seconds };
  const registered = await cluster.answer(cluster.coordinator.pullWorkers.register({ device }));
  if (!registered.ok) throw new Error(registered.rejection.detail);
  const { worker_id: id, worker_token: token } = registered.value;
  return { cluster, id, token, told: registered.value.lease_seconds };
}

describe('a worker with a lease of its own', () => {
  test('may be silent for so long, and no longer', async () => {
    const { cluster, worker } = await stage(180);
    expect(worker.takeOnly('welcome')[0]?.lease_seconds).toBe(180);
    await cluster.advance(179_000);
    expect(worker.closedFor).toBeNull();
    await cluster.advance(1100);
    expect(worker.closedFor).toBe('not heard of for too long');
    expect(cluster.lines).toContain('j.0 #1 lost (worker_lost), charged: loss');
  });

  test('has one beside others, who are lost after theirs', async () => {
    const { cluster, worker } = await stage(60);
    const other = await cluster.join('other');
    await cluster.advance(15_100);
    expect([worker.closedFor, other.closedFor]).toEqual([null, 'not heard of for too long']);
  });

  test('renews it with every beat', async () => {
    const { cluster, worker } = await stage(60);
    await cluster.advance(59_000);
    worker.heartbeat('j.0');
    await cluster.advance(59_000);
    expect(worker.closedFor).toBeNull();
    await cluster.advance(1100);
    expect(worker.closedFor).not.toBeNull();
  });

  test.each([
    [5, 15],
    [86_400, 600],
  ])('that asks for %i s gets %i s', async (asked, given) => {
    const { cluster, worker } = await stage(asked);
    expect(worker.takeOnly('welcome')[0]?.lease_seconds).toBe(given);
    expect((await cluster.coordinator.reads.findWorker('w'))?.lease_seconds).toBe(given);
  });

  test('has it anew after a standstill of the coordinator', async () => {
    const { cluster, worker } = await stage(60);
    await cluster.advance(10_000);
    cluster.runtime.stall(90_000);
    await cluster.advance(59_000);
    expect(worker.closedFor).toBeNull();
    await cluster.advance(1100);
    expect(worker.closedFor).not.toBeNull();
  });

  test('keeps it over a restart of the coordinator, and has as long to come back', async () => {
    const { cluster } = await stage(60);
    await cluster.crash();
    expect((await cluster.coordinator.reads.findWorker('w'))?.lease_seconds).toBe(60);
    await cluster.advance(59_000);
    cluster.takeLines();
    await cluster.advance(1100);
    expect(cluster.takeLines()).toContain('j.0 #1 lost (connection_lost)');
  });

  test('has the common one again after a hello that does not ask for one', async () => {
    const { cluster, worker } = await stage(60);
    const { lease_seconds: _, ...device } = worker.device;
    Object.assign(worker, { device });
    worker.connect(cluster.coordinator, [worker.held('j.0')]);
    await cluster.settle();
    expect(worker.takeOnly('welcome').at(-1)?.lease_seconds).toBe(15);
  });
});

describe('a worker with a lease for now', () => {
  const asleep = { rest: { because: 'hidden' }, lease_seconds: 300 };

  test('has it until a heartbeat without one, and it is shown', async () => {
    const { cluster, worker } = await stage(60);
    worker.beat(asleep, 'j.0');
    await cluster.settle();
    const shown = () => cluster.coordinator.reads.findWorker('w');
    expect(await shown()).toMatchObject({ lease_seconds: 300, rests_because: 'hidden' });
    await cluster.advance(299_000);
    expect(worker.closedFor).toBeNull();
    worker.heartbeat('j.0');
    await cluster.settle();
    expect(await shown()).toMatchObject({ lease_seconds: 60, rests_because: null });
  });

  test('gets no more than the longest lease', async () => {
    const { cluster, worker } = await stage(60);
    worker.beat({ lease_seconds: 86_400 }, 'j.0');
    await cluster.settle();
    expect((await cluster.coordinator.reads.findWorker('w'))?.lease_seconds).toBe(600);
    await cluster.advance(600_100);
    expect(worker.closedFor).toBe('not heard of for too long');
  });

  test('comes back after its connection broke, and goes on with the same attempt', async () => {
    const { cluster, worker } = await stage(20);
    worker.beat(asleep, 'j.0');
    await cluster.settle();
    worker.drop();
    await cluster.advance(299_000);
    worker.rest = asleep.rest;
    worker.connect(cluster.coordinator, [worker.held('j.0')]);
    await cluster.settle();
    expect(worker.takeOnly('welcome').at(-1)).toMatchObject({ lease_seconds: 300, stop: [] });
    worker.complete('j.0');
    await cluster.settle();
    expect(cluster.lines).toContain('j.0 #1 completed');
  });

  test('is waited for over a restart of the coordinator', async () => {
    const { cluster, worker } = await stage(20);
    worker.beat(asleep, 'j.0');
    await cluster.settle();
    await cluster.crash();
    await cluster.advance(299_000);
    cluster.takeLines();
    worker.rest = asleep.rest;
    worker.connect(cluster.coordinator, [worker.held('j.0')]);
    worker.complete('j.0');
    await cluster.settle();
    expect(cluster.takeLines()).toContain('j.0 #1 completed');
  });

  test('that does not come back after a restart is given up when its time is over', async () => {
    const { cluster, worker } = await stage(20);
    worker.beat(asleep, 'j.0');
    await cluster.settle();
    await cluster.crash();
    await cluster.advance(299_000);
    cluster.takeLines();
    await cluster.advance(1100);
    expect(cluster.takeLines()).toContain('j.0 #1 lost (connection_lost)');
  });
});

describe('a worker over plain HTTP with a lease of its own', () => {
  test('has so long to ask for what was assigned, and to name it', async () => {
    const { cluster, id, token, told } = await stagePulling(60);
    expect(told).toBe(60);
    const { coordinator } = cluster;
    await cluster.submit('j');
    await cluster.advance(59_000);
    const claimed = await cluster.answer(
      coordinator.pullWorkers.claim(id, token, { max: 1, waitMs: 0 }),
    );
    expect(claimed).toMatchObject({ ok: true, value: [{ task_id: 'j.0', lease_seconds: 60 }] });
    await cluster.advance(59_000);
    cluster.takeLines();
    const ref = claimed.ok ? claimed.value[0]! : undefined;
    const running = ref === undefined ? [] : [ref];
    await cluster.answer(coordinator.pullWorkers.heartbeat(id, token, { telemetry: {}, running }));
    await cluster.advance(59_000);
    expect(cluster.takeLines().filter((line) => line.includes('lost'))).toEqual([]);
    await cluster.advance(2000);
    expect(cluster.takeLines()).toContain('j.0 #1 lost (worker_lost)');
  });

  test('has a lease for now to name it, if it says so', async () => {
    const { cluster, id, token } = await stagePulling(20);
    const { pullWorkers } = cluster.coordinator;
    await cluster.submit('j');
    const claimed = await cluster.answer(pullWorkers.claim(id, token, { max: 1, waitMs: 0 }));
    const running = claimed.ok ? [claimed.value[0]!] : [];
    const rest = { because: 'battery' };
    const beat = { telemetry: {}, running, rest, lease_seconds: 300 };
    await cluster.answer(pullWorkers.heartbeat(id, token, beat));
    cluster.takeLines();
    await cluster.advance(299_000);
    expect(cluster.takeLines().filter((line) => line.includes('lost'))).toEqual([]);
    await cluster.answer(pullWorkers.heartbeat(id, token, { telemetry: {}, running }));
    await cluster.advance(21_000);
    expect(cluster.takeLines()).toContain('j.0 #1 lost (connection_lost)');
  });

  test('claims nothing while it rests, and everything afterwards', async () => {
    const { cluster, id, token } = await stagePulling(20);
    const { pullWorkers } = cluster.coordinator;
    const claim = () => cluster.answer(pullWorkers.claim(id, token, { max: 1, waitMs: 0 }));
    const beat = { telemetry: {}, running: [] };
    const rest = { because: 'battery' };
    await cluster.answer(pullWorkers.heartbeat(id, token, { ...beat, rest }));
    await cluster.submit('j');
    expect(await claim()).toEqual({ ok: true, value: [] });
    await cluster.answer(pullWorkers.heartbeat(id, token, beat));
    expect(await claim()).toMatchObject({ ok: true, value: [{ task_id: 'j.0' }] });
  });
});
