// Three coordinators on one database, of which one leads: whoever dies, freezes or is cut off, each task is accepted
// once, and nothing that was acknowledged is lost.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import type { JobSummary } from '../../src/client/index.ts';
import { Cluster, type ClusterOptions } from '../support/cluster.ts';
import type { ClusterMember } from '../support/cluster-member.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { eventually } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';
import { askStore, storedFaults } from '../support/stored-cluster.ts';

const left = { code: 0, signal: null };
const killed = { code: null, signal: 'SIGKILL' };
let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await makeServer();
});

afterAll(() => server.remove());

interface Three {
  readonly cluster: Cluster;
  readonly schema: string;
  /** From each member to the database. */
  readonly lines: readonly FaultyLine[];
  /** From the other members to each. */
  readonly doors: readonly FaultyLine[];
}

async function three({ workers = 2 }: ClusterOptions = {}): Promise<Three> {
  const schema = `cluster_${++schemas}`;
  const store = inSchema(server.url, schema);
  const [lines, doors]: [FaultyLine[], FaultyLine[]] = [[], []];
  for (let i = 0; i < 3; i++) {
    lines.push(await lineTo(server.url));
    // Where they lead is known when the member has its port.
    doors.push(await lineTo(server.url));
  }
  const cluster = await Cluster.start({
    coordinators: 3,
    workers,
    slots: 3,
    store: (member) => lines[member]!.through(store),
    advertise: (url, member) => {
      doors[member]!.leadTo(url);
      return doors[member]!.url;
    },
  });
  return { cluster, schema, lines, doors };
}

async function lineTo(url: string): Promise<FaultyLine> {
  const line = await FaultyLine.to(url);
  onTestFinished(() => line.close());
  return line;
}

/** Follows the job through a member. */
function follow({ client }: ClusterMember, { id }: JobSummary): ResultReader {
  return new ResultReader(client.resultLines(id, { follow: true }));
}

function numberOf({ members }: Cluster, member: ClusterMember): number {
  return members.indexOf(member);
}

/** Resolves when a leader has said that it is one no more. */
function follows({ process }: ClusterMember): Promise<unknown> {
  return eventually(
    () => process.stderr,
    (told) => told.includes('This coordinator leads no more'),
  );
}

function termsOf(schema: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return askStore(server.url, schema, 'select url, ended from SCHEMA.terms order by epoch');
}

/** The job has ended with all results, every member says the same, and so does the database when all have left. */
async function expectSound(
  { cluster, schema }: Three,
  job: JobSummary,
  reader: ResultReader,
): Promise<void> {
  await reader.readAll();
  expectEveryResultOnce(reader.results, job.task_count);
  for (const { client } of cluster.members) {
    expect(await client.job(job.id)).toMatchObject({
      status: 'completed',
      counts: { completed: job.task_count, failed: 0, pending: 0, assigned: 0, running: 0 },
    });
  }
  for (const { process } of cluster.members) process.signal('SIGTERM');
  const ends = await Promise.all(cluster.members.map(({ process }) => process.ended));
  expect(ends).toEqual(cluster.members.map(() => left));
  expect(await storedFaults(server.url, schema)).toEqual([]);
}

test('any member takes everything, and all answer the same', async () => {
  const all = await three();
  const { cluster } = all;
  const [one, other] = await cluster.followers();
  const job = await one!.client.submit(squares(120, 10));
  const reader = follow(other!, job);
  await reader.read(10);
  expect((await other!.client.workers()).map(({ id }) => id).toSorted()).toEqual(
    cluster.workers.map(({ id }) => id).toSorted(),
  );
  const long = await other!.client.submit(squares(1_000, 200));
  expect(await one!.client.cancel(long.id)).toMatchObject({ status: 'cancelled' });
  for (const { client } of cluster.members) {
    expect(await client.job(long.id)).toMatchObject({ status: 'cancelled' });
  }
  expect(await one!.client.deleteJob(long.id)).toMatchObject({ status: 'deleted' });
  const leader = await cluster.leader();
  await expect(leader.client.job(long.id)).rejects.toMatchObject({ code: 'unknown_job' });
  await expectSound(all, job, reader);
});

test('a killed leader is followed by another, with all that was acknowledged, and a killed follower is nobody’s loss', async () => {
  const all = await three();
  const { cluster } = all;
  const leader = await cluster.leader();
  const [one, other] = await cluster.followers();
  const job = await leader.client.submit(squares(600, 15));
  const reader = follow(one!, job);
  await reader.read(60);
  const small = await other!.client.submit({ ...squares(3, 1), name: 'small' });
  await leader.kill();
  expect(await leader.process.ended).toEqual(killed);
  const before = reader.results.length;
  // Whoever lost its coordinator waits for it; those of the other members go on with the next leader.
  await reader.read(before + 60);
  const next = await cluster.leader();
  expect(next).not.toBe(leader);
  const kept = follow(next, small);
  await kept.readAll();
  expectEveryResultOnce(kept.results, 3);
  await leader.serve();
  const follower = (await cluster.followers()).find((member) => member !== one)!;
  await follower.kill();
  await reader.read(reader.results.length + 60);
  await follower.serve();
  await expectSound(all, job, reader);
});

test('all are restarted one after the other under a job, and who leads resigns', async () => {
  const all = await three();
  const { cluster, schema } = all;
  const last = await cluster.leader();
  const order = [...(await cluster.followers()), last];
  const job = await last.client.submit(squares(900, 15));
  const reader = follow(last, job);
  for (const member of order) {
    await reader.read(reader.results.length + 60);
    member.process.signal('SIGTERM');
    expect(await member.process.ended).toEqual(left);
    await member.serve();
    await cluster.leader();
  }
  expect(await cluster.leader()).not.toBe(last);
  expect((await termsOf(schema))[0]).toMatchObject({ url: last.advertised, ended: 'resigned' });
  expect(await termsOf(schema)).toHaveLength(2);
  await expectSound(all, job, reader);
});

test('a leader that froze writes nothing when it wakes, and follows', async () => {
  const all = await three();
  const { cluster, schema } = all;
  const frozen = await cluster.leader();
  const [one] = await cluster.followers();
  const job = await one!.client.submit(squares(900, 15));
  const reader = follow(one!, job);
  await reader.read(60);
  frozen.freeze();
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  const next = await cluster.leader();
  const term = await newestTerm(schema);
  frozen.wake();
  await follows(frozen);
  expect(await frozen.client.job(job.id)).toMatchObject({ id: job.id });
  expect(await cluster.leader()).toBe(next);
  const since = `select distinct term from SCHEMA.commits where sequence >=
    (select min(sequence) from SCHEMA.commits where term = '${term}')`;
  expect(await askStore(server.url, schema, since)).toEqual([{ term }]);
  await expectSound(all, job, reader);
});

test('a leader whose line to the database is cut goes on, and one whose line stands still is followed by another', async () => {
  const all = await three();
  const { cluster, schema, lines } = all;
  const leader = await cluster.leader();
  const [one] = await cluster.followers();
  const line = lines[numberOf(cluster, leader)]!;
  const job = await one!.client.submit(squares(900, 15));
  const reader = follow(one!, job);
  for (const fault of [() => line.cut(), () => void (line.answersToLose = 1)]) {
    await reader.read(reader.results.length + 60);
    fault();
  }
  await reader.read(reader.results.length + 60);
  expect(await termsOf(schema)).toHaveLength(1);
  line.hold('back');
  await reader.read(reader.results.length + 60);
  const next = await cluster.leader();
  expect(next).not.toBe(leader);
  line.release();
  await follows(leader);
  // The other direction: what the new leader says never arrives.
  const second = lines[numberOf(cluster, next)]!;
  second.hold('there');
  await eventually(
    () => termsOf(schema),
    ({ length }) => length === 3,
  );
  second.release();
  await expectSound(all, job, reader);
});

test('between members lines are cut, lose answers and stand still, and each submission makes one job', async () => {
  const all = await three();
  const { cluster, schema, doors } = all;
  const leader = await cluster.leader();
  const [one, other] = await cluster.followers();
  const door = doors[numberOf(cluster, leader)]!;
  const job = await one!.client.submit(squares(600, 15));
  const reader = follow(one!, job);
  const faults: readonly (() => void)[] = [
    () => door.cut(),
    () => void (door.answersToLose = 1),
    () => door.delay(100, 'there', 'back'),
    () => door.hold('back'),
    () => door.hold('there', 'back'),
  ];
  const ids: string[] = [];
  for (const fault of faults) {
    await reader.read(reader.results.length + 40);
    const submitted = other!.client.submit({ ...squares(3, 1), name: 'small' });
    fault();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    door.release();
    door.delay(0, 'there', 'back');
    ids.push((await submitted).id);
  }
  const stored = (await cluster.client.jobs()).map(({ id }) => id);
  expect(stored.toSorted()).toEqual([job.id, ...ids].toSorted());
  expect(await termsOf(schema)).toHaveLength(1);
  await expectSound(all, job, reader);
});

test('a restart of the database is a pause, in which nobody takes over', async () => {
  const all = await three();
  const { cluster, schema } = all;
  const leader = await cluster.leader();
  const [one] = await cluster.followers();
  const job = await one!.client.submit(squares(600, 15));
  const reader = follow(one!, job);
  for (let i = 0; i < 2; i++) {
    await reader.read(reader.results.length + 60);
    await server.kill();
    await server.start();
  }
  await reader.read(reader.results.length + 60);
  expect(await cluster.leader()).toBe(leader);
  expect(await termsOf(schema)).toHaveLength(1);
  await expectSound(all, job, reader);
});

async function newestTerm(schema: string): Promise<string> {
  const newest = 'select term from SCHEMA.commits order by sequence desc limit 1';
  const [row] = await askStore(server.url, schema, newest);
  return row!['term'] as string;
}

test('what has ended is read through the other members while the leader freezes, is killed, and nobody leads', async () => {
  const all = await three();
  const { cluster } = all;
  const leader = await cluster.leader();
  const [one, other] = await cluster.followers();
  const count = 300;
  // Larger than what sockets take in advance.
  const job = await one!.client.submit(squares(count, 1, 100_000));
  const reader = follow(one!, job);
  await reader.readAll();
  const first = new ResultReader(one!.client.resultLines(job.id, { patienceMs: 0 }));
  const second = new ResultReader(other!.client.resultLines(job.id, { patienceMs: 0 }));
  await first.read(10);
  leader.freeze();
  await second.read(10);
  await first.read(100);
  leader.wake();
  await leader.kill();
  expect(await leader.process.ended).toEqual(killed);
  // Begun while nobody leads, and gone on with by the next leader as well.
  const third = new ResultReader(one!.client.resultLines(job.id, { patienceMs: 0 }));
  await third.read(10);
  const exported = await fetch(`${other!.url}/api/evaluation/attempts?format=ndjson`);
  expect(exported.status).toBe(200);
  expect((await exported.text()).trim().split('\n')).toHaveLength(count);
  await cluster.leader();
  const readers = [first, second, third];
  for (const each of readers) await each.readAll();
  for (const each of readers) {
    expectEveryResultOnce(each.results, count);
    expect(each.texts.join('\n') === first.texts.join('\n')).toBe(true);
  }
  await leader.serve();
  await cluster.leader();
  const again = follow(other!, job);
  await expectSound(all, job, again);
});
