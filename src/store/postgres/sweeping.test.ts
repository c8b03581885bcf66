import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { batch, jobRow, payload, programRow, startAt } from '../conformance/rows.ts';
import { type Store, StoreFault } from '../store.ts';
import { parseAddress } from './driver/address.ts';
import { Reader } from './driver/reader.ts';
import { makePool } from './driver/session.ts';
import { PostgresInputStaging } from './input-staging.ts';
import { openPostgresStore } from './open.ts';
import { Sweeping } from './sweeping.ts';
import { makeSchema } from './testing/schemas.ts';

async function makeStore() {
  const schema = makeSchema();
  onTestFinished(() => schema.remove());
  const open = async () => {
    const store = await openPostgresStore(schema.address, { connections: 4, standstillMs: 0 });
    onTestFinished(() => store.close());
    return store;
  };
  const count = async (table: string) => {
    const [row] = await schema.ask(`select count(*)::int as rows from ${table}`);
    return row!['rows'] as number;
  };
  return { schema, store: await open(), open, count };
}

async function sweepAll(store: Store): Promise<void> {
  for (let calls = 0; await store.sweep(2_000); calls++) expect(calls).toBeLessThan(100);
}

/** A transaction of somebody else. */
async function begin(schema: string): Promise<Client> {
  const client = new Client(inject('postgresUrl'));
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`set search_path to ${schema}; begin`);
  return client;
}

const program = programRow('{"code":"shared"}');

async function commitJob(store: Store, sequence: number, key: number): Promise<void> {
  const payloads = [{ jobKey: key, program, inputs: [] }];
  await store.commit(batch({ sequence, jobs: [jobRow(key)], payloads }), startAt);
}

test('many deleted jobs are swept together, and what they share with others stays', async () => {
  const { store, count } = await makeStore();
  const keys = Array.from({ length: 120 }, (_, i) => i + 1);
  const payloads = keys.map((jobKey) => ({ ...payload(jobKey, 3), program }));
  const priorities = { taskPriorities: Int16Array.of(1, 2) };
  const jobs = keys.map((key) => jobRow(key, priorities));
  await store.commit(batch({ jobs, payloads }), startAt);
  await store.commit(batch({ sequence: 2, deletedJobs: keys.slice(1) }), startAt);
  await sweepAll(store);
  const tables = ['jobs', 'inputs', 'job_programs', 'programs', 'task_priorities'];
  expect(await Promise.all(tables.map(count))).toEqual([1, 3, 1, 1, 1]);
  expect(await store.findProgram(1)).toEqual(program);
});

test('a program that a new job has stays, though its last job is swept at that moment', async () => {
  const { schema, store } = await makeStore();
  await commitJob(store, 1, 1);
  for (let key = 2; key < 12; key++) {
    const sequence = key * 2;
    await store.commit(batch({ sequence, deletedJobs: [key - 1] }), startAt);
    await Promise.all([sweepAll(store), commitJob(store, sequence + 1, key)]);
    expect(await store.findProgram(key)).toEqual(program);
  }
  // The commit of the new job holds the program when the sweep comes.
  await store.commit(batch({ sequence: 98, deletedJobs: [11] }), startAt);
  const other = await begin(schema.name);
  await other.query(`insert into programs values ('${program.sha256}', '')
    on conflict (sha256) do update set json = '' where false`);
  const swept = sweepAll(store);
  await sleep(100);
  await other.query(`insert into job_programs values (99, '${program.sha256}'); commit`);
  await swept;
  expect(await schema.ask('select job_key::int from job_programs')).toEqual([{ job_key: 99 }]);
  expect(await schema.ask('select sha256 from programs')).toEqual([{ sha256: program.sha256 }]);
});

test('a key that a new job gets while the job it named is swept goes over to the new one', async () => {
  const { schema, store } = await makeStore();
  await commitJob(store, 1, 1);
  await schema.ask(`insert into idempotency_keys values ('key', 1, 'hash', 0)`);
  await store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
  const other = await begin(schema.name);
  await other.query(`update idempotency_keys set job_key = 2`);
  await sweepAll(store);
  expect(await schema.ask('select key::int from jobs')).toEqual([{ key: 1 }]);
  await other.query('commit');
  await sweepAll(store);
  expect(await schema.ask('select key from jobs')).toEqual([]);
  expect(await schema.ask('select job_key::int from idempotency_keys')).toEqual([{ job_key: 2 }]);
});

test('inputs of a writer that was shut out are dropped by a load, and those that it still brings are swept', async () => {
  const { store, open, count } = await makeStore();
  await store.stageInputs(7, 0, ['0', '1']);
  const next = await open();
  await next.load();
  expect(await count('staged where dropped')).toBe(1);
  await next.stageInputs(8, 0, ['0']);
  await sweepAll(next);
  expect(await count('inputs')).toBe(1);
  expect(await store.stageInputs(7, 2, ['2'])).toBe(false);
  expect(await store.stageInputs(9, 0, ['0'])).toBe(true);
  await sweepAll(store);
  expect(await count('staged')).toBe(2);
  await sweepAll(next);
  expect(await count('staged')).toBe(1);
  expect(await next.stageInputs(8, 1, ['1'])).toBe(true);
});

test('a load does not wait for a writer that stands still amid storing more', async () => {
  const { schema, store, open, count } = await makeStore();
  for (const key of [7, 8]) await store.stageInputs(key, 0, ['0', '1']);
  const frozen = await begin(schema.name);
  await frozen.query('select from staged where job_key = 7 for share');
  const next = await open();
  await next.load();
  expect(await schema.ask('select job_key::int from staged where dropped')).toEqual([
    { job_key: 8 },
  ]);
  await frozen.query('commit');
  await sweepAll(next);
  expect([await count('staged'), await count('inputs')]).toEqual([0, 0]);
});

test('inputs of a member that follows stay while it is seen, and are its own until the leader seals them', async () => {
  const { schema, store, open, count } = await makeStore();
  const address = parseAddress(schema.address);
  const reader = new Reader(makePool(address, 2), address);
  onTestFinished(() => reader.close());
  const id = randomUUID();
  await reader.write((query) =>
    query(
      `insert into coordinators (id, url, version, may_lead, workers, seen_at)
        values ($1, 'http://it', '1', true, 0, extract(epoch from clock_timestamp()) * 1000)`,
      [id],
    ),
  );
  const member = new PostgresInputStaging(reader, id);
  const [kept, taken, forsaken, gone] = [1, 2, 3, 4];
  for (const key of [kept, taken, forsaken, gone]) {
    expect(await member.stageInputs(key, 0, ['0', '1'])).toBe(true);
  }
  expect(await store.stageInputs(5, 0, ['0'])).toBe(true);
  const next = await open();
  await next.load();
  await sweepAll(next);
  expect(await count('inputs')).toBe(8);
  expect(await member.stageInputs(kept, 2, ['2'])).toBe(true);

  // Nobody but who is told of a member takes what is that member's.
  expect(await next.sealStaged(taken, 2)).toBe(false);
  expect(await next.sealStaged(taken, 3, id)).toBe(false);
  expect(await next.sealStaged(taken, 2, id)).toBe(true);
  expect(await member.stageInputs(taken, 2, ['2'])).toBe(false);
  await member.dropStaged(taken);
  await next.dropStaged(forsaken);
  expect(await count('staged where dropped')).toBe(0);
  await next.dropStaged(forsaken, id);
  expect(await member.stageInputs(forsaken, 2, ['2'])).toBe(false);
  await sweepAll(next);
  expect(await count('inputs')).toBe(7);

  await reader.write((query) => query('update coordinators set seen_at = seen_at - 61000'));
  expect(await next.sealStaged(kept, 3, id)).toBe(true);
  await sweepAll(next);
  expect(await member.stageInputs(gone, 2, ['2'])).toBe(false);
  expect(await next.sealStaged(gone, 2, id)).toBe(false);
  const payloads = [kept, taken].map((jobKey) => ({ jobKey, program, inputs: [], staged: 2 }));
  const jobs = [jobRow(kept), jobRow(taken)];
  await next.commit(batch({ jobs, payloads }), startAt);
  expect(await next.readInputs(kept, [0, 1, 2])).toEqual(['0', '1', '2']);
  expect(await next.readInputs(taken, [0, 1])).toEqual(['0', '1']);
  expect(await count('inputs')).toBe(5);
});

test.each<[string, (seal: () => Promise<boolean>) => Promise<unknown>]>([
  ['made again, and then given up,', async (seal) => expect(await seal()).toBe(true)],
  ['given up', async () => undefined],
])('a seal that was cut off when it was there is %s', async (_what, goOn) => {
  const { schema, store, count } = await makeStore();
  const address = parseAddress(schema.address);
  const reader = new Reader(makePool(address, 2), address);
  onTestFinished(() => reader.close());
  const [id, leader] = [randomUUID(), randomUUID()];
  expect(await new PostgresInputStaging(reader, id).stageInputs(1, 0, ['0', '1'])).toBe(true);
  const staging = new PostgresInputStaging(reader, leader);
  const write = reader.write.bind(reader);
  const lost = Object.assign(new Error('read ECONNRESET'), { syscall: 'read' });
  reader.write = async (work) => {
    await write(work);
    throw new StoreFault('store_write_failed', 'The connection broke.', lost);
  };
  expect(await staging.sealStaged(1, 2, id)).toBe(false);
  reader.write = write;
  expect(await count(`staged where member = '${leader}'`)).toBe(1);
  await goOn(() => staging.sealStaged(1, 2, id));
  await staging.dropStaged(1, id);
  expect(await count('staged where dropped')).toBe(1);
  await sweepAll(store);
  expect(await count('inputs')).toBe(0);
});

test('what the database did not let a member drop is dropped later, though nothing else comes', async () => {
  const { schema, count } = await makeStore();
  const address = parseAddress(schema.address);
  const reader = new Reader(makePool(address, 2), address);
  onTestFinished(() => reader.close());
  const member = new PostgresInputStaging(reader, randomUUID(), 20);
  for (const key of [1, 2]) expect(await member.stageInputs(key, 0, ['0', '1'])).toBe(true);
  const write = reader.write.bind(reader);
  const refused: Error[] = [];
  reader.write = () => {
    const fault = new StoreFault('store_unreachable', `The database is away: ${refused.length}.`);
    refused.push(fault);
    return Promise.reject(fault);
  };
  await expect(member.dropStaged(1)).rejects.toBe(refused[0]);
  await expect.poll(() => refused.length).toBeGreaterThan(2);
  reader.write = write;
  await expect.poll(() => count('staged where dropped')).toBe(1);
  expect(await member.stageInputs(1, 2, ['2'])).toBe(false);
  expect(await member.stageInputs(2, 2, ['2'])).toBe(true);
});

test('a member that comes to life again amid the sweep stages nothing behind what is gone', async () => {
  const { schema, store, open, count } = await makeStore();
  const address = parseAddress(schema.address);
  const reader = new Reader(makePool(address, 2), address);
  onTestFinished(() => reader.close());
  const id = randomUUID();
  const member = new PostgresInputStaging(reader, id);
  const many = Array.from({ length: 1_200 }, (_, i) => `${i}`);
  expect(await member.stageInputs(1, 0, many)).toBe(true);
  expect(await store.sweep(500)).toBe(true);
  expect(await count('inputs')).toBe(700);
  await reader.write((query) =>
    query(
      `insert into coordinators (id, url, version, may_lead, workers, seen_at)
        values ($1, 'http://it', '1', true, 0, extract(epoch from clock_timestamp()) * 1000)`,
      [id],
    ),
  );
  expect(await member.stageInputs(1, many.length, ['more'])).toBe(false);
  expect(await store.sealStaged(1, many.length, id)).toBe(false);
  const next = await open();
  await next.load();
  await sweepAll(next);
  expect(await count('inputs')).toBe(0);
});

test('what is staged while it is swept is not left alone', async () => {
  const { schema, store } = await makeStore();
  for (let key = 1; key <= 20; key++) {
    await store.stageInputs(key, 0, ['0', '1', '2']);
    await store.dropStaged(key);
    const more = [store.stageInputs(key, 3, ['3']), store.stageInputs(key, 0, ['0'])];
    await Promise.all([...more, sweepAll(store)]);
    const left = await schema.ask(
      `select 1 from inputs where job_key not in (select job_key from staged)`,
    );
    expect(left).toEqual([]);
  }
});

test('whoever does not lead the database sweeps nothing', async () => {
  const { schema, store, open } = await makeStore();
  await commitJob(store, 1, 1);
  await store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
  const address = parseAddress(schema.address);
  const reader = new Reader(makePool(address, 1), address);
  onTestFinished(() => reader.close());
  expect(await new Sweeping(reader, randomUUID()).run(9)).toBe(false);
  const next = await open();
  await sweepAll(store);
  expect(await schema.ask('select key::int from jobs')).toEqual([{ key: 1 }]);
  await sweepAll(next);
  expect(await schema.ask('select key from jobs')).toEqual([]);
});
