// Sums that are kept of past work: they change no answer, whatever is committed while they are made, and spare the rows.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { dayBegin, expectSumsAlike } from '../conformance/kept-sums.ts';
import { batch, jobRow, startAt, workRow } from '../conformance/rows.ts';
import { createMemoryStore } from '../memory/memory-store.ts';
import { secondMs, spansMs } from '../sums.ts';
import type { Store } from '../store.ts';
import { parseAddress } from './driver/address.ts';
import { connect, run } from './driver/session.ts';
import type { Query } from './driver/statement.ts';
import { openPostgresStore } from './open.ts';
import { announceSum, dropChanged, keepSum } from './tables/work-sum-table.ts';
import { makeSchema, type TestSchema } from './testing/schemas.ts';

const [dayMs, hourMs] = spansMs;

test('what is kept as sums is what the rows give, to the last bit, on any history', async () => {
  const schemas: TestSchema[] = [];
  const makeStores = async () => {
    const schema = makeSchema();
    schemas.push(schema);
    const kept = await openPostgresStore(schema.address, { connections: 3 });
    return [kept, createMemoryStore()] as const;
  };
  try {
    await expect(expectSumsAlike(makeStores, 25)).resolves.toBeUndefined();
  } finally {
    for (const schema of schemas) await schema.remove();
  }
}, 120_000);

interface Summed {
  readonly schema: TestSchema;
  readonly store: Store;
  /** Over a connection of its own. */
  readonly query: Query;
}

/** A task of job 1 in each of so many hours from `dayBegin` on. */
async function worked(hours: number): Promise<Summed> {
  const schema = makeSchema();
  const store = await openPostgresStore(schema.address, { connections: 2 });
  const client = await connect(parseAddress(schema.address));
  onTestFinished(async () => {
    await store.close();
    await client.end();
    await schema.remove();
  });
  const rows = Array.from({ length: hours }, (_, i) =>
    workRow(1, 'worker-1', { bucketAt: dayBegin + i * hourMs }),
  );
  await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], work: rows }), startAt);
  return { schema, store, query: (text, values) => run(client, text, values) };
}

/** The same, and all of it summed. */
async function summed(hours: number): Promise<Summed> {
  const made = await worked(hours);
  while (await made.store.keepSums(dayBegin + hours * hourMs));
  return made;
}

const completedBy = async (store: Store, period: { since?: number; until?: number } = {}) =>
  (await store.sumWork(period)).reduce((sum, { completed }) => sum + completed, 0);

test('questions about what is over read no rows', async () => {
  const { schema, store } = await summed(30);
  await schema.ask('delete from work');
  const since = dayBegin + 5 * hourMs;
  expect(await completedBy(store)).toBe(30);
  expect(await completedBy(store, { since })).toBe(25);
  expect(await completedBy(store, { since, until: dayBegin + 28 * hourMs })).toBe(23);
  // Within an hour its rows are read.
  expect(await completedBy(store, { since: since + 10 * secondMs })).toBe(24);
});

test('a job that is removed takes only the sums of its own time along', async () => {
  const { schema, store } = await summed(60);
  const late = workRow(2, 'worker-1', { bucketAt: dayBegin + 50 * hourMs });
  await store.commit(batch({ sequence: 2, work: [late] }), startAt);
  while (await store.keepSums(dayBegin + 72 * hourMs));
  await store.commit(batch({ sequence: 3, deletedJobs: [2] }), startAt);
  expect(await completedBy(store)).toBe(60);
  const left = 'select span_ms, count(*)::int as n from work_sums group by 1 order by 1';
  expect(await schema.ask(left)).toEqual([
    { span_ms: `${hourMs}`, n: 59 },
    { span_ms: `${dayMs}`, n: 2 },
  ]);
});

test('a job that is written with an older generation takes its sums along', async () => {
  const { store } = await summed(30);
  await store.commit(batch({ sequence: 2, jobs: [jobRow(1, { generation: 0 })] }), startAt);
  expect(await store.sumWork({})).toEqual([]);
});

test('a sum waits for a commit of its time that is not over, and holds what that has written', async () => {
  const { schema, store, query } = await worked(1);
  const bucketAt = dayBegin;
  await query('begin read write');
  await query('update work set completed = 7 where bucket_at = $1', [bucketAt]);
  const [drop] = dropChanged(batch({ work: [workRow(1, 'worker-1', { bucketAt })] }));
  await query(drop!.text, drop!.values);
  let isMade = false;
  const made = store.keepSums(dayBegin + hourMs).then(() => (isMade = true));
  await sleep(200);
  expect(isMade).toBe(false);
  await query('commit');
  await made;
  await schema.ask('delete from work');
  expect(await completedBy(store)).toBe(7);
});

test('while a commit takes long no sum is made, and nobody waits for one', async () => {
  const { store, query } = await worked(2);
  await query('begin read write');
  const [drop] = dropChanged(batch({ deletedJobs: [9] }));
  await query(drop!.text, drop!.values);
  expect(await store.keepSums(dayBegin + 2 * hourMs)).toBe(false);
  await query('commit');
  expect(await store.keepSums(dayBegin + 2 * hourMs)).toBe(true);
});

test('a sum of which something changed while it was made is not kept', async () => {
  const { schema, store, query } = await worked(1);
  const span = { spanMs: hourMs, beginsAt: dayBegin };
  const draft = '00000000-0000-0000-0000-000000000001';
  const more = workRow(1, 'worker-1', { bucketAt: dayBegin, completed: 2 });
  const sums = await store.sumWork({});
  const write = async (work: () => Promise<void>) => {
    await query('begin read write');
    await work();
    await query('commit');
  };
  const announce = () => write(() => announceSum(query, span, draft));
  const keep = () => write(() => keepSum(query, span, draft, sums));
  await announce();
  await store.commit(batch({ sequence: 2, work: [more] }), startAt);
  await keep();
  expect(await schema.ask('select 1 from work_sums')).toEqual([]);
  // Announced by two, it is kept of the later one.
  await announce();
  while (await store.keepSums(dayBegin + hourMs));
  await keep();
  await schema.ask('delete from work');
  expect(await completedBy(store)).toBe(3);
});
