// Several restarts in a row: none loses anything, and none makes work start again.

import { expect, test } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import {
  expectEveryResultOnce,
  ResultReader,
  squares,
  storedTasks,
} from '../support/square-job.ts';

const tasks = 2_000;

test('a coordinator that is killed five times during a job still gets each result once', async () => {
  // Workers that tried in vain pause longer and longer, beyond the grace of a connection.
  const flags = ['--grace-seconds', '1'];
  const cluster = await Cluster.start({ workers: 3, slots: 2, flags });
  const { client } = cluster;
  const job = await client.submit(squares(tasks, 10));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  for (let kill = 1; kill <= 5; kill++) {
    await reader.read(kill * 300);
    const before = new Set(reader.texts);
    await cluster.coordinator.kill();
    await cluster.serve();
    const kept = new ResultReader(client.resultLines(job.id));
    await kept.readAll();
    expect(before.isSubsetOf(new Set(kept.texts))).toBe(true);
  }
  await reader.readAll();
  expectEveryResultOnce(reader.results, tasks);
  expect(await client.job(job.id)).toMatchObject({
    status: 'completed',
    counts: { completed: tasks },
  });
  expect(await cluster.onlineWorkers()).toEqual(cluster.workers.map(({ id }) => id).toSorted());
  for (const { id } of cluster.workers) expect(await client.failures(id)).toEqual([]);
  expect(await cluster.stop()).toEqual({ code: 0, signal: null });
  expect(storedTasks(cluster)).toEqual({ tasks, completed: tasks, accepted: tasks });
});
