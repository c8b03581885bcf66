// `/metrics`, as Prometheus reads it, and the dashboard that is drawn from it.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Metrics } from '../../src/server/metrics.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, program, startLiveServer } from './support/live-server.ts';

test('tells what is there, what happened, and how long it took', async () => {
  const live = await startMeasured();
  const worker = await HandWorker.register(live, { name: 'desk', version: '9.9.9' });
  const { body: job } = await live.call('POST', '/api/jobs', {
    json: { program, inputs: [1, 2, 3] },
  });
  const waiting = await read(live);
  expect(waiting.get('muster_tasks{state="assigned"}')).toBe(3);
  expect(waiting.get('muster_jobs{status="running"}')).toBe(1);
  expect(waiting.get('muster_workers_by_version{version="9.9.9"}')).toBe(1);
  expect(waiting.get('muster_slots')).toBe(64);
  await worker.completeAll();
  await live.call('GET', `/api/jobs/${job.id}`);
  await live.call('GET', '/no/such/path');
  const done = await read(live);
  expect(done.get('muster_attempts_total{outcome="completed"}')).toBe(3);
  expect(done.get('muster_tasks_submitted_total')).toBe(3);
  expect(done.get('muster_decisions_total')).toBe(3);
  expect(done.get('muster_worker_events_total{event="registered"}')).toBe(1);
  expect(done.get('muster_commit_seconds_count')).toBeGreaterThan(2);
  const route = 'method="GET",route="/api/jobs/:job_id",status="2xx"';
  expect(done.get(`muster_http_request_seconds_count{${route}}`)).toBe(1);
  const none = 'method="GET",route="none",status="4xx"';
  expect(done.get(`muster_http_request_seconds_count{${none}}`)).toBe(1);
});

test('counters do not fall when jobs are deleted, or everything is cleared', async () => {
  const live = await startMeasured();
  const { body: job } = await live.call('POST', '/api/jobs', { json: { program, inputs: [1] } });
  await live.call('POST', `/api/jobs/${job.id}/cancel`);
  const before = await read(live);
  await live.call('DELETE', `/api/jobs/${job.id}`);
  await live.call('DELETE', '/api/database/clear');
  const after = await read(live);
  const counters = [...before.keys()].filter((name) => /_(total|count|sum)(\{|$)/.test(name));
  expect(counters.length).toBeGreaterThan(15);
  for (const name of counters) {
    expect([name, after.get(name)! >= before.get(name)!]).toEqual([name, true]);
  }
  expect(after.get('muster_jobs_removed_total{because="deleted"}')).toBe(1);
  expect(after.get('muster_jobs{status="cancelled"}')).toBe(0);
});

test('what happened to jobs, tasks and attempts is counted over a restart, clearing and deleting', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'muster-metrics-')), 'muster.db');
  onTestFinished(() => rmSync(dirname(path), { recursive: true }));
  const first = await startMeasured(openSqliteStore(path));
  const worker = await HandWorker.register(first, {});
  for (const inputs of [[1, 2], [3], [4]]) await first.submit(inputs);
  await worker.completeAll();
  const { body: jobs } = await first.call('GET', '/api/jobs');
  await first.call('DELETE', `/api/jobs/${jobs[0].id}`);
  const before = await read(first);
  expect(before.get('muster_attempts_total{outcome="completed"}')).toBe(4);
  await first.close();

  const second = await startMeasured(openSqliteStore(path));
  await second.call('DELETE', '/api/database/clear');
  const after = await read(second);
  await second.close();
  const durable = [...before.keys()].filter((name) =>
    /^muster_(jobs|tasks|attempt|energy|checkpoints)\w*_total/.test(name),
  );
  expect(durable.length).toBeGreaterThan(15);
  for (const name of durable.filter((each) => !each.includes('removed'))) {
    expect([name, after.get(name)]).toEqual([name, before.get(name)]);
  }
  expect(after.get('muster_jobs_removed_total{because="deleted"}')).toBe(1);
  expect(after.get('muster_jobs_removed_total{because="cleared"}')).toBe(2);
});

test('tells that new work is refused', async () => {
  const live = await startMeasured();
  expect((await read(live)).get('muster_overloaded')).toBe(0);
  Object.defineProperty(live.coordinator, 'isCrowded', { value: true });
  expect(live.server.isOverloaded).toBe(true);
  expect((await read(live)).get('muster_overloaded')).toBe(1);
});

test('workers that tell many versions make few series', async () => {
  const live = await startMeasured();
  for (let i = 0; i < 30; i++) await HandWorker.register(live, { version: `1.0.${i}` });
  const found = [...(await read(live))].filter(([name]) => name.includes('workers_by_version'));
  expect(found).toHaveLength(21);
  expect(found.at(-1)).toEqual(['muster_workers_by_version{version="other"}', 10]);
});

test('every metric that the dashboard names exists, every one of ours is on the page about them, and drawn', async () => {
  const live = await startMeasured();
  live.metrics.watchCluster({
    role: 'leading',
    isCutOff: false,
    figures: { epoch: 1, takeovers: 1, membersAlive: 1 },
  });
  const text = await (await fetch(`${live.url}/metrics`)).text();
  const bare = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!);
  const series = [...(await read(live)).keys()].map((name) => name.replace(/\{.*/, ''));
  const names = new Set([...bare, ...series]);
  const dashboard = readFileSync('docs/grafana/muster.json', 'utf8');
  const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(10);
  const named = expressions.flatMap((expr) => expr.match(/\b(muster|process|nodejs)_\w+/g) ?? []);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
  const page = readFileSync('docs/reference/metrics.md', 'utf8');
  expect(bare.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const drawn = new Set(named.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
  const [, exceptions = ''] = /Not drawn:\n?([^.]+)\./.exec(page) ?? [];
  const undrawn = bare.filter((name) => !drawn.has(name) && !exceptions.includes(`\`${name}\``));
  expect(undrawn).toEqual([]);
});

test('what a process does not know is not told: not as 0, nor as it was', async () => {
  const live = await startMeasured();
  await HandWorker.register(live, {});
  await live.call('POST', '/api/jobs', { json: { program, inputs: [1] } });
  const metrics = new Metrics({ version: '0.1.0' });
  const names = async (...render: Parameters<Metrics['render']>) =>
    [...(await metrics.render(...render)).matchAll(/^(muster_\w+)(?:\{.*\})? \d/gm)].map(
      ([, name]) => name,
    );
  const ofCoordinators = ['muster_tasks', 'muster_slots', 'muster_workers', 'muster_jobs'];
  const leading = await names(false, live.coordinator.reads);
  expect(leading).toEqual(expect.arrayContaining([...ofCoordinators, 'muster_overloaded']));
  const following = await names(false, undefined);
  expect(following).toContain('muster_overloaded');
  const known = following.filter((name) =>
    /_(tasks|slots|jobs|workers|attempts|decisions?)(_|$)/.test(name!),
  );
  expect(known).toEqual([]);
  // The disk of a server of PostgreSQL is not looked at.
  const ofFiles = ['muster_store_bytes', 'muster_store_log_bytes', 'muster_disk_free_bytes'];
  expect([...leading, ...following].filter((name) => ofFiles.includes(name!))).toEqual([]);
  expect([...(await read(live)).keys()]).toEqual(expect.arrayContaining(ofFiles));
});

async function startMeasured(store?: Store): Promise<LiveServer & { metrics: Metrics }> {
  const metrics = new Metrics({
    version: '0.1.0',
    storeFiles: () => ({ storeBytes: 1, logBytes: 2, freeBytes: 3 }),
  });
  const hooks = { metrics, onEvents: metrics.hear, onCommit: metrics.observeCommit };
  const live = await startLiveServer({}, store, {}, hooks);
  if (store === undefined) onTestFinished(() => live.close());
  return { ...live, metrics };
}

async function read(live: LiveServer): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${live.url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => /^[a-z]/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), value(line)]));
}

function value(line: string): number {
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}
