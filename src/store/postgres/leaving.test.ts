// A process that leaves while its database hangs.

import { expect, onTestFinished, test } from 'vitest';
import { FaultyLine } from '../../../test/support/faulty-line.ts';
import { batch, jobRow, startAt } from '../conformance/rows.ts';
import { joinPostgres, openPostgresStore } from './open.ts';
import { makeSchema } from './testing/schemas.ts';

const job = jobRow(1, { taskCount: 1 });
const unanswered = expect.objectContaining({ code: 'store_unanswered' }) as unknown;
const lateMs = 7_000;

test.each(['there', 'back'] as const)(
  'whoever leaves waits some seconds for a database that is silent (%s), and no commit is told as written or not',
  async (direction) => {
    const { line, address, ask } = await behindLine();
    const leaving = new AbortController();
    const store = await openPostgresStore(address, { leaving: leaving.signal });
    await store.load();
    await store.commit(batch({ jobs: [job] }), startAt);
    line.hold(direction);
    const next = batch({ sequence: 2, jobs: [jobRow(2)] });
    const write = store.commit(next, startAt).catch((error: unknown) => error);
    const read = store.listTasks(1, 0, 10).catch((error: unknown) => error);
    const leftAt = performance.now();
    leaving.abort();
    expect(await write).toEqual(unanswered);
    expect(await read).toMatchObject({ code: 'store_unreachable' });
    await store.close();
    expect(performance.now() - leftAt).toBeLessThan(lateMs);
    // What was acknowledged is there, and what was not may be.
    const stored = (await ask('select key::int from jobs order by key')).map(({ key }) => key);
    expect(stored.slice(0, 1)).toEqual([1]);
    line.release();
  },
  20_000,
);

test('whoever leaves a database that answers leaves in order', async () => {
  const { address, ask } = await behindLine();
  const leaving = new AbortController();
  const store = await openPostgresStore(address, { leaving: leaving.signal });
  leaving.abort();
  await store.commit(batch({ jobs: [job] }), startAt);
  await store.close();
  expect(await ask('select ended from terms')).toEqual([{ ended: 'resigned' }]);
});

test('a takeover that hangs is given up by whoever leaves, and so is what the cluster is told', async () => {
  const { line, address } = await behindLine();
  const leaving = new AbortController();
  const membership = await joinPostgres(address, { leaving: leaving.signal });
  const { position } = await membership.look();
  line.hold('back');
  const self = { id: '00000000-0000-7000-8000-000000000001', url: 'http://127.0.0.1:1' };
  const taken = membership.takeOver(position, self).catch((error: unknown) => error);
  const leftAt = performance.now();
  leaving.abort();
  expect(await taken).toMatchObject({ name: 'StoreFault' });
  expect(performance.now() - leftAt).toBeLessThan(lateMs);
  await membership.leave(self.id);
  await membership.close();
  expect(performance.now() - leftAt).toBeLessThan(11_000);
}, 20_000);

test('a database to which no connection comes about keeps nobody who leaves', async () => {
  const { line, address } = await behindLine();
  const leaving = new AbortController();
  const store = await openPostgresStore(address, { leaving: leaving.signal, connections: 1 });
  await store.load();
  await store.commit(batch({ jobs: [job] }), startAt);
  line.hold('there', 'back');
  line.cut();
  const reads = [1, 2, 3].map(() => store.listTasks(1, 0, 10).catch((error: unknown) => error));
  const next = batch({ sequence: 2, jobs: [jobRow(2)] });
  const write = store.commit(next, startAt).catch((error: unknown) => error);
  const leftAt = performance.now();
  leaving.abort();
  expect(await write).toEqual(unanswered);
  for (const read of await Promise.all(reads)) expect(read).toMatchObject({ name: 'StoreFault' });
  await store.close();
  expect(performance.now() - leftAt).toBeLessThan(lateMs);
}, 20_000);

/** A schema whose connections go through a line. */
async function behindLine() {
  const schema = makeSchema();
  const line = await FaultyLine.to(schema.address);
  onTestFinished(async () => {
    line.close();
    await schema.remove();
  });
  return { line, address: line.through(schema.address), ask: schema.ask };
}
