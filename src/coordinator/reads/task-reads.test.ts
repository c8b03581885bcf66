// One task, read while its job goes on.

import { expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

test('a task that is assigned while its rows are read is shown when that is committed, as a whole', async () => {
  const cluster = await VirtualCluster.start();
  const { coordinator, gate } = cluster;
  await cluster.submit('j');
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const listAttempts = gate.store.listAttempts.bind(gate.store);
  gate.override({
    listAttempts: async (jobKey, index) => {
      await held;
      return listAttempts(jobKey, index);
    },
  });
  let shown: unknown;
  const asked = coordinator.taskReads.findTask('j', 0).then((task) => {
    shown = task;
  });
  await cluster.settle();
  const worker = await cluster.join('w');
  gate.shut();
  worker.fail('j.0');
  await cluster.settle();
  release();
  await cluster.settle();
  expect(shown).toBeUndefined();
  gate.open();
  await cluster.answer(asked);
  expect(shown).toMatchObject({
    status: 'pending',
    attempt: 1,
    attempts: [{ attempt: 1, status: 'failed' }],
  });
});

test('the head of a job that is over is shown without reading its task priorities', async () => {
  const cluster = await VirtualCluster.start();
  await cluster.submit('j', [1, 2], { taskPriorities: Int16Array.of(1, 2) });
  await cluster.answer(cluster.coordinator.jobs.cancel('j'));
  const read = () => Promise.reject(new Error('Megabytes of priorities were read.'));
  cluster.gate.override({ findJob: read });
  expect(await cluster.answer(cluster.coordinator.reads.findJob('j'))).toMatchObject({
    status: 'cancelled',
    counts: { cancelled: 2 },
  });
});
