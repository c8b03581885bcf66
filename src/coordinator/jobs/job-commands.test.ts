// Changes of a job that come in one batch.

import { expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

test('each change is answered with how the job stands behind it, whatever comes after it in the same batch', async () => {
  const cluster = await VirtualCluster.start();
  await cluster.submit('j', [1, 2]);
  const { jobs } = cluster.coordinator;
  const all = Promise.all([jobs.hold('j'), jobs.release('j'), jobs.cancel('j')]);
  const [held, released, cancelled] = await cluster.answer(all);
  const stands = [held, released, cancelled].map(
    (answer) =>
      answer.ok && { status: answer.value.status, held: answer.value.held_since !== null },
  );
  expect(stands).toEqual([
    { status: 'pending', held: true },
    { status: 'pending', held: false },
    { status: 'cancelled', held: false },
  ]);
});
