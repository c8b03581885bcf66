// "execution at least once, exactly one accepted result per task", also when workers die midway.

import { expect, test } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import { descendantsOf, isRunning } from '../support/process-tree.ts';
import {
  expectEveryResultOnce,
  ResultReader,
  squares,
  storedTasks,
} from '../support/square-job.ts';

const tasks = 2_000;

test('a worker killed midway costs seconds: its tasks run elsewhere, each has one result', async () => {
  const cluster = await Cluster.start({ workers: 3, slots: 2, flags: ['--grace-seconds', '1'] });
  const { client } = cluster;
  const job = await client.submit(squares(tasks, 10));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.read(500);

  const victim = cluster.workers[1]!;
  const sandboxes = descendantsOf(victim.process.pid);
  expect(sandboxes.length).toBeGreaterThanOrEqual(2);
  await victim.process.kill();
  await eventually(
    () => sandboxes.filter(isRunning),
    (left) => left.length === 0,
  );

  await reader.read(tasks);
  expectEveryResultOnce(reader.results, tasks);
  const detail = await client.job(job.id);
  expect(detail).toMatchObject({ status: 'completed', counts: { completed: tasks } });
  const lost = await client.failures(victim.id);
  expect(lost.length).toBeGreaterThan(0);
  for (const { task_id, error_type } of lost) {
    expect(error_type).toBe('connection_lost');
    const task = detail.tasks.find(({ id }) => id === task_id)!;
    expect(task.attempt).toBeGreaterThan(1);
    expect(task.worker_id).not.toBe(victim.id);
  }
  const byVictim = detail.tasks.filter(({ worker_id }) => worker_id === victim.id);
  expect(byVictim.length).toBeGreaterThan(0);

  const workers = await client.workers();
  expect(workers.find(({ id }) => id === victim.id)!.status).toBe('offline');
  const completedBy = workers.map(({ total_completed }) => total_completed);
  expect(completedBy.reduce((sum, each) => sum + each, 0)).toBe(tasks);
  expect(await cluster.stop()).toEqual({ code: 0, signal: null });
  expect(storedTasks(cluster)).toEqual({ tasks, completed: tasks, accepted: tasks });
});

test('a frozen worker loses its tasks; when it thaws, it works on and its late results change nothing', async () => {
  const cluster = await Cluster.start({
    workers: 2,
    slots: 2,
    flags: ['--heartbeat-seconds', '1'],
  });
  const { client } = cluster;
  const job = await client.submit(squares(400, 20));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.read(100);

  const victim = cluster.workers[0]!;
  victim.process.signal('SIGSTOP');
  await reader.read(400);
  expectEveryResultOnce(reader.results, 400);
  const lost = await client.failures(victim.id);
  expect(lost.length).toBeGreaterThan(0);
  expect(new Set(lost.map(({ error_type }) => error_type))).toEqual(new Set(['worker_lost']));
  const before = await client.job(job.id);

  victim.process.signal('SIGCONT');
  await eventually(
    () => client.workers(),
    (workers) => workers.find(({ id }) => id === victim.id)?.status === 'online',
  );
  const completedBefore = (await client.workers()).find(({ id }) => id === victim.id)!;
  const next = await client.submit(squares(100, 20));
  const nextReader = new ResultReader(client.resultLines(next.id, { follow: true }));
  await nextReader.read(100);
  expectEveryResultOnce(nextReader.results, 100);
  const worker = (await client.workers()).find(({ id }) => id === victim.id)!;
  expect(worker.total_completed).toBeGreaterThan(completedBefore.total_completed);
  expect(await client.job(job.id)).toEqual(before);
});
