// The outlook of a job in a cluster, while it goes on and where it cannot be told.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { ScriptedWorker } from '../../../test/support/scripted-worker.ts';

async function headOf(cluster: VirtualCluster, jobId = 'j') {
  const head = await cluster.answer(cluster.coordinator.reads.findJob(jobId));
  return head!;
}

const range = (count: number) => ({ type: 'range', start: 0, count }) as const;

/** One task after another, each in a second. */
async function complete(cluster: VirtualCluster, worker: ScriptedWorker, from: number, to: number) {
  for (let index = from; index < to; index++) {
    worker.start(`j.${index}`);
    await cluster.advance(1_000);
    worker.complete(`j.${index}`);
    worker.heartbeat();
    await cluster.settle();
  }
}

describe('the outlook of a job', () => {
  test('is told from twenty completions on, and goes with its end', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', range(40));
    expect(await headOf(cluster)).toMatchObject({
      rate_per_second: null,
      eta: { seconds: null, reason: 'None of its tasks has completed: 20 tell how fast they are.' },
    });
    await complete(cluster, worker, 0, 19);
    expect(await headOf(cluster)).toMatchObject({
      rate_per_second: 1,
      eta: { seconds: null, reason: expect.stringMatching(/^Only 19 of its tasks have completed/) },
    });
    await complete(cluster, worker, 19, 30);
    expect(await headOf(cluster)).toMatchObject({
      rate_per_second: 1,
      // Four completed in the first five seconds.
      eta: { seconds: 10, low: 10, high: 13, reason: null },
    });
    await complete(cluster, worker, 30, 40);
    const eta = { seconds: null, low: null, high: null, reason: 'The job has ended.' };
    expect(await headOf(cluster)).toMatchObject({ rate_per_second: null, eta });
  });

  test('cannot be told while the job is held, and begins anew when it is released', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', range(40));
    await complete(cluster, worker, 0, 25);
    await cluster.answer(cluster.coordinator.jobs.hold('j'));
    const held = 'The job is held: nothing new of it starts.';
    expect((await headOf(cluster)).eta).toMatchObject({ seconds: null, reason: held });
    for (let i = 0; i < 120; i++) {
      await cluster.advance(5_000);
      worker.heartbeat();
    }
    await cluster.answer(cluster.coordinator.jobs.release('j'));
    await complete(cluster, worker, 25, 35);
    expect((await headOf(cluster)).eta).toMatchObject({ seconds: 5 });
  });

  test('cannot be told when no worker may run what is left', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', range(40), { requirements: { type: ['pc'] } });
    await complete(cluster, worker, 0, 25);
    expect((await headOf(cluster)).eta.seconds).toBe(15);
    await cluster.answer(cluster.coordinator.workers.drain('w'));
    await cluster.join('phone', { type: 'android_node' });
    expect((await headOf(cluster)).eta).toMatchObject({
      seconds: null,
      reason: 'No worker that is here and takes work may run its tasks.',
    });
  });

  test('cannot be told when nothing has completed for five minutes, or since a restart', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', range(40));
    await complete(cluster, worker, 0, 25);
    for (let i = 0; i < 61; i++) {
      await cluster.advance(5_000);
      worker.heartbeat();
    }
    const none = 'None of its tasks has completed in the last 5 minutes.';
    expect(await headOf(cluster)).toMatchObject({ rate_per_second: 0, eta: { reason: none } });
    await cluster.crash();
    worker.connect(cluster.coordinator);
    await cluster.advance(7_000);
    const since = 'None of its tasks has completed in the last 7 seconds.';
    expect((await headOf(cluster)).eta.reason).toBe(since);
  });

  test('comes with every head of a list, the newest job first', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.submit('a', range(3), { name: 'Pi day' });
    await cluster.submit('b', range(3), { clientId: 'LAB' });
    await cluster.answer(cluster.coordinator.jobs.cancel('a'));
    const { reads } = cluster.coordinator;
    const list = async (filter: Parameters<typeof reads.jobHeads>[0]) =>
      (await cluster.answer(Array.fromAsync(reads.jobHeads(filter)))).flat();
    const heads = await list({});
    expect(heads).toEqual([await headOf(cluster, 'b'), await headOf(cluster, 'a')]);
    const ids = async (filter: Parameters<typeof list>[0]) =>
      (await list(filter)).map(({ id }) => id);
    expect(await ids({ search: 'pi D' })).toEqual(['a']);
    expect(await ids({ search: 'lab' })).toEqual(['b']);
    expect(await ids({ search: 'nobody' })).toEqual([]);
    expect(await ids({ statuses: ['pending', 'cancelled'], limit: 1 })).toEqual(['b']);
    expect(await ids({ statuses: ['pending', 'cancelled'], after: 'b' })).toEqual(['a']);
  });

  test('is looked for through many jobs, as many as are asked for', async () => {
    const cluster = await VirtualCluster.start();
    for (let i = 0; i < 260; i++) {
      await cluster.submit(`n${i}`, range(1), { name: i % 100 === 0 ? 'rare' : 'usual' });
    }
    const { reads } = cluster.coordinator;
    const find = async (limit: number, after?: string) => {
      const filter = { search: 'rare', limit, ...(after === undefined ? {} : { after }) };
      const chunks = await cluster.answer(Array.fromAsync(reads.jobs(filter)));
      return chunks.flat().map(({ id }) => id);
    };
    expect(await find(9)).toEqual(['n200', 'n100', 'n0']);
    expect(await find(2)).toEqual(['n200', 'n100']);
    expect(await find(2, 'n100')).toEqual(['n0']);
  });
});
