import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Address, parseAddress } from '../driver/address.ts';
import { connect, run } from '../driver/session.ts';
import { migrate } from '../migrations/migrate.ts';
import { makeSchema } from '../testing/schemas.ts';
import { CommitLog } from './commit-log.ts';
import { ServerSession } from './server-session.ts';
import { takeOver } from './take-over.ts';

const config = { text: 'update meta set config = $1', values: ['"theirs"'] };

test('whoever was shut out writes nothing any more, and is told so', async () => {
  const { open, ask } = await place();
  const first = await open();
  await first.log.beat();
  const second = await open();
  const write = first.log.commit((newest) => ({ entry: newest, statements: [config] }));
  await expect(write).rejects.toMatchObject({ code: 'store_deposed' });
  await expect(first.log.confirm()).rejects.toMatchObject({ code: 'store_deposed' });
  await second.log.beat();
  expect(await ask('select config from meta')).toEqual([{ config: null }]);
  expect(await ask('select distinct term from commits where sequence > 1')).toHaveLength(2);
});

test('whoever was shut out finds out before it answers from memory', async () => {
  const { open } = await place();
  const first = await open();
  await first.log.beat();
  await first.log.confirm();
  const second = await open();
  await sleep(600);
  await expect(first.log.confirm()).rejects.toMatchObject({ code: 'store_deposed' });
  await second.log.confirm();
});

test('of two that begin at once one works on the database', async () => {
  const { open } = await place();
  for (let round = 0; round < 10; round++) {
    const outcomes = await Promise.allSettled([open(), open(), open()]);
    const good: CommitLog[] = [];
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') good.push(outcome.value.log);
      else expect(outcome.reason).toMatchObject({ code: 'store_locked' });
    }
    const written = await Promise.allSettled(good.map((log) => log.beat()));
    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  }
});

test('a database that has lost its newest commits is not written to by who has made them', async () => {
  const { open, ask } = await place();
  const { log } = await open();
  await log.beat();
  await log.beat();
  await ask(`delete from commits where sequence = ${log.newest.sequence}`);
  await expect(log.beat()).rejects.toMatchObject({ code: 'store_lost_commits' });
  await ask('update meta set config = null');
  await expect(log.beat()).rejects.toMatchObject({ code: 'store_lost_commits' });
});

test('whoever takes over after a loss is not mistaken for the one before, though it has come as far', async () => {
  const { open, ask } = await place();
  const first = await open();
  await first.log.beat();
  await ask(`delete from commits where sequence = ${first.log.newest.sequence}`);
  const second = await open();
  expect(second.log.newest.sequence).toBe(first.log.newest.sequence);
  await expect(first.log.beat()).rejects.toMatchObject({ code: 'store_deposed' });
  await second.log.beat();
});

test('whoever is frozen with the log in its hands does not keep the next one out', async () => {
  const { open, client } = await place();
  await open();
  const frozen = await client();
  await frozen.query(
    'begin read write; update terms set ended = null; insert into commits select sequence + 1, term, batch, at, 1, 1, 1 from commits order by sequence desc limit 1',
  );
  const next = await open();
  await next.log.beat();
  await expect(frozen.query('commit')).rejects.toThrow(/terminat|not queryable/);
});

test('a commit of which one statement fails writes nothing, and is the last', async () => {
  const { open, ask } = await place();
  const { log } = await open();
  const { sequence } = log.newest;
  const wrong = { text: 'insert into programs (sha256, json) values ($1, null)', values: ['ab'] };
  const write = log.commit((newest) => ({ entry: newest, statements: [config, wrong, config] }));
  await expect(write).rejects.toThrow('null value in column "json"');
  expect(await ask('select config from meta')).toEqual([{ config: null }]);
  expect(await ask('select max(sequence)::int as sequence from commits')).toEqual([{ sequence }]);
  await expect(log.beat()).rejects.toThrow('null value');
});

test('a commit that is cancelled by somebody is made again', async () => {
  const { open, ask, client } = await place();
  const { log } = await open();
  const other = await client();
  await other.query('begin read write; lock table meta');
  const write = log.commit((newest) => ({ entry: { ...newest, batch: 7 }, statements: [config] }));
  const blocked = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'
    and cardinality(pg_blocking_pids(pid)) > 0 and query like 'update meta%'`;
  await vi.waitUntil(async () => (await ask(blocked)).length > 0, { timeout: 20_000 });
  await other.query('rollback');
  await write;
  expect(await ask('select config from meta')).toEqual([{ config: '"theirs"' }]);
  expect(await ask('select count(*)::int as n from commits where batch = 7')).toEqual([{ n: 1 }]);
});

test('a commit that cannot begin writes nothing of what comes behind its beginning', async () => {
  const { open, ask } = await place();
  const { log } = await open();
  await ask('alter table commits add check (batch = 0)');
  const write = log.commit((newest) => ({ entry: { ...newest, batch: 7 }, statements: [config] }));
  await expect(write).rejects.toThrow('check constraint');
  expect(await ask('select config from meta')).toEqual([{ config: null }]);
});

test('what is left of a commit whose beginning was cancelled is refused', async () => {
  const { open, client, ask } = await place();
  await open();
  const cancelled = await client();
  // What the server sees then: statements outside of a transaction, which would count one by one.
  await expect(run(cancelled, config.text, config.values)).rejects.toThrow('read-only transaction');
  expect(await ask('select config from meta')).toEqual([{ config: null }]);
});

test('old commits go with later ones, a thousand at a time, and the newest ten thousand stay', async () => {
  const { open, ask } = await place();
  const { log } = await open();
  // As if so many had been made by somebody before: a commit whose sequence is a round thousand is the next but one.
  await ask(
    `insert into commits select n, term, 0, null, 1, 1, 1 from generate_series(2, 20998) as n, terms`,
  );
  const next = await open();
  expect(next.log.newest.sequence).toBe(20_999);
  await expect(log.beat()).rejects.toMatchObject({ code: 'store_deposed' });
  await next.log.beat();
  const [row] = await ask(
    'select min(sequence)::int as oldest, count(*)::int as rows from commits',
  );
  expect(row).toEqual({ oldest: 11_001, rows: 10_000 });
  await next.log.beat();
});

test('commits that are asked for at once are made one after the other', async () => {
  const { open, ask } = await place();
  const { log } = await open();
  const first = log.newest.sequence;
  await Promise.all(Array.from({ length: 20 }, () => log.beat()));
  const [row] = await ask('select max(sequence)::int as newest from commits');
  expect(row).toEqual({ newest: first + 20 });
  await log.close();
  await expect(log.beat()).rejects.toMatchObject({ code: 'store_closed' });
  expect(await ask('select ended from terms')).toEqual([{ ended: 'resigned' }]);
});

/** A database with its tables, and a way to work on it that waits for nobody. */
async function place() {
  const schema = makeSchema();
  const address = parseAddress(schema.address);
  const clients: Client[] = [];
  onTestFinished(async () => {
    for (const client of clients) await client.end().catch(() => undefined);
    await schema.remove();
  });
  const first = await connectTo(address, clients);
  await migrate(first, address);
  const open = async () => {
    const client = await connectTo(address, clients);
    const entry = await takeOver(client, address, { member: randomUUID() }, { standstillMs: 0 });
    const { shown } = address;
    const reopen = () => ServerSession.open(address);
    return {
      log: new CommitLog(new ServerSession(client, address), entry, { shown, open: reopen }),
    };
  };
  return { open, ask: schema.ask, client: () => connectTo(address, clients) };
}

async function connectTo(address: Address, clients: Client[]): Promise<Client> {
  const client = await connect(address);
  clients.push(client);
  return client;
}
