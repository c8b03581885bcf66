// A job that is being sent line by line to a coordinator that does not lead, while one of them is killed: it is there as a
// whole, or its client is told to send it again, and nothing of it stays.

import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';

const half = 10_000;

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await makeServer();
});

afterAll(() => server.remove());

const head = `${JSON.stringify({ program: squares(1, 0).program })}\n`;
const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `${from + i}\n`).join('');
const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'once' };

function post(url: string) {
  const asked = request(`${url}/api/jobs`, { method: 'POST', headers, agent: false });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject);
  });
  answer.catch(() => undefined);
  return { asked, answer };
}

/** Two coordinators, the one that follows with half of a job. */
async function begin(workers: number) {
  const schema = `long_jobs_${++schemas}`;
  const store = inSchema(server.url, schema);
  const cluster = await Cluster.start({ coordinators: 2, workers, slots: 4, store });
  const leader = await cluster.leader();
  const [follower] = await cluster.followers();
  const database = new Client(server.url);
  await database.connect();
  onTestFinished(() => database.end());
  await database.query(`set search_path to ${schema}`);
  const count = async (what: string) => {
    const { rows } = await database.query<{ n: number }>(`select count(*)::int as n from ${what}`);
    return rows[0]!.n;
  };
  const sent = post(follower!.url);
  sent.asked.write(head + numbers(0, half));
  await eventually(
    () => count('inputs'),
    (inputs) => inputs === half,
  );
  return { cluster, leader, follower: follower!, count, ...sent };
}

test('inputs that the follower has stored are those of the job', async () => {
  const { cluster, count, asked, answer } = await begin(2);
  expect(await count('staged where not dropped')).toBe(1);
  asked.end(numbers(half, half));
  const told = await answer;
  const job = (await json(told)) as { readonly id: string };
  expect([told.statusCode, job]).toMatchObject([201, { task_count: 2 * half }]);
  const reader = new ResultReader(cluster.client.resultLines(job.id, { follow: true }));
  await reader.readAll();
  expectEveryResultOnce(reader.results, 2 * half);
  expect(await count('staged')).toBe(0);
});

test('the leader dies: the client is told to send the job again, and nothing of the half stays', async () => {
  const { leader, follower, count, asked, answer } = await begin(0);
  await leader.kill();
  asked.end(numbers(half, half));
  const told = await answer;
  expect([told.statusCode, await json(told)]).toEqual([
    503,
    {
      code: 'leader_changed',
      detail: expect.stringContaining('nothing of it was kept; send it again') as string,
    },
  ]);
  await eventually(
    () => follower.look(),
    (look) => look?.role === 'leading',
  );
  expect(await count('jobs')).toBe(0);
  const again = post(follower.url);
  again.asked.end(head + numbers(0, half));
  expect((await again.answer).statusCode).toBe(201);
  // It is swept now that there is something else to do.
  await eventually(
    () => count('staged'),
    (staged) => staged === 0,
  );
  expect([await count('inputs'), await count('jobs')]).toEqual([half, 1]);
});

test('the one that stores them dies: its client is told, and nothing stays', async () => {
  const { follower, count, answer } = await begin(0);
  await follower.kill();
  await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' });
  await eventually(
    () => count('staged'),
    (staged) => staged === 0,
  );
  expect([await count('inputs'), await count('jobs')]).toEqual([0, 0]);
});
