// A coordinator whose database is one of PostgreSQL does what one with a file does.

import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import { Cluster } from '../support/cluster.ts';
import { eventually, type MusterProcess } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';

const tasks = 1_000;

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await makeServer();
});

afterAll(() => server.remove());

function place(): string {
  return inSchema(server.url, `cluster_${++schemas}`);
}

test('after a kill midway the work goes on, and nothing acknowledged is lost', async () => {
  const cluster = await Cluster.start({ workers: 2, slots: 3, store: place() });
  const { client } = cluster;
  const job = await client.submit(squares(tasks, 10));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.read(200);
  const small = await client.submit({ ...squares(3, 1), name: 'small' });
  cluster.coordinator.signal('SIGKILL');
  await cluster.coordinator.ended;
  await cluster.serve();
  await reader.readAll();
  expectEveryResultOnce(reader.results, tasks);
  const kept = new ResultReader(client.resultLines(small.id, { follow: true }));
  await kept.readAll();
  expectEveryResultOnce(kept.results, 3);
  expect(await client.job(job.id)).toMatchObject({
    status: 'completed',
    counts: { completed: tasks, failed: 0 },
  });
  expect(await cluster.onlineWorkers()).toEqual(cluster.workers.map(({ id }) => id).toSorted());
});

test('a restart of the server is a pause, and costs nothing acknowledged', async () => {
  const cluster = await Cluster.start({ workers: 1, slots: 2, store: place() });
  const { client } = cluster;
  const job = await client.submit(squares(300, 20));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  for (const results of [20, 60, 100]) {
    await reader.read(results - reader.texts.length);
    await server.kill();
    await server.start();
  }
  await reader.readAll();
  expectEveryResultOnce(reader.results, 300);
  expect(cluster.coordinator.stderr).toContain('was cut off');
  expect(await client.job(job.id)).toMatchObject({
    status: 'completed',
    counts: { completed: 300 },
  });
  expect(await cluster.onlineWorkers()).toEqual(cluster.workers.map(({ id }) => id));
});

test('a crash of the server amid a job that is being sent takes nothing of what is acknowledged', async () => {
  const address = place();
  const cluster = await Cluster.start({ workers: 1, slots: 2, store: address });
  const database = new Client(server.url);
  await database.connect();
  const schema = new URL(address).searchParams.get('schema')!;
  const staged = () =>
    eventually(
      async () => (await database.query(`select from ${schema}.inputs`)).rowCount!,
      (rows) => rows > before,
    );
  let before = 0;
  const head = `${JSON.stringify({ program: squares(1, 0).program })}\n`;
  const numbers = (from: number) =>
    Array.from({ length: 3_000 }, (_, i) => `${from + i}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'once' };
  const send = () => {
    const asked = request(`${cluster.url}/api/jobs`, { method: 'POST', headers, agent: false });
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve).once('error', reject);
    });
    return { asked, answer };
  };
  const half = send();
  half.asked.write(head + numbers(0));
  before = await staged();
  await server.holdLog();
  half.asked.write(numbers(3_000));
  await staged();
  database.on('error', () => undefined);
  await server.kill();
  await server.start();
  await eventually(
    () => fetch(`${cluster.url}/readyz`),
    ({ ok }) => ok,
  );
  half.asked.end(numbers(6_000));
  const told = await half.answer;
  // The sign of life of the coordinator may have brought the newest inputs to the disk.
  if (told.statusCode !== 201) {
    expect([told.statusCode, await json(told)]).toEqual([
      503,
      { code: 'busy', detail: expect.stringContaining('Send it again') as string },
    ]);
    const again = send();
    again.asked.end(head + numbers(0) + numbers(3_000) + numbers(6_000));
    expect((await again.answer).statusCode).toBe(201);
  }
  const [job] = await cluster.client.jobs();
  const reader = new ResultReader(cluster.client.resultLines(job!.id, { follow: true }));
  await reader.readAll();
  expectEveryResultOnce(reader.results, 9_000);
});

test('after an orderly stop the next start does not wait, and finds everything', async () => {
  const cluster = await Cluster.start({ workers: 1, store: place() });
  const job = await cluster.client.submit(squares(5, 1));
  await eventually(
    () => cluster.client.job(job.id),
    ({ status }) => status === 'completed',
  );
  expect((await cluster.stop()).code).toBe(0);
  await cluster.serve();
  expect(cluster.coordinator.stderr).not.toContain('has not said goodbye');
  expect((await cluster.client.jobs())[0]).toMatchObject({ id: job.id, status: 'completed' });
});

test('tokens can be made before the first start, and a second coordinator is refused', async () => {
  const store = place();
  const cluster = await Cluster.start({ store });
  expect(
    await endOf(cluster.run(['serve', '--data-dir', 'other', '--port', '0', '--store', store])),
  ).toEqual({
    code: 5,
    text: expect.stringContaining('Another coordinator works on the database') as string,
  });
  await cluster.stop();
  const made = await endOf(cluster.run(['token', 'create', '--kind', 'admin', '--store', store]));
  expect(made.code).toBe(0);
  const looked = cluster.run(['doctor', '--store', store, '--json']);
  await looked.ended;
  expect(JSON.parse(looked.stdout)).toContainEqual({
    check: 'store',
    status: 'ok',
    finding: expect.stringMatching(
      /is PostgreSQL \d+\.\d+; nobody works on it \(\d+ MB\)$/,
    ) as string,
    advice: null,
  });
});

test('an address that cannot be used is told in a sentence', async () => {
  const cluster = await Cluster.start();
  const { port } = new URL(server.url);
  const serve = (store: string) =>
    endOf(cluster.run(['serve', '--data-dir', 'elsewhere', '--port', '0', '--store', store]));
  const wrong: readonly (readonly [string, string])[] = [
    [
      `postgres://muster:secret@127.0.0.1:${port}/nothing`,
      `postgres://muster:***@127.0.0.1:${port}/nothing cannot be opened for writing (database "nothing" does not exist)`,
    ],
    [
      `postgres://muster@127.0.0.1:${port}/postgres`,
      'runs with fsync = off, and may lose what it has acknowledged',
    ],
    [
      `postgres://muster@127.0.0.1:${port}/postgres?schema=Mine`,
      '"Mine" cannot be the schema of the database',
    ],
    [
      'postgres://muster@127.0.0.1:9/postgres',
      'cannot be opened for writing (connect ECONNREFUSED',
    ],
  ];
  for (const [address, sentence] of wrong) {
    expect(await serve(address)).toEqual({
      code: 5,
      text: expect.stringContaining(sentence) as string,
    });
  }
  expect(await endOf(cluster.run(['backup', 'copy.db', '--store', place()]))).toEqual({
    code: 2,
    text: expect.stringContaining('pg_dump') as string,
  });
});

/** How it ended, and what it told a person. */
async function endOf(process: MusterProcess) {
  const { code } = await process.ended;
  return { code, text: process.stderr.replaceAll('\\"', '"') };
}
