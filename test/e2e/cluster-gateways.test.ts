// Workers at coordinators that do not lead: their sockets end there, and stay open when the leader changes. Whoever dies,
// freezes or is cut off, each task is accepted once, and no worker waits for ever.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import type { JobSummary } from '../../src/client/index.ts';
import { Cluster } from '../support/cluster.ts';
import type { ClusterMember } from '../support/cluster-member.ts';
import { async as counter, counting, undisturbed } from '../support/counting-job.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { eventually } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';
import { storedFaults } from '../support/stored-cluster.ts';

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await makeServer();
});

afterAll(() => server.remove());

interface Stage {
  readonly cluster: Cluster;
  readonly schema: string;
  readonly leader: ClusterMember;
  /** Each has a worker. */
  readonly gateways: readonly [ClusterMember, ClusterMember];
  /** From the other members to the leader. */
  readonly door: FaultyLine;
}

/** Three coordinators, and a worker at each that does not lead. */
async function stage(): Promise<Stage> {
  const schema = `gateways_${++schemas}`;
  const doors: FaultyLine[] = [];
  for (let i = 0; i < 3; i++) {
    const door = await FaultyLine.to(server.url);
    onTestFinished(() => door.close());
    doors.push(door);
  }
  const cluster = await Cluster.start({
    coordinators: 3,
    store: inSchema(server.url, schema),
    advertise: (url, member) => {
      doors[member]!.leadTo(url);
      return doors[member]!.url;
    },
  });
  const leader = await cluster.leader();
  const [one, other] = await cluster.followers();
  for (const { url } of [one!, other!]) await cluster.addWorker(3, url);
  const door = doors[cluster.members.indexOf(leader)]!;
  return { cluster, schema, leader, gateways: [one!, other!], door };
}

function follow({ client }: ClusterMember, { id }: JobSummary): ResultReader {
  return new ResultReader(client.resultLines(id, { follow: true }));
}

async function expectSound(
  { cluster, schema }: Stage,
  job: JobSummary,
  reader: ResultReader,
): Promise<void> {
  await reader.readAll();
  expectEveryResultOnce(reader.results, job.task_count);
  await cluster.onlineWorkers();
  for (const { process } of cluster.members) process.signal('SIGTERM');
  await Promise.all(cluster.members.map(({ process }) => process.ended));
  expect(await storedFaults(server.url, schema)).toEqual([]);
}

/** How often workers have lost their sockets. */
function losses({ cluster }: Stage): number {
  return cluster.workers
    .map(({ process }) => process.stdout.split('"disconnected"').length - 1)
    .reduce((sum, count) => sum + count, 0);
}

/** Workers whose sockets are at the member, as it says itself. */
async function socketsAt({ members }: Cluster, member: ClusterMember): Promise<number> {
  const looks = await Promise.all(members.map((each) => each.look()));
  const row = looks
    .flatMap((look) => look?.members ?? [])
    .find(({ url }) => url === member.advertised);
  return row?.workers ?? 0;
}

test('a job runs on workers that are elsewhere, with large inputs and states', async () => {
  const all = await stage();
  const { cluster, gateways } = all;
  await eventually(
    () => socketsAt(cluster, gateways[0]),
    (count) => count === 1,
  );
  const [one, other] = gateways;
  const texts = Array.from({ length: 12 }, (_, i) => `${i}`.repeat(300_000));
  const long = await one.client.submit({
    program: { kind: 'javascript', source: 'export default (text) => text.length' },
    inputs: texts,
  });
  for await (const { result } of one.client.resultLines(long.id, { follow: true })) {
    expect(result).toMatchObject({ value: texts[result.index]!.length });
  }
  // It stands still in the middle until its worker is gone, however long states take to arrive.
  const inputs = [{ steps: 40, hold: 20, ms: 50, noise: 30_000 }];
  const counted = await other.client.submit(counting(counter, inputs));
  await eventually(
    () => other.client.checkpoints(counted.id),
    ({ length }) => length > 2,
  );
  // Whoever has it dies, and the other goes on from the state.
  const [task] = await other.client.workers();
  const busy =
    (await other.client.workers()).find(({ active_tasks: active }) => active > 0) ?? task!;
  await cluster.workers.find(({ id }) => id === busy.id)!.process.kill();
  const reader = follow(one, counted);
  await reader.readAll();
  const [result] = reader.results;
  const taskId = result!.task_id;
  expect(result).toMatchObject({ value: { value: undisturbed(inputs[0]!, taskId) } });
  expect((result as { value: { from: number } }).value.from).toBeGreaterThan(0);
});

test('when the leader is killed, sockets at the other members stay open', async () => {
  const all = await stage();
  const { cluster, leader, gateways } = all;
  const job = await gateways[0].client.submit(squares(600, 15));
  const reader = follow(gateways[0], job);
  await reader.read(60);
  await leader.kill();
  await reader.read(reader.results.length + 100);
  const next = await cluster.leader();
  expect(next).not.toBe(leader);
  // That of the member that leads now is opened anew; the worker of the third was greeted.
  expect(losses(all)).toBe(1);
  await leader.serve();
  await expectSound(all, job, reader);
});

test('a member that is killed costs nothing but its sockets', async () => {
  const all = await stage();
  const { gateways, leader } = all;
  const job = await leader.client.submit(squares(600, 15));
  const reader = follow(leader, job);
  await reader.read(60);
  await gateways[0].kill();
  await reader.read(reader.results.length + 100);
  await gateways[0].serve();
  expect(losses(all)).toBeGreaterThanOrEqual(1);
  expect(await all.cluster.leader()).toBe(leader);
  await expectSound(all, job, reader);
});

test('a member that froze loses its workers’ sessions, and closes or greets them when it wakes', async () => {
  const all = await stage();
  const { gateways, leader } = all;
  const job = await leader.client.submit(squares(600, 15));
  const reader = follow(leader, job);
  await reader.read(60);
  gateways[0].freeze();
  // Longer than the leader waits for a sign of life on the trunk.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await reader.read(reader.results.length + 60);
  gateways[0].wake();
  await reader.read(reader.results.length + 60);
  expect(await all.cluster.leader()).toBe(leader);
  await expectSound(all, job, reader);
});

test('a trunk that is cut, or stands still, is followed by another', async () => {
  const all = await stage();
  const { cluster, gateways, leader, door } = all;
  const job = await leader.client.submit(squares(900, 15));
  const reader = follow(leader, job);
  await reader.read(60);
  door.cut();
  await reader.read(reader.results.length + 60);
  // Both were greeted.
  expect(losses(all)).toBe(0);
  door.hold('there', 'back');
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  door.release();
  await reader.read(reader.results.length + 60);
  expect(await cluster.leader()).toBe(leader);
  expect(await gateways[1].client.job(job.id)).toMatchObject({ id: job.id });
  await expectSound(all, job, reader);
});
