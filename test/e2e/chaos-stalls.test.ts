// Chaos without kills: processes that stand still, connections that are cut, a store that is locked for a
// while. No acknowledged work is lost, no result is wrong, and no task is charged for a coordinator that
// stood still.

import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type JobSummary, type MusterClient } from '../../src/client/index.ts';
import { Cluster } from '../support/cluster.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import type { MusterProcess } from '../support/muster-process.ts';
import {
  expectEveryResultOnce,
  ResultReader,
  squares,
  storedTasks,
} from '../support/square-job.ts';

/** A lease and more; a worker that beats on time has been silent for no moment of it. */
const longStandstillMs = 18_000;
const left = { code: 0, signal: null };

test('a coordinator that stands still for longer than a lease loses nobody and charges nothing', async () => {
  const cluster = await Cluster.start({ workers: 3, slots: 2 });
  const { client, coordinator } = cluster;
  const count = 300;
  const job = await client.submit(squares(count, 500));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  for (const results of [20, 100]) {
    await reader.read(results);
    coordinator.signal('SIGSTOP');
    await pause(longStandstillMs);
    coordinator.signal('SIGCONT');
  }
  await reader.readAll();
  expectEveryResultOnce(reader.results, count);
  expect(await client.recoveryEvents()).toEqual([]);
  // What was given back before it began costs nothing.
  const costly = "select * from attempts where outcome not in ('released', 'withdrawn')";
  expect(cluster.query(costly)).toEqual([]);
  const [charged] = cluster.query('select sum(errors + losses + timeouts) as charges from tasks');
  expect({ ...charged }).toEqual({ charges: 0 });
  expect(await cluster.onlineWorkers()).toEqual(cluster.workers.map(({ id }) => id).toSorted());
}, 200_000);

const rounds = 8;
const tasksPerJob = 20;

test('cut lines, workers that stand still and a locked store lose and repeat nothing', async () => {
  const cluster = await Cluster.start({ flags: ['--heartbeat-seconds', '1'] });
  const proxy = await FaultyLine.to(cluster.url);
  onTestFinished(() => proxy.close());
  const workers = await joinThrough(proxy, cluster, 3);
  const submitting = submitUntilStopped(connect(proxy.url));

  for (let round = 0; round < rounds; round++) {
    const worker = workers[round % workers.length]!;
    worker.signal('SIGSTOP');
    proxy.cut();
    const release = lockStore(cluster);
    await pause(1500);
    proxy.cut();
    release();
    await pause(500);
    worker.signal('SIGCONT');
    await pause(1000);
  }

  const jobs = await submitting.stop();
  expect(jobs.length).toBeGreaterThan(rounds);
  for (const { id } of jobs) {
    const reader = new ResultReader(cluster.client.resultLines(id, { follow: true }));
    await reader.readAll();
    expectEveryResultOnce(reader.results, tasksPerJob);
  }
  // Each submission is one job, however often it was sent.
  const stored = cluster.query('select id from jobs').map(({ id }) => id);
  expect(stored).toHaveLength(jobs.length);
  expect(new Set(stored)).toEqual(new Set(jobs.map(({ id }) => id)));
  const tasks = jobs.length * tasksPerJob;
  expect(storedTasks(cluster)).toEqual({ tasks, completed: tasks, accepted: tasks });
  expect(await cluster.stop()).toEqual(left);
  const [checked] = cluster.query('pragma integrity_check');
  expect({ ...checked }).toEqual({ integrity_check: 'ok' });
}, 200_000);

async function joinThrough(
  proxy: FaultyLine,
  cluster: Cluster,
  count: number,
): Promise<MusterProcess[]> {
  const workers = Array.from({ length: count }, (_, i) => {
    const state = ['--name', `far-${i}`, '--state-dir', `${cluster.folder}/far-${i}`];
    return cluster.run(['worker', proxy.url, '--slots', '2', '--json', ...state]);
  });
  for (const worker of workers) {
    await worker.line((line) => (line.includes('Connected as worker') ? true : undefined));
  }
  return workers;
}

/** One job after the other; those that were acknowledged. */
function submitUntilStopped(client: MusterClient): { stop(): Promise<readonly JobSummary[]> } {
  const jobs: JobSummary[] = [];
  const over = new AbortController();
  const submitting = (async () => {
    while (!over.signal.aborted) {
      jobs.push(await client.submit({ ...squares(tasksPerJob, 20), max_lost_attempts: 50 }));
      await pause(200);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await submitting;
      return jobs;
    },
  };
}

/** Another program writes, and takes its time; returns what ends it. */
function lockStore({ storePath }: Cluster): () => void {
  const db = new DatabaseSync(storePath, { timeout: 10_000 });
  db.exec('begin immediate');
  return () => {
    db.exec('rollback');
    db.close();
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
