// What is read of a job while it is removed never looks whole.

import { expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

const count = 600;

async function endedJob(): Promise<VirtualCluster> {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('w', { slots: count });
  const inputs = Array.from({ length: count }, (_, i) => i);
  await cluster.submit('j', inputs);
  for (const i of inputs) worker.complete(`j.${i}`);
  await cluster.advance(1000);
  return cluster;
}

async function readOn<T>(cluster: VirtualCluster, chunks: AsyncIterable<readonly T[]>) {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await cluster.answer(iterator.next());
  expect(first.done).toBe(false);
  const told = [...(first.value as readonly T[])];
  expect(told.length).toBeLessThan(count);
  expect(await cluster.answer(cluster.coordinator.jobs.delete('j'))).toMatchObject({ ok: true });
  const rest = async () => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      told.push(...next.value);
    }
  };
  const end = await cluster.answer(
    rest().then(
      () => 'the end',
      (error: unknown) => String(error),
    ),
  );
  return { told, end };
}

const removed = 'JobRemoved: The job j was removed while it was read.';

test('its results break off', async () => {
  const cluster = await endedJob();
  const results = await cluster.answer(
    cluster.coordinator.reads.findResults('j', { follow: false }),
  );
  expect((await readOn(cluster, results!)).end).toBe(removed);
});

test('its tasks break off, and none is made up', async () => {
  const cluster = await endedJob();
  const detail = await cluster.answer(cluster.coordinator.reads.findJobDetail('j'));
  const { told, end } = await readOn(cluster, detail!.tasks);
  expect(end).toBe(removed);
  expect(told.every(({ status }) => status === 'completed')).toBe(true);
});
