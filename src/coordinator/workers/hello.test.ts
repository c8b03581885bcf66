// The first message on a connection: which worker it is, and how it is refused.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import { ScriptedWorker } from '../../../test/support/scripted-worker.ts';

describe('a hello', () => {
  test('of a worker that was forgotten is that of a new one, also after a restart', async () => {
    const day = 86_400_000;
    const cluster = await VirtualCluster.start({ settings: { keepAwayMs: day } });
    const worker = await cluster.join('w');
    await cluster.submit('j');
    worker.complete('j.0');
    await cluster.settle();
    worker.drop();
    await cluster.advance(15_000);
    await cluster.crash();
    await cluster.advance(day - 20_000);
    expect(cluster.coordinator.state.workers.size).toBe(1);
    await cluster.advance(20_000);
    expect(cluster.coordinator.state.workers.size).toBe(0);
    worker.connect(cluster.coordinator);
    await cluster.settle();
    expect(worker.takeOnly('deregistered')).toMatchObject([{ register_after_seconds: 0 }]);
    await cluster.crash();
    worker.connect(cluster.coordinator);
    await cluster.settle();
    expect(worker.takeOnly('deregistered')).toMatchObject([{ register_after_seconds: 0 }]);
    // It has done something, so its name is kept for the statistics.
    expect(cluster.disk.workers.get('w')).toMatchObject({ mayReturn: true, name: 'w' });
  });

  test('is told where other coordinators are, as they are now; nothing where there are none', async () => {
    let others: readonly string[] = ['http://b', 'http://c'];
    const cluster = await VirtualCluster.start({ otherCoordinators: () => others });
    const worker = await cluster.join('w');
    expect(worker.takeOnly('welcome')).toMatchObject([{ coordinators: others }]);
    others = [];
    worker.connect(cluster.coordinator);
    await cluster.settle();
    expect(worker.takeOnly('welcome')[0]).not.toHaveProperty('coordinators');
  });

  test('of a worker that was away and did nothing leaves nothing behind', async () => {
    const cluster = await VirtualCluster.start({ settings: { keepAwayMs: 60_000 } });
    (await cluster.join('w')).drop();
    await cluster.advance(100_000);
    expect(cluster.disk.workers.size).toBe(0);
  });

  test('of a new worker registers it; the token is told once and stored as a hash', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 4, labels: { room: '7' } });
    const [welcome] = worker.takeOnly('welcome');
    expect(welcome).toMatchObject({
      protocol: 1,
      worker_id: 'w',
      heartbeat_interval_seconds: 5,
      lease_seconds: 15,
      drain: false,
      stop: [],
    });
    expect(welcome?.worker_token).toBe(worker.token);
    expect(cluster.disk.workers.get('w')?.tokenHash).toBe(`hash of ${worker.token}`);
    expect(await cluster.answer(cluster.coordinator.reads.findWorker('w'))).toMatchObject({
      name: 'w',
      slots: 4,
      labels: { room: '7' },
      status: 'online',
    });
  });

  test('of a known worker must bring its token', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    const thief = new ScriptedWorker();
    thief.id = 'w';
    thief.token = 'guessed';
    thief.connect(cluster.coordinator);
    await cluster.settle();
    expect(thief.takeOnly('error')).toMatchObject([{ code: 'not_yours', fatal: true }]);
    expect(thief.closedFor).toBe('not_yours');
    expect(worker.closedFor).toBeNull();
  });

  test('replaces an older connection of the same worker, without a loss', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    const older = new ScriptedWorker();
    Object.assign(older, { id: worker.id, token: worker.token });
    older.connect(cluster.coordinator, [worker.held('j.0')]);
    await cluster.settle();
    expect(worker.closedFor).toBe('replaced by a newer connection');
    expect(cluster.takeovers).toEqual([worker.id]);
    // Were it a second program with the same identity, it would go on as a worker of its own.
    expect(worker.takeOnly('deregistered')).toMatchObject([{ register_after_seconds: 1 }]);
    await cluster.advance(12_000);
    const [shown] = await cluster.answer(cluster.coordinator.reads.workers());
    expect(shown).toMatchObject({ status: 'busy', active_tasks: 1 });
  });

  test('of another worker on the same connection disconnects the first one', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    cluster.runtime.names.push('w2');
    worker.say({ type: 'hello', protocol: 1, device: worker.device, attempts: [] });
    await cluster.settle();
    expect(cluster.coordinator.held.sessions).toBe(1);
    expect(cluster.coordinator.state.workers.get('w')?.connection.state).toBe('grace');
    // A task goes to the worker that is reached on it.
    await cluster.advance(10_000);
    expect(cluster.lines).toContain('worker w lost');
    expect(cluster.lines).toContain('j.0 #2 assigned to w2');
  });

  test('must come first', async () => {
    const cluster = await VirtualCluster.start();
    const worker = new ScriptedWorker();
    const closed: string[] = [];
    const session = cluster.coordinator.sessions.open({
      send: () => undefined,
      close: (reason) => closed.push(reason),
    });
    session.receive([{ type: 'bye', reason: 'rude' }]);
    await cluster.settle();
    expect(closed).toEqual(['protocol_error']);
    expect(worker.closedFor).toBeNull();
  });

  test('must speak the same protocol', async () => {
    const cluster = await VirtualCluster.start();
    const frames: string[] = [];
    const session = cluster.coordinator.sessions.open({
      send: (frame) => frames.push(frame),
      close: () => undefined,
    });
    const device = { type: 'pc', platform: 'linux' };
    session.receive([{ type: 'hello', protocol: 99, device, attempts: [] }]);
    await cluster.settle();
    expect(frames.join()).toContain('"code":"protocol_mismatch"');
    expect(cluster.coordinator.state.workers.size).toBe(0);
  });

  test('is exact: attempts that it does not name go to another worker', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 });
    await cluster.submit('j', [1, 2]);
    const other = await cluster.join('other', { slots: 2 });
    worker.drop();
    worker.connect(cluster.coordinator, [worker.held('j.1', 'queued')]);
    await cluster.settle();
    expect([...other.given.keys(), ...worker.given.keys()]).toContain('j.0');
    expect(cluster.takeLines()).toContain('j.0 #1 released (connection_lost)');
    expect(cluster.coordinator.state.jobs.get('j')?.tasks.get(1)?.attempt).toBe(1);
  });

  test('of a connection that closed before it was heard changes nothing', async () => {
    const cluster = await VirtualCluster.start();
    const worker = new ScriptedWorker();
    worker.connect(cluster.coordinator);
    worker.drop();
    await cluster.settle();
    expect(cluster.coordinator.state.workers.size).toBe(0);
  });
});

describe('a worker that was removed', () => {
  test('is told to stay away, now and after a restart', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    const removed = await cluster.answer(cluster.coordinator.workers.deregister('w'));
    expect(removed).toEqual({ ok: true, value: { requeuedTasks: 1 } });
    expect(worker.takeOnly('deregistered')).toHaveLength(1);
    expect(worker.closedFor).toBe('deregistered');
    await cluster.crash();
    worker.connect(cluster.coordinator, [worker.held('j.0')]);
    await cluster.settle();
    expect(worker.takeOnly('deregistered')).toEqual([
      { type: 'deregistered', detail: 'Worker "w" was removed and must stay away.' },
    ]);
  });

  test('is told so even when it is back within the same batch', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    void cluster.coordinator.workers.deregister('w');
    worker.drop();
    worker.connect(cluster.coordinator);
    await cluster.settle();
    const [told] = worker.takeOnly('deregistered');
    expect(told?.register_after_seconds).toBeUndefined();
  });

  test('is unknown when nobody knows its id: it may register anew', async () => {
    const cluster = await VirtualCluster.start();
    const stranger = new ScriptedWorker();
    Object.assign(stranger, { id: 'nobody', token: 'whatever' });
    stranger.connect(cluster.coordinator);
    await cluster.settle();
    expect(stranger.takeOnly('deregistered')).toMatchObject([{ register_after_seconds: 0 }]);
    expect(await cluster.answer(cluster.coordinator.workers.deregister('nobody'))).toMatchObject({
      rejection: { code: 'unknown_worker' },
    });
  });

  test('by a clear may register anew, as somebody else', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    await cluster.answer(cluster.coordinator.clear());
    const [told] = worker.takeOnly('deregistered');
    expect(told).toMatchObject({ register_after_seconds: 10 });
    worker.connect(cluster.coordinator, [worker.held('j.0')]);
    await cluster.settle();
    expect(worker.takeOnly('deregistered')).toMatchObject([{ register_after_seconds: 0 }]);
    worker.id = undefined;
    cluster.runtime.names.push('again');
    worker.connect(cluster.coordinator);
    await cluster.settle();
    expect(worker.id).toBe('again');
  });
});
