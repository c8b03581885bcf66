// When the store is looked through for what nobody can see any more.

import { expect, test } from 'vitest';
import { VirtualCluster } from '../../test/support/virtual-cluster.ts';

const minute = 60_000;

async function start(others?: () => readonly string[]) {
  const cluster = await VirtualCluster.start(
    others === undefined ? {} : { otherCoordinators: others },
  );
  const calls = { sweep: 0, keepSums: 0, left: 0 };
  cluster.gate.override({
    sweep: async () => {
      calls.sweep++;
      return calls.left > 0 && calls.left-- > 0;
    },
    keepSums: async () => ++calls.keepSums < 0,
  });
  await cluster.advance(5_000);
  return { cluster, calls };
}

test('what other members of the cluster leave is looked for every minute, and holds up nothing', async () => {
  const { cluster, calls } = await start(() => []);
  const { sweep, keepSums } = calls;
  calls.left = 2;
  await cluster.advance(minute);
  expect(calls.sweep).toBe(sweep + 3);
  await cluster.advance(9 * minute);
  expect(calls.sweep).toBe(sweep + 12);
  expect(calls.keepSums).toBe(keepSums + 1);
  await cluster.coordinator.stop();
  await cluster.advance(9 * minute);
  expect(calls.sweep).toBe(sweep + 12);
});

test('whoever is alone looks when there is something', async () => {
  const { cluster, calls } = await start();
  const { sweep } = calls;
  await cluster.advance(9 * minute);
  expect(calls.sweep).toBe(sweep);
  await cluster.answer(cluster.coordinator.clear());
  await cluster.advance(minute);
  expect(calls.sweep).toBe(sweep + 1);
});
