// Several coordinators on one database, as the database tells them of one another.

import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { batch, jobRow, startAt } from '../conformance/rows.ts';
import type { Membership } from '../membership.ts';
import type { Store } from '../store.ts';
import { joinPostgres, openPostgresStore } from './open.ts';
import { makeSchema } from './testing/schemas.ts';

test('a new database has no leader, and whoever takes over from there is one', async () => {
  const { join } = place();
  const one = await join();
  const before = await one.membership.look();
  expect(before.position).toMatchObject({ sequence: 0, isOver: true });
  expect(before.term).toMatchObject({ epoch: 0, coordinator: null });
  const store = await one.lead(before);
  await store.confirm();
  const { position, term, recentTerms } = await one.membership.look();
  expect(position.isOver).toBe(false);
  expect(position.sequence).toBeGreaterThan(0);
  expect(term).toMatchObject({ epoch: 1, ended: null, coordinator: one.self });
  expect(recentTerms).toBe(1);
});

test('of two that take over from the same place one is refused, and what it has seen is over', async () => {
  const { join } = place();
  const [one, two] = [await join(), await join()];
  const seen = await two.membership.look();
  await one.lead(seen);
  await expect(two.lead(seen)).rejects.toMatchObject({ code: 'store_locked' });
  await one.close();
  const after = await two.membership.look();
  expect(after.position.isOver).toBe(true);
  expect(after.term.ended).toBe('resigned');
  await two.lead(after);
});

test('a takeover shuts out whoever has led, with all that it had written', async () => {
  const { join } = place();
  const [one, two] = [await join(), await join()];
  const first = await one.lead(await one.membership.look());
  await first.load();
  await first.commit(batch({ jobs: [jobRow(1)] }), startAt);
  // Until it beats again: a log that is written to meanwhile is not where it was seen.
  const second = await vi.waitFor(async () => two.lead(await two.membership.look()), 10_000);
  expect((await second.load()).jobs.map(({ spec }) => spec.id)).toEqual([jobRow(1).spec.id]);
  const late = first.commit(batch({ sequence: 2, jobs: [jobRow(2)] }), startAt);
  await expect(late).rejects.toMatchObject({ code: 'store_deposed' });
});

test('whoever was shut out is told so without a write of its own', async () => {
  const { join } = place();
  const [one, two] = [await join(), await join()];
  const { failed } = await one.takeOver(await one.membership.look());
  await vi.waitFor(async () => two.lead(await two.membership.look()), 10_000);
  expect(await failed).toMatchObject({ code: 'store_deposed' });
});

test('who follows does not take over a database that a newer version has changed meanwhile', async () => {
  const { join, ask } = place();
  const one = await join();
  await ask(`insert into migrations (version, name) values (999, 'of a newer one')`);
  const seen = await one.membership.look();
  await expect(one.lead(seen)).rejects.toMatchObject({ code: 'store_newer' });
  await ask('delete from migrations where version = 999');
  await one.lead(seen);
});

test('members are seen, with what has become of them, until they leave', async () => {
  const { join } = place();
  const [one, two] = [await join(), await join()];
  const row = { version: '1', mayLead: true, workers: 0 };
  await one.membership.beSeen({ ...one.self, ...row });
  await two.membership.beSeen({ ...two.self, ...row, mayLead: false });
  await two.membership.beSeen({ ...two.self, ...row, mayLead: false, workers: 7 });
  const { coordinators, at } = await one.membership.look();
  const expected = [
    { ...one.self, ...row },
    { ...two.self, ...row, mayLead: false, workers: 7 },
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(coordinators).toMatchObject(expected);
  for (const { seenAt } of coordinators) expect(at - seenAt).toBeLessThan(60_000);
  await two.membership.leave(two.self.id);
  expect((await one.membership.look()).coordinators).toMatchObject([one.self]);
});

test('a coordinator that was not seen for an hour is forgotten', async () => {
  const { join, ask } = place();
  const [one, two] = [await join(), await join()];
  const row = { version: '1', mayLead: true, workers: 0 };
  await one.membership.beSeen({ ...one.self, ...row });
  await ask(`update coordinators set seen_at = seen_at - 3600001`);
  await two.membership.beSeen({ ...two.self, ...row });
  expect((await two.membership.look()).coordinators).toMatchObject([two.self]);
});

test('a coordinator that was started anew is not there twice', async () => {
  const { join, ask } = place();
  const [before, after] = [await join(), await join()];
  const row = { version: '1', mayLead: true, workers: 0, url: 'http://one:8000' };
  await before.membership.beSeen({ id: before.self.id, ...row });
  await after.membership.beSeen({ id: after.self.id, ...row });
  // Both say that they are there: somebody has given two the same address.
  expect((await after.membership.look()).coordinators).toHaveLength(2);
  await ask(`update coordinators set seen_at = seen_at - 5001 where id = '${before.self.id}'`);
  await after.membership.beSeen({ id: after.self.id, ...row });
  expect((await after.membership.look()).coordinators).toMatchObject([{ id: after.self.id }]);
});

test('whoever is alone stands in the log without an address', async () => {
  const { join, address } = place();
  const one = await join();
  const lone = await openPostgresStore(address);
  onTestFinished(() => lone.close());
  const { term, position } = await one.membership.look();
  expect(term.coordinator).toBeNull();
  expect(position.isOver).toBe(false);
});

test('all members know the same secret, and those of another database another one', async () => {
  const [here, elsewhere] = [place(), place()];
  const [one, two, other] = [await here.join(), await here.join(), await elsewhere.join()];
  expect(one.membership.secret).toBe(two.membership.secret);
  expect(one.membership.secret).toMatch(/^[0-9a-f]{64}$/);
  expect(other.membership.secret).not.toBe(one.membership.secret);
});

function place() {
  const schema = makeSchema();
  const { address } = schema;
  const open: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of open) await close();
    await schema.remove();
  });
  const join = async () => {
    const membership: Membership = await joinPostgres(address);
    const id = randomUUID();
    const self = { id, url: `http://127.0.0.1/${id}` };
    const stores: Store[] = [];
    const close = async () => {
      for (const store of stores.splice(0)) await store.close();
    };
    open.push(close, () => membership.close());
    const takeOver = async ({ position }: Awaited<ReturnType<Membership['look']>>) => {
      const taken = await membership.takeOver(position, self);
      stores.push(taken.store);
      return taken;
    };
    const lead = async (look: Awaited<ReturnType<Membership['look']>>) =>
      (await takeOver(look)).store;
    return { membership, self, takeOver, lead, close };
  };
  return { join, address, ask: schema.ask };
}
