// Somebody reads for long, or the way to the server is dead without a word.

import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { FaultyLine } from '../../../test/support/faulty-line.ts';
import { batch, jobRow, startAt } from '../conformance/rows.ts';
import { openPostgresStore } from './open.ts';
import { makeSchema, type TestSchema } from './testing/schemas.ts';

const job = jobRow(1, { taskCount: 1 });
const wanted = {
  jobs: new Set([job.spec.id]),
  tasks: new Map<string, ReadonlySet<number>>(),
  workers: new Set<string>(),
  idempotencyKeys: new Set<string>(),
  blobs: new Set<string>(),
};

test('whoever reads for long does not keep the writer waiting, and is cut off when the store is closed', async () => {
  const schema = makeSchema();
  onTestFinished(schema.remove);
  const store = await openPostgresStore(schema.address, { connections: 2 });
  await store.load();
  await store.commit(batch({ jobs: [job] }), startAt);
  const other = await lockTasks(schema);
  const reads = [1, 2].map(() => store.listTasks(1, 0, 10).catch((error: unknown) => error));
  expect((await store.readVisitors(wanted, new Set(), startAt)).jobs).toMatchObject([
    { spec: { id: job.spec.id } },
  ]);
  expect(await store.reserveJobKeys(1)).toBeGreaterThan(0);
  await store.close();
  const closed = expect.objectContaining({ code: 'store_closed' }) as unknown;
  expect(await Promise.all(reads)).toEqual([closed, closed]);
  await other.query('commit');
  await isLeft(other, schema.name);
});

test('a read whose connection is cut is made again, and nothing else comes of it', async () => {
  const { schema, proxy, store } = await behindProxy();
  const other = await lockTasks(schema);
  const read = store.listTasks(1, 0, 10);
  const waiting = `select 1 from pg_locks
    where relation = '${schema.name}.tasks'::regclass and not granted`;
  while ((await other.query(waiting)).rowCount === 0);
  proxy.cut();
  await other.query('commit');
  expect(await read).toEqual([]);
  await store.close();
  await isLeft(other, schema.name);
});

test('a table that somebody has taken away ends the writer with a sentence', async () => {
  const schema = makeSchema();
  onTestFinished(schema.remove);
  const store = await openPostgresStore(schema.address);
  await schema.ask('drop table commits');
  const fault = {
    code: 'store_unwritable',
    message: expect.stringMatching(
      /not as it was made.*relation "commits" does not exist/,
    ) as string,
  };
  await expect(store.commit(batch({ jobs: [job] }), startAt)).rejects.toMatchObject(fault);
  await expect(store.confirm()).rejects.toMatchObject(fault);
  await store.close();
});

test('a way to the server that is dead without a word is found out by reads and commits', async () => {
  const { proxy, store } = await behindProxy();
  await store.listTasks(1, 0, 10);
  proxy.hold('back');
  const read = store.listTasks(1, 0, 10).catch((error: unknown) => error);
  const write = store.commit(batch({ sequence: 2 }), startAt);
  expect(await read).toMatchObject({ code: 'store_unreachable' });
  proxy.release();
  await write;
  expect(await store.listTasks(1, 0, 10)).toEqual([]);
  await store.close();
}, 40_000);

/** A store with a job, whose connections go through a proxy. */
async function behindProxy() {
  const schema = makeSchema();
  const proxy = await FaultyLine.to(schema.address);
  onTestFinished(async () => {
    proxy.close();
    await schema.remove();
  });
  const address = new URL(schema.address);
  address.port = new URL(proxy.url).port;
  const store = await openPostgresStore(address.href, { connections: 1 });
  await store.load();
  await store.commit(batch({ jobs: [job] }), startAt);
  return { schema, proxy, store };
}

/** Whoever reads tasks waits until this other one commits. */
async function lockTasks({ name }: TestSchema): Promise<Client> {
  const other = new Client(inject('postgresUrl'));
  onTestFinished(() => other.end());
  await other.connect();
  await other.query(`begin; lock table ${name}.tasks in access exclusive mode`);
  return other;
}

/** The server goes on with what nobody waits for any more: then the tables cannot be dropped. */
async function isLeft(client: Client, schema: string): Promise<void> {
  const held = `select 1 from pg_locks where relation = '${schema}.tasks'::regclass`;
  while ((await client.query(held)).rowCount !== 0);
}
