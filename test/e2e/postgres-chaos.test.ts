// Everything between a coordinator and its database breaks again and again, and so do both: what was acknowledged stays,
// and each result is accepted once.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import { Cluster } from '../support/cluster.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await makeServer();
});

afterAll(() => server.remove());

test('a job survives kills of coordinator, server and connections, and each task is accepted once', async () => {
  const tasks = 900;
  const schema = nextSchema();
  const proxy = await FaultyLine.to(server.url);
  onTestFinished(() => proxy.close());
  const store = new URL(inSchema(server.url, schema));
  store.port = new URL(proxy.url).port;
  const cluster = await Cluster.start({ workers: 2, slots: 3, store: store.href });
  const { client } = cluster;
  const job = await client.submit({ ...squares(tasks, 20), max_lost_attempts: 50 });
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  const mishaps: readonly (() => unknown)[] = [
    () => proxy.cut(),
    () => ask(ofOthers('pg_terminate_backend')),
    async () => {
      await server.kill();
      await server.start();
    },
    async () => {
      await cluster.coordinator.kill();
      await cluster.serve();
    },
    () => {
      proxy.answersToLose = 1;
    },
    () => ask(ofOthers('pg_cancel_backend')),
    async () => {
      proxy.shut();
      await server.kill();
      await server.start();
      proxy.open();
    },
    // The server ends all others as well then, and recovers.
    async () => {
      const [backend] = await ask(ofOthers('max'));
      process.kill(backend!['max'] as number, 'SIGKILL');
    },
  ];
  for (const [i, mishap] of mishaps.entries()) {
    await reader.read((i + 1) * 80);
    await mishap();
  }
  await reader.readAll();
  expectEveryResultOnce(reader.results, tasks);
  expect(await client.job(job.id)).toMatchObject({
    status: 'completed',
    counts: { completed: tasks, failed: 0, pending: 0, running: 0 },
  });
  expect((await cluster.stop()).code).toBe(0);
  expect(await ask(counted(schema))).toEqual([{ tasks, completed: tasks, accepted: tasks }]);
}, 60_000);

test('whoever was frozen while another took over writes nothing, and ends with a sentence', async () => {
  const schema = nextSchema();
  const cluster = await Cluster.start({
    workers: 2,
    slots: 2,
    store: inSchema(server.url, schema),
  });
  const job = await cluster.client.submit(squares(300, 20));
  const reader = new ResultReader(cluster.client.resultLines(job.id, { follow: true }));
  await reader.read(50);
  const frozen = cluster.coordinator;
  frozen.signal('SIGSTOP');
  const next = cluster.serveArgs(['--port', '0', '--data-dir', 'next']);
  await next.line((line) => (line.includes('url') ? line : undefined));
  const term = await ask(`select term from ${schema}.commits order by sequence desc limit 1`);
  frozen.signal('SIGCONT');
  expect(await frozen.ended).toEqual({ code: 6, signal: null });
  expect(frozen.stderr).toContain('Another coordinator has taken over the database');
  const rows = `select distinct term from ${schema}.commits where sequence >=
    (select min(sequence) from ${schema}.commits where term = '${String(term[0]!['term'])}')`;
  expect(await ask(rows)).toEqual(term);
  next.signal('SIGTERM');
  expect((await next.ended).code).toBe(0);
  await cluster.serve();
  await reader.readAll();
  expectEveryResultOnce(reader.results, 300);
  expect(await ask(counted(schema))).toEqual([{ tasks: 300, completed: 300, accepted: 300 }]);
}, 40_000);

function nextSchema(): string {
  return `chaos_${++schemas}`;
}

/** Does so to every connection of a coordinator; `max` only tells the process of one. */
function ofOthers(call: 'pg_cancel_backend' | 'pg_terminate_backend' | 'max'): string {
  return `select ${call}(pid) from pg_stat_activity where application_name = 'muster'`;
}

function counted(schema: string): string {
  return `select count(*)::int as tasks, count(result_json)::int as completed,
    count(*) filter (where accepted_attempt <= attempt)::int as accepted from ${schema}.tasks`;
}

async function ask(text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(server.url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
