// "Counters of jobs, tasks and attempts never fall": over a `kill -9` of the coordinator, and a start.

import { expect, test } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import { squares } from '../support/square-job.ts';

const durable = /^muster_(jobs|tasks|attempts|attempt_run|energy|checkpoints)_\w*total/;

test('what a scrape has told, the coordinator after a kill tells, too', async () => {
  const cluster = await Cluster.start({ workers: 1, slots: 2 });
  const { client } = cluster;
  const removed = await client.submit(squares(3, 1));
  await eventually(
    () => client.job(removed.id),
    ({ status }) => status === 'completed',
  );
  await client.deleteJob(removed.id);
  await client.submit(squares(3_000, 2));
  const before = await eventually(
    () => scrape(client.url),
    (counters) => counters.get('muster_attempts_total{outcome="completed"}')! > 50,
  );
  cluster.coordinator.signal('SIGKILL');
  await cluster.coordinator.ended;
  await cluster.serve();
  const after = await scrape(client.url);
  const names = [...before.keys()].filter((name) => durable.test(name));
  expect(names.length).toBeGreaterThan(15);
  for (const name of names) {
    expect([name, after.get(name)! >= before.get(name)!]).toEqual([name, true]);
  }
  expect(after.get('muster_jobs_removed_total{because="deleted"}')).toBe(1);
});

async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}
