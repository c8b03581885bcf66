// A blob that is being sent to a coordinator that does not lead, while one of them is killed: it gets to the next leader, or
// its client is told, and nothing of it stays.

import { createHash, randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await makeServer();
});

afterAll(() => server.remove());

/** Two coordinators, the one that follows with half of a blob. */
async function stage() {
  const schema = `uploads_${++schemas}`;
  const cluster = await Cluster.start({ coordinators: 2, store: inSchema(server.url, schema) });
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
  const bytes = randomBytes(8_000_000);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const asked = request(`${follower!.url}/api/blobs/${sha256}`, { method: 'PUT', agent: false });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject);
  });
  answer.catch(() => undefined);
  asked.write(bytes.subarray(0, 4_000_000));
  await eventually(
    () => count('blob_chunks'),
    (chunks) => chunks === 15,
  );
  return { leader, follower: follower!, database, count, bytes, sha256, asked, answer };
}

test('the leader dies: what was sent is good for the next one', async () => {
  const { leader, follower, count, bytes, sha256, asked, answer } = await stage();
  await leader.kill();
  await eventually(
    () => follower.look(),
    (look) => look?.role === 'leading',
  );
  asked.end(bytes.subarray(4_000_000));
  const told = await answer;
  expect([told.statusCode, JSON.parse(await text(told))]).toEqual([
    201,
    { sha256, size_bytes: bytes.length },
  ]);
  const stored = await fetch(`${follower.url}/api/blobs/${sha256}`);
  expect(Buffer.compare(Buffer.from(await stored.arrayBuffer()), bytes)).toBe(0);
  expect(await count('blobs where sha256 is null')).toBe(0);
});

test('the one that has the bytes dies: its client is told, and nothing stays', async () => {
  const { leader, follower, database, count, answer } = await stage();
  await follower.kill();
  await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' });
  // A sweep of before: the member may come back, as far as anybody knows.
  const sweep = async () => {
    const { id } = await leader.client.submit({
      program: { kind: 'javascript', source: 'export default 1' },
      inputs: [1],
    });
    await leader.client.cancel(id);
    await leader.client.deleteJob(id);
    await eventually(
      () => count('jobs'),
      (jobs) => jobs === 0,
    );
  };
  await sweep();
  expect(await count('blob_chunks')).toBe(15);
  await database.query(
    `update coordinators set seen_at = seen_at - 60000 where url = '${follower.url}'`,
  );
  await sweep();
  await eventually(
    () => count('blobs'),
    (blobs) => blobs === 0,
  );
  expect(await count('blob_chunks')).toBe(0);
});
