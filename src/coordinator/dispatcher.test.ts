import { expect, test } from 'vitest';
import { VirtualCluster } from '../../test/support/virtual-cluster.ts';

test('large inputs go in frames of their own, each with its sequence, the program once', async () => {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('w', { slots: 4 });
  await cluster.submit('j', ['small', 'x'.repeat(3_000_000), 'y'.repeat(3_000_000), 'small']);
  const frames = worker.takeOnly('assign');
  expect(
    frames.map(({ sequence, programs, assignments }) => [
      sequence,
      Object.keys(programs),
      assignments.map(({ index }) => index),
    ]),
  ).toEqual([
    [1, ['j'], [0, 1]],
    [2, [], [2]],
    [3, [], [3]],
  ]);
});
