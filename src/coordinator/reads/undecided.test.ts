// What a batch has decided is shown to nobody before its commit has ended, however long the disk takes.

import { expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

/** What it has resolved with by now. */
async function soFar<T>(cluster: VirtualCluster, asked: Promise<T>): Promise<T | 'nothing'> {
  await cluster.settle();
  return Promise.race([asked, Promise.resolve('nothing' as const)]);
}

test('a list of jobs that the store is slow to give does not show what is being committed', async () => {
  const cluster = await VirtualCluster.start();
  await cluster.submit('j');
  const { gate, coordinator } = cluster;
  const { store } = gate;
  const listJobs: typeof store.listJobs = store.listJobs.bind(store);
  const disk = Promise.withResolvers<void>();
  gate.override({
    listJobs: async (...asked) => {
      const rows = await listJobs(...asked);
      await disk.promise;
      return rows;
    },
  });
  const heads = Array.fromAsync(coordinator.reads.jobHeads({}));
  await cluster.settle();
  gate.shut();
  const held = coordinator.jobs.hold('j');
  await cluster.settle();
  disk.resolve();
  expect(await soFar(cluster, heads)).toBe('nothing');
  gate.open();
  expect(await cluster.answer(held)).toMatchObject({ ok: true });
  expect((await cluster.answer(heads)).flat()).toMatchObject([
    { id: 'j', held_since: expect.any(String) as string },
  ]);
});

test('a token that is being made is listed when it is stored', async () => {
  const cluster = await VirtualCluster.start();
  const { gate, coordinator } = cluster;
  gate.shut();
  const made = coordinator.tokens.create({ kind: 'admin' });
  await cluster.settle();
  const listed = coordinator.tokens.list();
  expect(await soFar(cluster, listed)).toBe('nothing');
  gate.open();
  const created = await cluster.answer(made);
  const id = created.ok ? created.value.resource.id : null;
  expect(await cluster.answer(listed)).toMatchObject([{ id }]);
  expect(await cluster.answer(coordinator.tokens.find(id!))).toMatchObject({ id });
});
