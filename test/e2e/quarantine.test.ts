// "A bad device cannot eat the queue": a worker that fails tasks which succeed elsewhere gets no
// more tasks until it has passed its probe, or an operator trusts it again.

import { expect, test } from 'vitest';
import type { TaskEntry } from '../../src/client/index.ts';
import { runCli } from '../support/cli-process.ts';
import { Cluster } from '../support/cluster.ts';
import { FailingWorker } from '../support/failing-worker.ts';
import { ResultReader, squares } from '../support/square-job.ts';

test('a worker that fails three tasks that succeed elsewhere is quarantined until it is resumed', async () => {
  // Round robin: the bad worker gets its share whatever its results.
  const cluster = await Cluster.start({ flags: ['--algorithm', 'round_robin'] });
  const { client, url, folder } = cluster;
  const bad = await FailingWorker.start(url, 'bad');
  const good = await cluster.addWorker(4);
  const statusOfBad = async () => (await client.workers()).find(({ id }) => id === bad.id)!.status;

  for (let round = 1; round <= 3; round++) {
    expect(await statusOfBad()).toBe('online');
    // The other workers have room for all tasks, so the failed worker is not used again.
    const entries = await completes(cluster, 4);
    expect(bad.given.length).toBe(round);
    expect(entries.map(({ worker_id: id }) => id)).toEqual(entries.map(() => good.id));
    expect(entries.filter(({ attempt }) => attempt === 2).length).toBe(1);
  }
  expect(await statusOfBad()).toBe('quarantined');
  const failures = await client.failures(bad.id);
  expect(failures.map(({ task_id: id }) => id)).toEqual(bad.given.toReversed());
  expect(failures).toMatchObject(bad.given.map(() => ({ error_message: 'no such device' })));

  const entries = await completes(cluster, 100);
  expect(entries.map(({ attempt }) => attempt)).toEqual(entries.map(() => 1));
  expect(bad.given.length).toBe(3);
  expect(await statusOfBad()).toBe('quarantined');

  // A restart does not forget it.
  await cluster.stop();
  await cluster.serve();
  expect(await statusOfBad()).toMatch(/^(quarantined|offline)$/);
  await completes(cluster, 10);
  expect(await statusOfBad()).toBe('quarantined');
  expect(bad.given.length).toBe(3);

  bad.value = { repaired: true };
  const resumed = await runCli(['resume', bad.id], { folder, environment: { MUSTER_URL: url } });
  expect(resumed).toMatchObject({ code: 0, stdout: '' });
  expect(await statusOfBad()).toBe('online');
  const shared = await completes(cluster, 4);
  expect(shared.filter(({ worker_id: id }) => id === bad.id)).toMatchObject([{ attempt: 1 }]);
});

/** A job of so many short tasks, to its end. */
async function completes({ client }: Cluster, count: number): Promise<readonly TaskEntry[]> {
  const job = await client.submit({ ...squares(count, 20), retry_delay_seconds: 0.1 });
  await new ResultReader(client.resultLines(job.id, { follow: true })).readAll();
  const detail = await client.job(job.id);
  expect(detail).toMatchObject({ status: 'completed', counts: { completed: count, failed: 0 } });
  return detail.tasks;
}
