// A machine is freed: tasks that save their state go on elsewhere from there within seconds, and what never
// saves goes at the deadline, whatever happens to the coordinator meanwhile.

import { expect, test } from 'vitest';
import type { JobSummary } from '../../src/client/index.ts';
import { runCli } from '../support/cli-process.ts';
import { Cluster } from '../support/cluster.ts';
import { async, counting, type CountingResult } from '../support/counting-job.ts';
import { eventually, type MusterProcess } from '../support/muster-process.ts';

/** Its first attempt never ends by itself, and offers its state fifty times a second. */
const held = { steps: 100, hold: 60, ms: 20 };
const endless = 'export default () => new Promise(() => {});';
const left = { code: 0, signal: null };
/** Two signals that are closer count as one. */
const apartMs = 300;

async function running(cluster: Cluster, job: JobSummary): Promise<string> {
  const [task] = await eventually(
    async () => (await cluster.client.job(job.id)).tasks,
    (tasks) => tasks.every(({ status }) => status === 'running'),
  );
  return task!.worker_id!;
}

async function expectGoneOn(cluster: Cluster, job: JobSummary, from: string, why: string) {
  const { client } = cluster;
  for await (const result of client.results(job.id, { follow: true })) {
    expect(result).toMatchObject({ status: 'completed' });
    expect((result as { value: CountingResult }).value.from).toBe(held.hold);
  }
  const { attempts } = await client.task(job.id, 0);
  expect(attempts).toMatchObject([
    { worker_id: from, status: 'released', error: { type: 'worker_drained' } },
    { status: 'completed' },
  ]);
  expect(attempts[0]!.error!.message).toBe(`Handed over at its checkpoint (60 %), because ${why}.`);
  expect(attempts[1]!.worker_id).not.toBe(from);
  expect(await client.recoveryEvents()).toMatchObject([
    { reason: 'worker_drained', outcome: 'resumed', resumed_from_progress: 0.6 },
  ]);
  expect(await client.failures(from)).toEqual([]);
}

/** The first attempt has come to where it holds. */
async function saved(cluster: Cluster, job: JobSummary): Promise<void> {
  await eventually(
    () => cluster.client.checkpoints(job.id),
    (checkpoints) => checkpoints.at(-1)?.progress === 0.6,
  );
}

test('drain: a task that saves its state is handed over, and goes on from there', async () => {
  const cluster = await Cluster.start({ workers: 1 });
  const { client } = cluster;
  const job = await client.submit(counting(async, [held], 1));
  const from = await running(cluster, job);
  await saved(cluster, job);
  await cluster.addWorker();

  const drained = await runCli(['drain', from, '--url', cluster.url], { folder: cluster.folder });
  expect(drained.stderr).toContain(
    `${from} (worker-1) is draining: 1 task to hand over at the next checkpoint, or to finish`,
  );
  await expectGoneOn(cluster, job, from, 'worker-1 drains');
  const explained = await runCli(['explain', job.id, '0', '--url', cluster.url], {
    folder: cluster.folder,
  });
  expect(explained.stdout).toMatch(
    /handed over at its checkpoint \(60 %\) after .*, because worker-1 drains/,
  );
  const listed = await client.workers();
  expect(listed.find(({ id }) => id === from)).toMatchObject({
    status: 'draining',
    draining: { deadline: null },
    active_tasks: 0,
  });
  for (const [deadline, told] of [
    ['1h', expect.any(String)],
    ['none', null],
  ]) {
    const again = ['drain', from, '--deadline', deadline, '--url', cluster.url];
    expect(await runCli(again, { folder: cluster.folder })).toMatchObject({ code: 0 });
    expect((await client.worker(from)).draining).toMatchObject({ deadline: told });
  }
  const resumed = await client.resume(from);
  expect(resumed).toMatchObject({ status: 'online', draining: null });
});

test('SIGTERM: a worker hands over what it runs and ends, long before its deadline', async () => {
  const cluster = await Cluster.start();
  const leaving = startWorker(cluster, 'leaving', '12h');
  const from = await connected(leaving);
  const job = await cluster.client.submit(counting(async, [held], 1));
  await saved(cluster, job);
  await cluster.addWorker();
  leaving.signal('SIGTERM');
  expect(await leaving.ended).toEqual(left);
  await expectGoneOn(cluster, job, from, 'leaving leaves');
});

test('SIGTERM: a task that never saves may run until the deadline; then the worker ends with 0', async () => {
  const cluster = await Cluster.start();
  const { client } = cluster;
  const leaving = startWorker(cluster, 'leaving', '8s');
  const from = await connected(leaving);
  const program = { kind: 'javascript', source: endless } as const;
  const job = await client.submit({ program, inputs: [1] });
  await running(cluster, job);
  leaving.signal('SIGTERM');
  await eventually(
    () => client.workers(),
    ([worker]) => worker?.leaving === true,
  );
  const listed = await runCli(['workers', '--url', cluster.url], { folder: cluster.folder });
  expect(listed.stdout).toContain('busy, leaving');
  expect(await leaving.ended).toEqual(left);
  const [task] = (await client.job(job.id)).tasks;
  expect(task).toMatchObject({ status: 'pending', attempt: 1 });
  const { attempts } = await client.task(job.id, 0);
  expect(attempts).toMatchObject([{ worker_id: from, status: 'released' }]);
  expect(attempts[0]!.error!.message).toBe('Given back with nothing saved, because leaving left.');
});

test('SIGTERM, twice: what never saves is given up at once', async () => {
  const cluster = await Cluster.start();
  const { client } = cluster;
  const leaving = startWorker(cluster, 'leaving', '12h');
  await connected(leaving);
  const program = { kind: 'javascript', source: endless } as const;
  const job = await client.submit({ program, inputs: [1] });
  await running(cluster, job);
  leaving.signal('SIGTERM');
  await eventually(
    () => client.workers(),
    ([worker]) => worker?.leaving === true,
  );
  await new Promise((resolve) => setTimeout(resolve, apartMs));
  leaving.signal('SIGTERM');
  expect(await leaving.ended).toEqual(left);
  expect((await client.task(job.id, 0)).attempts).toMatchObject([{ status: 'released' }]);
});

test('drain --deadline: what never saves goes then, though the coordinator was killed meanwhile', async () => {
  const cluster = await Cluster.start({ workers: 1 });
  const { client } = cluster;
  const program = { kind: 'javascript', source: endless } as const;
  const job = await client.submit({ program, inputs: [1] });
  const from = await running(cluster, job);
  const drained = await runCli(['drain', from, '--deadline', '4s', '--url', cluster.url], {
    folder: cluster.folder,
  });
  expect(drained.stderr).toContain(
    '1 task to hand over at the next checkpoint, or to finish; over in',
  );
  await cluster.coordinator.kill();
  await cluster.serve();
  const [worker] = await eventually(
    () => client.workers(),
    (workers) => workers.every(({ active_tasks: tasks }) => tasks === 0),
  );
  expect(worker).toMatchObject({ id: from, draining: { deadline: expect.any(String) } });
  const { status, attempts } = await client.task(job.id, 0);
  expect(status).toBe('pending');
  expect(attempts[0]).toMatchObject({ status: 'released', worker_id: from });
  // The slot of the worker is free as well: it runs the next job.
  await client.cancel(job.id);
  await client.resume(from);
  const next = await client.submit({
    program: { kind: 'javascript', source: 'export default () => 7;' },
    inputs: [1],
  });
  for await (const result of client.results(next.id, { follow: true })) {
    expect(result).toMatchObject({ value: 7 });
  }
});

function startWorker(cluster: Cluster, name: string, deadline: string): MusterProcess {
  const flags = ['--name', name, '--slots', '1', '--state-dir', name, '--json'];
  return cluster.run(['worker', cluster.url, ...flags, '--deadline', deadline]);
}

function connected(worker: MusterProcess): Promise<string> {
  return worker.line((line) => /Connected as worker ([^".]+)\./.exec(line)?.[1]);
}
