// A worker that does not finish delays no job: an idle worker gets a copy of its task, and the
// first result counts.

import { expect, test } from 'vitest';
import { Cluster, type ClusterWorker } from '../support/cluster.ts';
import { async, counting, type CountingResult, undisturbed } from '../support/counting-job.ts';
import { eventually } from '../support/muster-process.ts';
import {
  expectEveryResultOnce,
  ResultReader,
  squares,
  storedTasks,
} from '../support/square-job.ts';

const speculation = { enabled: true, max_copies: 1, max_share: 0.5 };

test('a worker that froze amid a job is overtaken by a copy, long before it counts as lost', async () => {
  const cluster = await Cluster.start({ workers: 2 });
  const { client } = cluster;
  const tasks = 20;
  const job = await client.submit({ ...squares(tasks, 300), speculation });
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.read(4);
  const { straggler, helper } = await freezeOne(cluster, job.id);

  await reader.readAll();
  expectEveryResultOnce(reader.results, tasks);
  const events = await client.recoveryEvents();
  expect(events).toMatchObject([
    {
      reason: 'straggler',
      from_worker_id: straggler.id,
      to_worker_id: helper.id,
      attempt: 1,
      next_attempt: 2,
      outcome: 'restarted',
      checkpoint_id: null,
    },
  ]);
  const { recovery } = await client.evaluation.metrics({ jobId: job.id });
  expect(recovery.wasted_seconds).toBeGreaterThan(0);
  // The lease of the frozen one is not over: it was the copy that brought the end.
  const frozen = (await client.workers()).find(({ id }) => id === straggler.id)!;
  expect(frozen.status).not.toBe('offline');
  const task = await client.task(job.id, events[0]!.task_index);
  expect(task).toMatchObject({ status: 'completed', attempt: 2, worker_id: helper.id });
  expect(task.attempts).toMatchObject([
    { attempt: 1, worker_id: straggler.id, status: 'superseded' },
    { attempt: 2, worker_id: helper.id, status: 'completed' },
  ]);

  straggler.process.signal('SIGCONT');
  await expectWorksAgain(cluster, straggler);
  expect(await client.task(job.id, events[0]!.task_index)).toEqual(task);
  expect(await client.failures(straggler.id)).toMatchObject([{ error_type: 'superseded' }]);
  await cluster.stop();
  const all = tasks + 20;
  expect(storedTasks(cluster)).toEqual({ tasks: all, completed: all, accepted: all });
});

test('a copy goes on from the last checkpoint of what it is a copy of', async () => {
  const cluster = await Cluster.start({ workers: 2 });
  const { client } = cluster;
  const short = { steps: 30, ms: 10 };
  // The first attempt of the last one stands still after two thirds.
  const inputs = [short, short, short, short, { ...short, hold: 20 }];
  const job = await client.submit({ ...counting(async, inputs), speculation });
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.readAll();
  const last = reader.results.find(({ index }) => index === 4)!;
  expect(last).toMatchObject({ status: 'completed', value: { from: 20 } });
  const { value } = (last as { readonly value: CountingResult }).value;
  expect(value).toEqual(undisturbed(short, last.task_id));
  const [event] = await client.recoveryEvents();
  expect(event).toMatchObject({
    reason: 'straggler',
    outcome: 'resumed',
    next_attempt: 2,
    resumed_from_progress: 20 / 30,
  });
  const records = await client.checkpoints(job.id);
  expect(records.filter(({ attempt }) => attempt > 1)).toEqual([]);
});

test('without speculation in the job nothing is copied', async () => {
  const cluster = await Cluster.start({ workers: 2, flags: ['--heartbeat-seconds', '1'] });
  const { client } = cluster;
  const job = await client.submit(squares(20, 300));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.read(4);
  const { straggler } = await freezeOne(cluster, job.id);
  await reader.readAll();
  expectEveryResultOnce(reader.results, 20);
  const events = await client.recoveryEvents();
  expect(events.map(({ reason, from_worker_id: from }) => ({ reason, from }))).toEqual([
    { reason: 'worker_lost', from: straggler.id },
  ]);
  const { recovery } = await client.evaluation.metrics({ jobId: job.id });
  expect(recovery.wasted_seconds).toBe(0);
});

/** Stops the process of a worker while it runs a task; its sandbox goes on, but cannot report. */
async function freezeOne(
  { client, workers }: Cluster,
  jobId: string,
): Promise<{ readonly straggler: ClusterWorker; readonly helper: ClusterWorker }> {
  const [straggler, helper] = workers as [ClusterWorker, ClusterWorker];
  const held = async () =>
    (await client.job(jobId)).tasks
      .filter(({ worker_id: id, status }) => id === straggler.id && status !== 'completed')
      .map(({ index, status }) => `${status} ${index}`)
      .join();
  for (;;) {
    straggler.process.signal('SIGSTOP');
    // What it said last may still be on its way, and with it a task that it will not hear of.
    const before = await held();
    const after = await held();
    if (before === after && after.startsWith('running')) return { straggler, helper };
    straggler.process.signal('SIGCONT');
    await eventually(held, (tasks) => tasks.startsWith('running'));
  }
}

async function expectWorksAgain(cluster: Cluster, worker: ClusterWorker): Promise<void> {
  const { client } = cluster;
  await eventually(
    () => client.workers(),
    (all) => all.every(({ status }) => status === 'online'),
  );
  const next = await client.submit({ ...squares(20, 20) });
  const reader = new ResultReader(client.resultLines(next.id, { follow: true }));
  await reader.readAll();
  expectEveryResultOnce(reader.results, 20);
  const { tasks } = await client.job(next.id);
  expect(tasks.some(({ worker_id: id }) => id === worker.id)).toBe(true);
}
