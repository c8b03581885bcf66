// A worker that is silent for a lease is lost, but not when the coordinator itself did not listen.

import { describe, expect, test } from 'vitest';
import type { ScriptedWorker } from '../../../test/support/scripted-worker.ts';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

const tooLong = 'not heard of for too long';

/** Workers with ten started tasks each; three of their messages fit one batch. */
async function stage(workers: number) {
  const cluster = await VirtualCluster.start({ batchLimit: 30 });
  const held = new Map<ScriptedWorker, string[]>();
  for (let i = 0; i < workers; i++) {
    const worker = await cluster.join(`w${i}`, { slots: 10 });
    const inputs = Array.from({ length: 10 }, (_, index) => index);
    await cluster.submit(`j${i}`, inputs);
    held.set(
      worker,
      inputs.map((index) => `j${i}.${index}`),
    );
  }
  for (const [worker, tasks] of held) worker.start(...tasks);
  await cluster.settle();
  const beat = () => {
    for (const [worker, tasks] of held) worker.heartbeat(...tasks);
  };
  const lost = () => [...held.keys()].filter(({ closedFor }) => closedFor !== null).length;
  return { cluster, held, beat, lost };
}

function said(worker: ScriptedWorker, task: string) {
  return { ...worker.ref(task), progress: 0.5 };
}

describe('a worker that sends heartbeats in time', () => {
  test('is not lost while its beats wait behind a commit, and behind one another', async () => {
    const { cluster, beat, lost } = await stage(8);
    cluster.gate.shut();
    void cluster.coordinator.scheduler.configure({ algorithm: 'fifo' });
    for (let beats = 0; beats < 3; beats++) {
      await cluster.advance(5000);
      beat();
    }
    await cluster.advance(1000);
    cluster.gate.open();
    await cluster.settle();
    expect(lost()).toBe(0);
  });

  test('is not lost while its message waits for a later batch', async () => {
    const { cluster, held, lost } = await stage(11);
    await cluster.advance(10_000);
    cluster.gate.shut();
    for (const [worker, tasks] of held) {
      worker.say({ type: 'progress', progress: tasks.map((task) => said(worker, task)) });
      worker.complete(tasks[0]!);
    }
    // Three frames fit a batch, and every commit takes its time, though not so long that it is noticed.
    for (let commits = 0; commits < 3; commits++) {
      await cluster.advance(4900);
      cluster.gate.open();
      cluster.gate.shut();
    }
    cluster.gate.open();
    await cluster.settle();
    expect(lost()).toBe(0);
  });

  test('is not lost when the process stood still for longer than a lease', async () => {
    const { cluster, beat, lost } = await stage(2);
    cluster.runtime.stall(30_000);
    // Timers run first; what was said meanwhile is read a moment later, or never comes.
    await cluster.advance(10);
    expect(lost()).toBe(0);
    await cluster.advance(4990);
    beat();
    await cluster.advance(14_000);
    expect(lost()).toBe(0);
  });

  test('is not lost when one commit holds up the process for longer than a lease', async () => {
    const { cluster, lost } = await stage(2);
    const { store } = cluster.gate;
    const commit: typeof store.commit = store.commit.bind(store);
    cluster.gate.override({
      commit: (batch, at) => {
        cluster.runtime.stall(16_000);
        return commit(batch, at);
      },
    });
    await cluster.answer(cluster.coordinator.scheduler.configure({ algorithm: 'fifo' }));
    cluster.gate.override({ commit });
    await cluster.advance(10);
    expect(lost()).toBe(0);
  });

  test('is not lost when the process stood still in a batch of a timer, and another is heard first', async () => {
    const { cluster, held, beat, lost } = await stage(2);
    const [first] = held.keys();
    await cluster.advance(10_000);
    beat();
    await cluster.settle();
    const { store } = cluster.gate;
    const confirm: typeof store.confirm = store.confirm.bind(store);
    cluster.gate.override({
      confirm: () => {
        cluster.gate.override({ confirm });
        cluster.runtime.stall(30_000);
        first!.heartbeat(...held.get(first!)!);
        return confirm();
      },
    });
    // The first leases end, and are renewed: nothing of it is written.
    await cluster.advance(5000);
    await cluster.advance(10);
    expect(lost()).toBe(0);
  });

  test('is not lost when the process stood still until just after the end of a lease', async () => {
    const { cluster, lost } = await stage(2);
    cluster.runtime.stall(15_100);
    await cluster.advance(10);
    expect(lost()).toBe(0);
  });
});

test('a worker that stays silent after a standstill is lost a lease later', async () => {
  const { cluster, lost } = await stage(2);
  cluster.runtime.stall(30_000);
  await cluster.advance(14_900);
  expect(lost()).toBe(0);
  await cluster.advance(200);
  expect(lost()).toBe(2);
  await cluster.settle();
  expect(cluster.lines).toContain(`worker w0 lost`);
});

test('a worker that is silent while others say much is lost, however much waits', async () => {
  const { cluster, beat, lost } = await stage(8);
  const silent = await cluster.join('silent');
  for (let beats = 0; beats < 4; beats++) {
    await cluster.advance(5000);
    beat();
  }
  await cluster.settle();
  expect([silent.closedFor, lost()]).toEqual([tooLong, 0]);
});
