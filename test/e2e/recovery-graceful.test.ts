// A process that is asked to end finishes its running work: nothing is lost, nothing is done twice.

import { expect, test } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';

const left = { code: 0, signal: null };

test('SIGTERM: a worker finishes what runs, gives back the rest, and leaves', async () => {
  const cluster = await Cluster.start({ workers: 2, slots: 2 });
  const { client } = cluster;
  const job = await client.submit(squares(1_000, 5));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.read(200);
  const long = await client.submit({ ...squares(2, 2_000), priority: 5 });
  await client.scheduler.activate('priority');
  const running = await eventually(
    async () => (await client.job(long.id)).tasks,
    (found) => found.every(({ status }) => status === 'running'),
  );
  const leaving = cluster.workers.find(({ id }) => id === running[0]!.worker_id)!;
  const byLeaving = running.filter(({ worker_id: id }) => id === leaving.id);

  leaving.process.signal('SIGTERM');
  expect(await leaving.process.ended).toEqual(left);
  const { tasks: longAfter } = await client.job(long.id);
  for (const { id } of byLeaving) {
    const task = longAfter.find((each) => each.id === id);
    expect(task).toMatchObject({ status: 'completed', worker_id: leaving.id, attempt: 1 });
  }
  await reader.readAll();
  expectEveryResultOnce(reader.results, 1_000);
  expect(await client.failures(leaving.id)).toEqual([]);
  const workers = await client.workers();
  expect(workers.find(({ id }) => id === leaving.id)?.status).toBe('offline');
  expect(leaving.process.stdout).toContain('Finishing what runs');
});

test('SIGTERM: a coordinator ends with 0; started again, it goes on where it was', async () => {
  const cluster = await Cluster.start({ workers: 2, slots: 2 });
  const { client } = cluster;
  const long = await client.submit(squares(1, 6_000));
  await eventually(
    () => client.job(long.id),
    ({ tasks }) => tasks.every(({ status }) => status === 'running'),
  );
  const job = await client.submit(squares(1_000, 10));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.read(300);
  expect(await cluster.stop()).toEqual(left);
  await cluster.serve();

  await reader.readAll();
  expectEveryResultOnce(reader.results, 1_000);
  const longReader = new ResultReader(client.resultLines(long.id, { follow: true }));
  await longReader.readAll();
  expectEveryResultOnce(longReader.results, 1);
  expect((await client.job(long.id)).tasks).toMatchObject([{ attempt: 1 }]);
  for (const { id } of cluster.workers) expect(await client.failures(id)).toEqual([]);
  for (const { process } of cluster.workers) {
    process.signal('SIGTERM');
    expect(await process.ended).toEqual(left);
  }
});
