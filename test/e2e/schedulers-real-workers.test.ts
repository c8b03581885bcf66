// Algorithms with real workers of different size and speed: which worker gets which task. One
// worker is slow because it is suspended, with its sandboxes, while it computes.

import { expect, onTestFinished, test } from 'vitest';
import type { JobDetail, JobSubmission } from '../../src/client/index.ts';
import { Cluster, type ClusterWorker } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import { descendantsOf, isRunning } from '../support/process-tree.ts';

/**
 * Long enough to catch a worker in the middle of it on a busy machine: progress is told after a
 * tenth of a second at the earliest.
 */
const TASK_MS = 1500;

/** Each takes so many milliseconds, and says when it has begun. */
function waits(...inputs: readonly number[]): JobSubmission {
  const source = `export default async (ms, task) => {
    task.progress(0.5);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }`;
  return { program: { kind: 'javascript', source }, inputs };
}

/** The order in which its tasks were completed, when it is final. */
async function completionOrder({ client }: Cluster, jobId: string): Promise<readonly number[]> {
  const order: number[] = [];
  for await (const { index, status } of client.results(jobId, { follow: true })) {
    expect(status).toBe('completed');
    order.push(index);
  }
  return order;
}

/** So many tasks one after the other: the id of the worker of each. */
async function sequence(cluster: Cluster, count: number, ms: number): Promise<readonly string[]> {
  const workers: string[] = [];
  for (let turn = 0; turn < count; turn++) {
    const { id } = await cluster.client.submit(waits(ms));
    expect(await completionOrder(cluster, id)).toEqual([0]);
    const { tasks } = await cluster.client.job(id);
    workers.push(tasks[0]!.worker_id!);
  }
  return workers;
}

test.each([
  { algorithm: 'fifo', order: [0, 1, 2, 3, 4, 5] },
  { algorithm: 'priority', order: [2, 4, 0, 3, 5, 1] },
] as const)('$algorithm: a real worker completes tasks in the order of the rule', async (row) => {
  const cluster = await Cluster.start();
  await cluster.client.scheduler.activate(row.algorithm);
  const task_priorities = [0, -7, 8, 0, 8, 0];
  const job = await cluster.client.submit({ ...waits(5, 5, 5, 5, 5, 5), task_priorities });
  await cluster.addWorker(1);
  expect(await completionOrder(cluster, job.id)).toEqual(row.order);
});

test('least_loaded: a worker of one slot and one of three share evenly until the small one is full', async () => {
  const cluster = await Cluster.start();
  const { client } = cluster;
  await client.scheduler.activate('least_loaded');
  const large = await cluster.addWorker(3);
  const small = await cluster.addWorker(1);
  // Longer than the test: what is running stays.
  const first = await running(cluster, waits(600_000, 600_000));
  expect(counts(first, large, small)).toEqual([1, 1]);
  const second = await running(cluster, waits(600_000, 600_000));
  expect(counts(second, large, small)).toEqual([2, 0]);
  const { id } = await client.submit(waits(5));
  expect((await client.job(id)).tasks[0]).toMatchObject({ worker_id: null, status: 'pending' });
  for (const job of [first, second]) await client.cancel(job.id);
  expect(await completionOrder(cluster, id)).toEqual([0]);
});

/** Submits it; the job as soon as all of its tasks run. */
async function running({ client }: Cluster, submission: JobSubmission): Promise<JobDetail> {
  const { id } = await client.submit(submission);
  return eventually(
    () => client.job(id),
    ({ tasks }) => tasks.every(({ status }) => status === 'running'),
  );
}

function counts({ tasks }: JobDetail, ...workers: readonly ClusterWorker[]): readonly number[] {
  return workers.map(({ id }) => tasks.filter(({ worker_id }) => worker_id === id).length);
}

test('the worker that was slow gets no task where speed counts, and its share where it does not', async () => {
  const cluster = await Cluster.start({ workers: 2, flags: ['--heartbeat-seconds', '4'] });
  const { scheduler } = cluster.client;
  const { slow, fast } = await slowDownOne(cluster);

  await scheduler.activate('performance');
  expect(await sequence(cluster, 5, 5)).toEqual(Array(5).fill(fast));
  const weights = { cpu: 0, memory: 0, throughput: 1, failure_rate: 0, latency: 0 };
  for (const algorithm of ['edas', 'aras', 'mabac'] as const) {
    await scheduler.configure({ algorithm, weights });
    expect(await sequence(cluster, 5, 5)).toEqual(Array(5).fill(fast));
    const { workers } = await scheduler.info();
    expect(workers.map(({ worker_id }) => worker_id)).toEqual([fast, slow]);
    expect(workers[0]).toMatchObject({ rank: 1, selected: true });
  }
  await scheduler.activate('round_robin');
  const turns = await sequence(cluster, 4, 5);
  expect(turns.filter((id) => id === slow)).toHaveLength(2);
});

/**
 * One of two workers is suspended in the middle of a task while the other does such a task from
 * beginning to end: the one takes longer than the other, however fast this machine is. Both have
 * sent a heartbeat since, so decisions know of it.
 */
async function slowDownOne(cluster: Cluster): Promise<{ slow: string; fast: string }> {
  const { client, workers } = cluster;
  const { id } = await client.submit(waits(TASK_MS));
  const { worker_id: slow } = await eventually(
    () => client.task(id, 0),
    ({ progress, status }) => progress === 0.5 || status === 'completed',
  );
  const resume = suspend(workers.find((worker) => worker.id === slow)!);
  const { id: fast } = workers.find((worker) => worker.id !== slow)!;
  expect(await sequence(cluster, 1, TASK_MS)).toEqual([fast]);
  expect(await client.task(id, 0)).toMatchObject({ status: 'running', attempt: 1 });
  resume();
  expect(await completionOrder(cluster, id)).toEqual([0]);
  const { completed_at, worker_id, attempt } = await client.task(id, 0);
  expect({ worker_id, attempt }).toEqual({ worker_id: slow, attempt: 1 });
  await eventually(
    () => client.workers(),
    (all) => all.every(({ last_heartbeat }) => last_heartbeat > completed_at!),
  );
  return { slow: slow!, fast };
}

/** With its sandboxes; what it gives lets all of them go on, which the end of the test does too. */
function suspend({ process: { pid } }: ClusterWorker): () => void {
  const sandboxes = descendantsOf(pid);
  const signalAll = (signal: NodeJS.Signals) => {
    const alive = sandboxes.filter(isRunning).map((each) => each.pid);
    for (const each of [pid, ...alive]) process.kill(each, signal);
  };
  let isSuspended = true;
  const resume = () => {
    if (!isSuspended) return;
    isSuspended = false;
    signalAll('SIGCONT');
  };
  onTestFinished(resume);
  signalAll('SIGSTOP');
  return resume;
}
