// "`kill -9` of the coordinator at any moment loses nothing that was acknowledged", and "a restart of
// the coordinator does not restart the work".

import { expect, test } from 'vitest';
import type { JobSummary } from '../../src/client/index.ts';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';

const tasks = 2_000;
const longTasks = 4;
/** Assignments that had not arrived when the coordinator was killed. */
const mostOnTheWay = 100;

test('after a kill midway the workers come back by themselves, and nothing acknowledged is lost', async () => {
  // Spread over all workers; not the default, so that its survival can be seen.
  const flags = ['--algorithm', 'least_loaded'];
  const cluster = await Cluster.start({ workers: 3, slots: 3, flags });
  const { client } = cluster;
  const long = await client.submit(squares(longTasks, 10_000));
  const { tasks: running } = await eventually(
    () => client.job(long.id),
    (job) => job.tasks.every(({ status }) => status === 'running'),
  );
  const job = await client.submit(squares(tasks, 10));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.read(500);
  const readBefore = new Set(reader.texts);

  const submissions = Array.from({ length: 40 }, (_, i) =>
    cluster.submitOnce({ ...squares(3, 1), name: `small ${i}` }),
  );
  const acknowledged = await killAfter(cluster, submissions, 10);
  await cluster.serve();

  const kept = new ResultReader(client.resultLines(job.id));
  await kept.readAll();
  expect(readBefore.isSubsetOf(new Set(kept.texts))).toBe(true);
  for (const { id, name, task_count, created_at } of acknowledged) {
    expect(await client.job(id)).toMatchObject({ id, name, task_count, created_at });
  }
  expect((await client.scheduler.config()).algorithm).toBe('least_loaded');

  await reader.readAll();
  expectEveryResultOnce(reader.results, tasks);
  const detail = await client.job(job.id);
  expect(detail).toMatchObject({ status: 'completed', counts: { completed: tasks } });
  expect(detail.tasks.filter(({ attempt }) => attempt > 1).length).toBeLessThan(mostOnTheWay);
  await expectAdopted(cluster, long, running);

  for (const { id } of acknowledged) {
    const results = new ResultReader(client.resultLines(id, { follow: true }));
    await results.readAll();
    expectEveryResultOnce(results.results, 3);
  }
  for (const { id } of cluster.workers) expect(await client.failures(id)).toEqual([]);
  expect(await cluster.onlineWorkers()).toEqual(cluster.workers.map(({ id }) => id).toSorted());
});

/** Kills the coordinator after so many acknowledgements; returns all that came up to its end. */
async function killAfter(
  cluster: Cluster,
  submissions: readonly Promise<{ readonly status: number; readonly body: JobSummary }>[],
  count: number,
): Promise<JobSummary[]> {
  const acknowledged: JobSummary[] = [];
  const settled = submissions.map((submission) =>
    submission.then(
      ({ status, body }) => {
        expect(status).toBe(201);
        acknowledged.push(body);
        if (acknowledged.length === count) cluster.coordinator.signal('SIGKILL');
      },
      () => {},
    ),
  );
  await Promise.all(settled);
  await cluster.coordinator.ended;
  expect(acknowledged.length).toBeGreaterThanOrEqual(count);
  return acknowledged;
}

/** The attempts that ran when the coordinator was killed are those that brought the results. */
async function expectAdopted(
  cluster: Cluster,
  job: JobSummary,
  before: readonly { readonly id: string; readonly worker_id: string | null }[],
): Promise<void> {
  const reader = new ResultReader(cluster.client.resultLines(job.id, { follow: true }));
  await reader.readAll();
  expectEveryResultOnce(reader.results, before.length);
  const { tasks: after } = await cluster.client.job(job.id);
  expect(after.map(({ id, worker_id, attempt }) => ({ id, worker_id, attempt }))).toEqual(
    before.map(({ id, worker_id }) => ({ id, worker_id, attempt: 1 })),
  );
}
