// Which connection counts when a worker has several: hellos and what follows them may come in any order, and the worker
// may say hello again on a connection that stays open.

import { describe, expect, test } from 'vitest';
import { ScriptedWorker } from '../../../test/support/scripted-worker.ts';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

/** A worker, and another connection under its identity. */
async function twice() {
  const cluster = await VirtualCluster.start();
  const worker = new ScriptedWorker({ name: 'w', slots: 2 });
  worker.life = { instance: 'first', connection: 5 };
  worker.connect(cluster.coordinator);
  await cluster.settle();
  const other = new ScriptedWorker({ name: 'w', slots: 2 });
  other.id = worker.id;
  other.token = worker.token;
  worker.take();
  cluster.takeLines();
  return { cluster, worker, other };
}

describe('of one start of a worker', () => {
  test('the newer connection counts, and the older one is ended without a word', async () => {
    const { cluster, worker, other } = await twice();
    other.life = { instance: 'first', connection: 6 };
    other.connect(cluster.coordinator);
    await cluster.settle();
    expect(worker.take()).toEqual([]);
    expect(worker.closedFor).toBe('replaced by a newer connection');
    expect(other.takeOnly('welcome')).toHaveLength(1);
    expect(other.closedFor).toBeNull();
  });

  test('a hello that was overtaken changes nothing, and is ended without a word', async () => {
    const { cluster, worker, other } = await twice();
    await cluster.submit('j', [0, 1]);
    worker.start('j.0');
    await cluster.settle();
    cluster.takeLines();
    other.life = { instance: 'first', connection: 4 };
    other.connect(cluster.coordinator);
    await cluster.settle();
    expect(other.take()).toEqual([]);
    expect(other.closedFor).toBe('the worker has come on a newer connection');
    expect(worker.closedFor).toBeNull();
    expect(cluster.takeLines()).toEqual([]);
    worker.complete('j.0');
    worker.complete('j.1');
    await cluster.settle();
    expect(worker.takeOnly('ack').flatMap(({ accepted }) => accepted)).toHaveLength(2);
  });

  test('a hello that was overtaken changes nothing when the newer connection has ended', async () => {
    const { cluster, worker, other } = await twice();
    await cluster.submit('j');
    worker.start('j.0');
    worker.drop();
    await cluster.settle();
    cluster.takeLines();
    other.life = { instance: 'first', connection: 4 };
    other.connect(cluster.coordinator);
    await cluster.settle();
    expect(other.closedFor).toBe('the worker has come on a newer connection');
    expect(cluster.takeLines()).toEqual([]);
    worker.life = { instance: 'first', connection: 6 };
    worker.connect(cluster.coordinator, [worker.held('j.0')]);
    await cluster.settle();
    expect(worker.takeOnly('welcome')).toMatchObject([{ stop: [] }]);
  });

  test('a new start counts from one again', async () => {
    const { cluster, worker, other } = await twice();
    worker.drop();
    await cluster.settle();
    other.life = { instance: 'second', connection: 1 };
    other.connect(cluster.coordinator);
    await cluster.settle();
    expect(other.takeOnly('welcome')).toHaveLength(1);
  });
});

describe('another program with the identity of a worker', () => {
  test.each([
    ['another start', { instance: 'second', connection: 1 }],
    ['a copy of its memory', { instance: 'first', connection: 5 }],
    ['one that says neither', {}],
  ])('replaces it, and the first must register anew: %s', async (_, life) => {
    const { cluster, worker, other } = await twice();
    other.life = life;
    other.connect(cluster.coordinator);
    await cluster.settle();
    expect(worker.takeOnly('deregistered')).toMatchObject([{ register_after_seconds: 1 }]);
    expect(other.takeOnly('welcome')).toHaveLength(1);
  });
});

describe('what an older connection still brings', () => {
  /** The frame is read in the batch in which the newer hello has just replaced its connection. */
  async function replaced(say: (worker: ScriptedWorker) => void) {
    const { cluster, worker, other } = await twice();
    await cluster.submit('j', [0, 1]);
    worker.start('j.0', 'j.1');
    await cluster.settle();
    cluster.takeLines();
    other.life = { instance: 'first', connection: 6 };
    other.connect(cluster.coordinator, [worker.held('j.0'), worker.held('j.1')]);
    say(worker);
    await cluster.settle();
    return { cluster, worker, other };
  }

  test('counts as a result', async () => {
    const { cluster } = await replaced((worker) => worker.complete('j.0', 7));
    expect(cluster.takeLines()).toContain('j.0 #1 completed');
  });

  test('does not count as a heartbeat', async () => {
    const { cluster, worker } = await replaced((w) => w.beat({ rest: { because: 'paused' } }));
    expect(worker.takeOnly('ack')).toEqual([]);
    expect(cluster.coordinator.state.workers.get(worker.id!)?.rest).toBeNull();
  });

  test('does not count as a bye', async () => {
    const { cluster, worker } = await replaced((w) => w.say({ type: 'bye', reason: 'x' }));
    const record = cluster.coordinator.state.workers.get(worker.id!);
    expect(record?.connection.state).toBe('connected');
    expect(record?.attempts.size).toBe(2);
  });
});

describe('a hello on the connection that is open', () => {
  test('is welcome, adopts what it names and requeues what it does not', async () => {
    const { cluster, worker } = await twice();
    await cluster.submit('j', [0, 1]);
    worker.start('j.0');
    await cluster.settle();
    worker.take();
    cluster.takeLines();
    worker.life = { instance: 'first', connection: 6 };
    worker.answerGreeting(1, [worker.held('j.0')]);
    await cluster.settle();
    const said = worker.take().map(({ type }) => type);
    expect(said.slice(0, 2)).toEqual(['welcome', 'assign']);
    expect(worker.closedFor).toBeNull();
    expect(worker.ref('j.0').attempt).toBe(1);
    expect(worker.ref('j.1').attempt).toBe(2);
    worker.complete('j.0');
    worker.complete('j.1');
    await cluster.settle();
    expect(cluster.takeLines()).toContain('j.1 #2 completed');
  });

  test('is welcome before anything is assigned that comes in the same batch', async () => {
    const { cluster, worker } = await twice();
    worker.answerGreeting(1);
    void cluster.submit('j');
    await cluster.settle();
    expect(worker.take().map(({ type }) => type)).toEqual(['welcome', 'assign']);
  });
});
