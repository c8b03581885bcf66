// The worker of the guide, made of bash and curl, through what may happen to a worker.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JobSubmission, TaskResult } from '../../src/client/index.ts';
import { Cluster } from '../support/cluster.ts';
import { examplesOf } from '../support/document.ts';
import { eventually } from '../support/muster-process.ts';

const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'guides', 'write-a-worker.md');
const hasCurl = spawnSync('curl', ['--version']).status === 0;
/** 2⁴¹ − 21, a prime: some seconds of work for bash, longer than the lease. */
const LONG = 2_199_023_255_531;
/** 2⁵³ − 111, the largest prime that JavaScript can count to: minutes. */
const ENDLESS = 9_007_199_254_740_881;

function factors(...inputs: readonly unknown[]): JobSubmission {
  return {
    program: { kind: 'javascript', source: '// factor' },
    requirements: { labels: { does: 'factor' } },
    inputs,
  };
}

function startWorker({ folder, url }: Cluster): ChildProcess {
  const script = examplesOf(readFileSync(GUIDE, 'utf8'), GUIDE).find(
    (example) => example.type === 'file' && example.name === 'worker.sh',
  );
  writeFileSync(join(folder, 'worker.sh'), script?.type === 'file' ? script.text : '');
  const worker = spawn('bash', ['worker.sh', url], {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-worker.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
  });
  return worker;
}

async function resultsOf({ client }: Cluster, job: JobSubmission): Promise<readonly TaskResult[]> {
  const { id } = await client.submit(job);
  const results: TaskResult[] = [];
  for await (const result of client.results(id, { follow: true })) results.push(result);
  return results.toSorted((one, other) => one.index - other.index);
}

test('the worker of the guide fails, beats, stops, registers anew and leaves', async ({ skip }) => {
  if (!hasCurl) skip('this machine has no curl');
  const cluster = await Cluster.start({ flags: ['--heartbeat-seconds', '1'] });
  const { client } = cluster;
  const worker = startWorker(cluster);
  const ended = once(worker, 'exit');

  // A task that takes longer than the lease is kept by heartbeats; one that it cannot do fails.
  expect(await resultsOf(cluster, factors(LONG, 'twelve', 12))).toMatchObject([
    { status: 'completed', value: [LONG] },
    { status: 'failed', error: { type: 'TypeError' } },
    { status: 'completed', value: [2, 2, 3] },
  ]);
  const [known] = await client.workers();
  expect(known).toMatchObject({ name: 'curl', type: 'shell', total_completed: 2 });

  // A heartbeat tells it to stop what nobody wants any more.
  const unwanted = await client.submit(factors(ENDLESS));
  await eventually(
    () => client.task(unwanted.id, 0),
    ({ status }) => status === 'running',
  );
  await client.cancel(unwanted.id);
  expect(await resultsOf(cluster, factors(15))).toMatchObject([{ value: [3, 5] }]);

  // The database is cleared: it is another worker now.
  await client.clear();
  expect(await resultsOf(cluster, factors(21))).toMatchObject([{ value: [3, 7] }]);
  const [again] = await client.workers();
  expect(again?.id).not.toBe(known?.id);

  // Removed by an operator it stays away.
  await client.deregister(again?.id ?? '');
  await ended;
  expect(await client.workers()).toEqual([]);
});
