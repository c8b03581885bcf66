// "Numbers of the evaluation endpoints after an end-to-end run equal those recomputed from the export by an
// independent script": workers in processes of their own, jobs that fail in part, a worker that is killed, another
// algorithm in the middle, and a coordinator that is started anew.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import {
  readTable,
  type Recomputed,
  recompute,
  type TableRow,
} from '../support/recompute-evaluation.ts';
import { ResultReader, squares } from '../support/square-job.ts';

const failing = {
  kind: 'javascript',
  source:
    'export default (n) => { if (n % 5 === 0) throw new RangeError("five, again"); return n; }',
} as const;

test('the figures of the evaluation are those that follow from the exported table', async () => {
  const flags = ['--grace-seconds', '1'];
  const cluster = await Cluster.start({ workers: 3, slots: 2, flags });
  const { client } = cluster;
  await client.scheduler.activate('round_robin');
  const first = await client.submit({ ...squares(300, 10), name: '=the "first", one' });
  const reader = new ResultReader(client.resultLines(first.id, { follow: true }));
  await reader.read(80);
  await cluster.workers[1]!.process.kill();
  await reader.read(150);
  await client.scheduler.activate('edas');
  const others = await Promise.all([
    client.submit({
      program: failing,
      inputs: { range: { start: 0, count: 40 } },
      max_attempts: 2,
    }),
    client.submit(squares(60, 5)),
  ]);
  await reader.read(300);
  for (const { id } of others) {
    await eventually(
      () => client.jobHead(id),
      ({ completed_at }) => completed_at !== null,
    );
  }

  const text = await exported(cluster, 'before.csv');
  const rows = readTable(text);
  await expectEqual(cluster, rows, first.created_at);
  const of = (id: string) => rows.filter(({ job_id }) => job_id === id);
  expect(new Set(of(first.id).map(({ job_name }) => job_name))).toEqual(
    new Set([`'=the "first", one`]),
  );
  expect(new Set(of(first.id).map(({ algorithm }) => algorithm))).toEqual(
    new Set(['round_robin', 'edas']),
  );
  expect(new Set(of(others[0].id).map(({ algorithm }) => algorithm))).toEqual(new Set(['edas']));
  const outcomes = (id: string, outcome: string) =>
    of(id).filter((row) => row['outcome'] === outcome).length;
  expect(outcomes(first.id, 'completed')).toBe(300);
  expect(outcomes(first.id, 'lost')).toBeGreaterThan(0);
  expect(outcomes(others[0].id, 'failed')).toBe(16);

  expect((await cluster.stop()).code).toBe(0);
  await cluster.serve();
  expect((await client.evaluation.attempts()).attempts).toEqual([]);
  expect(await exported(cluster, 'after.csv')).toBe(text);
  const asked = { jobId: others[0].id };
  const lines = await Array.fromAsync(client.evaluation.exportAttempts(asked));
  expect(lines.map(({ task_id, attempt }) => [task_id, String(attempt)])).toEqual(
    of(others[0].id).map(({ task_id, attempt }) => [task_id, attempt]),
  );
});

async function exported(cluster: Cluster, name: string): Promise<string> {
  const run = cluster.run(['export', '--url', cluster.url, '--out', name]);
  expect(await run.ended).toEqual({ code: 0, signal: null });
  return readFileSync(join(cluster.folder, name), 'utf8');
}

/** Of the four endpoints. Times are sums of the same fractions in another order. */
async function expectEqual(
  { client }: Cluster,
  rows: readonly TableRow[],
  since: string,
): Promise<void> {
  const found = recompute(rows);
  const metrics = await client.evaluation.metrics();
  expect(metrics.tasks.completed).toBe(found.tasksCompleted);
  expect(metrics.tasks.retried).toBe(found.retried);
  expect(metrics.average_task_time_seconds).toBeCloseTo(found.averageTaskSeconds, 9);
  expect(metrics.throughput_tasks_per_second).toBeCloseTo(found.tasksPerSecond, 9);
  expect(metrics.jains_fairness_index).toBeCloseTo(found.jain, 12);
  expect(metrics.energy_joules).toBeCloseTo(found.joules, 6);
  expect(metrics.recovery.wasted_seconds).toBeCloseTo(found.wastedSeconds, 9);
  await expectWorkers(client, found);

  const history = await client.evaluation.throughputHistory({ since, bucketSeconds: 1 });
  const ended = history.points.filter((point) => point.tasks_completed + point.tasks_failed > 0);
  const seconds = ended.map(
    ({ at, tasks_completed: completed, tasks_failed: failed }) =>
      [Date.parse(at), { completed, failed }] as const,
  );
  expect(seconds).toEqual([...found.seconds].sort(([a], [b]) => a - b));
}

async function expectWorkers(
  { evaluation }: Cluster['client'],
  { workers, jain, variation }: Recomputed,
): Promise<void> {
  const distribution = await evaluation.loadDistribution();
  expect(distribution.jains_fairness_index).toBeCloseTo(jain, 12);
  expect(distribution.coefficient_of_variation).toBeCloseTo(variation, 12);
  const ids = [...workers.keys()].sort();
  expect(distribution.workers.map(({ worker_id }) => worker_id).sort()).toEqual(ids);
  for (const load of distribution.workers) {
    const worker = workers.get(load.worker_id)!;
    expect(load.tasks_completed).toBe(worker.completed);
    expect(load.tasks_failed).toBe(worker.failed);
    expect(load.busy_seconds).toBeCloseTo(worker.busySeconds, 9);
    expect(load.share).toBeCloseTo(worker.share, 12);
  }
  const performance = await evaluation.workerPerformance();
  expect(performance.map(({ worker_id }) => worker_id).sort()).toEqual(ids);
  for (const each of performance) {
    const worker = workers.get(each.worker_id)!;
    expect(each.name).toBe(worker.name);
    expect(each.tasks_completed).toBe(worker.completed);
    expect(each.average_task_time_seconds).toBeCloseTo(worker.averageTaskSeconds!, 9);
    expect(each.throughput).toBeCloseTo(worker.throughput, 6);
    expect(each.failure_rate).toBeCloseTo(worker.failureRate, 12);
    expect(each.energy_joules).toBeCloseTo(worker.joules, 6);
  }
}
