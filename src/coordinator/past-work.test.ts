// Sums of past work are made after the start and from time to time.

import { expect, test } from 'vitest';
import { VirtualCluster } from '../../test/support/virtual-cluster.ts';

const minute = 60_000;

test('what is over is summed after the start, and looked for again every ten minutes', async () => {
  const cluster = await VirtualCluster.start();
  const calls: string[] = [];
  let left = 3;
  cluster.gate.override({
    keepSums: async () => {
      calls.push(left === 0 ? 'nothing' : 'sum');
      if (left === 1) {
        left = 0;
        throw new Error('the disk is full');
      }
      return left > 0 && left-- > 0;
    },
  });
  await cluster.advance(5_000);
  // The disk has refused the last one: the next round tries again.
  expect(calls).toEqual(['sum', 'sum', 'sum']);
  await cluster.advance(10 * minute);
  expect(calls).toHaveLength(4);
  await cluster.advance(20 * minute);
  expect(calls).toHaveLength(6);
  await cluster.coordinator.stop();
  await cluster.advance(20 * minute);
  expect(calls).toHaveLength(6);
});

test('while what was removed is swept nothing is summed, though not for ever', async () => {
  const cluster = await VirtualCluster.start();
  const swept = Promise.withResolvers<boolean>();
  let sums = 0;
  cluster.gate.override({ sweep: () => swept.promise, keepSums: async () => ++sums % 2 === 1 });
  await cluster.answer(cluster.coordinator.clear());
  await cluster.advance(9 * minute);
  expect(sums).toBe(0);
  // Where something is always removed there are sums all the same.
  await cluster.advance(minute + 5_000);
  expect(sums).toBe(2);
  swept.resolve(false);
  await cluster.advance(10 * minute + 5_000);
  expect(sums).toBe(4);
});
