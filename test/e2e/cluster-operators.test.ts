// What operators do with three coordinators, and what they see, while one of them does not reach the database.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import type { JobSubmission } from '../../src/client/index.ts';
import { Cluster } from '../support/cluster.ts';
import type { ClusterMember } from '../support/cluster-member.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { eventually } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';
import { storedFaults } from '../support/stored-cluster.ts';

const left = { code: 0, signal: null };
/** As long as whoever is stopped may take, with what a busy machine adds to it. */
const stopMs = 14_000;
let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await makeServer();
});

afterAll(() => server.remove());

interface Three {
  readonly cluster: Cluster;
  readonly schema: string;
  /** From a member to the database. */
  readonly lineOf: (member: ClusterMember) => FaultyLine;
}

async function three(workers: number, isSecure = false): Promise<Three> {
  const schema = `operators_${++schemas}`;
  const store = inSchema(server.url, schema);
  const lines: FaultyLine[] = [];
  for (let i = 0; i < 3; i++) {
    const line = await FaultyLine.to(server.url);
    onTestFinished(() => line.close());
    lines.push(line);
  }
  const cluster = await Cluster.start({
    coordinators: 3,
    workers,
    slots: 3,
    isSecure,
    store: (member) => lines[member]!.through(store),
  });
  const lineOf = (member: ClusterMember) => lines[cluster.members.indexOf(member)]!;
  return { cluster, schema, lineOf };
}

/** One request, without the repeats of the client; null: no answer came. */
async function submit(
  { url }: ClusterMember,
  job: JobSubmission,
  key: string,
): Promise<{ status: number; code?: string; id?: string } | null> {
  try {
    const response = await fetch(`${url}/api/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(job),
    });
    const body = (await response.json()) as { code?: string; id?: string };
    return { status: response.status, ...body };
  } catch {
    return null;
  }
}

async function readiness({ url }: ClusterMember): Promise<{ status: number; detail?: string }> {
  const response = await fetch(`${url}/readyz`);
  const { detail } = (await response.json()) as { detail?: string };
  return { status: response.status, ...(detail === undefined ? {} : { detail }) };
}

test.each(['back', 'there'] as const)(
  'a leader that is stopped while its database is silent (%s) ends within seconds, and nothing is lost',
  async (direction) => {
    const { cluster, schema, lineOf } = await three(1);
    const leader = await cluster.leader();
    const [one] = await cluster.followers();
    const job = await leader.client.submit(squares(300, 15));
    const reader = new ResultReader(one!.client.resultLines(job.id, { follow: true }));
    await reader.read(20);
    const line = lineOf(leader);
    line.hold(direction);
    const small = { ...squares(3, 1), name: 'small' };
    const asked = submit(leader, small, 'small-1');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const stoppedAt = performance.now();
    leader.process.signal('SIGTERM');
    expect(await leader.process.ended).toEqual(left);
    expect(performance.now() - stoppedAt).toBeLessThan(stopMs);
    // Nobody was told that it is done: it is not known, or was not begun, since its key could not be looked up.
    const answer = await asked;
    if (answer !== null) {
      expect(answer.status).toBe(503);
      expect(['leader_changed', 'busy', 'shutting_down']).toContain(answer.code);
    }
    line.release();
    const next = await cluster.leader();
    expect(next).not.toBe(leader);
    const again = await submit(next, small, 'small-1');
    expect(again).toMatchObject({ id: expect.any(String) as string });
    const jobs = await next.client.jobs();
    expect(jobs.map(({ id }) => id).toSorted()).toEqual([job.id, again!.id!].toSorted());
    await reader.readAll();
    expectEveryResultOnce(reader.results, job.task_count);
    const rest = cluster.members.filter((member) => member !== leader);
    for (const { process } of rest) process.signal('SIGTERM');
    expect(await Promise.all(rest.map(({ process }) => process.ended))).toEqual([left, left]);
    expect(await storedFaults(server.url, schema)).toEqual([]);
  },
);

test('a member that is cut off from the database says so within seconds, and is ready again by itself', async () => {
  const { cluster, lineOf } = await three(0);
  const leader = await cluster.leader();
  const [follower, other] = await cluster.followers();
  const shown = cluster.run(['cluster', '--url', follower!.url]);
  expect(await shown.ended).toEqual(left);
  expect(shown.stdout).toContain(leader.url);
  expect(shown.stderr).toContain(`asked at ${follower!.url}`);
  for (const member of [follower!, leader]) {
    await eventually(
      () => readiness(member),
      ({ status }) => status === 200,
    );
    const line = lineOf(member);
    line.hold('there', 'back');
    const cutAt = performance.now();
    const { detail } = await eventually(
      () => readiness(member),
      ({ status }) => status === 503,
    );
    expect(detail).toContain('The database has not answered this coordinator for seconds');
    expect(performance.now() - cutAt).toBeLessThan(8_000);
    // A leader that cannot write tells no figures: it waits whether it is one still.
    if (member === follower) {
      const metrics = await fetch(`${member.url}/metrics`);
      expect(await metrics.text()).toContain('muster_cluster_is_cut_off 1');
    }
    expect((await readiness(other!)).detail ?? '').not.toContain('has not answered');
    line.release();
    await eventually(
      () => readiness(member),
      ({ status }) => status === 200,
    );
  }
  // Each of them takes what is asked again.
  for (const { client } of cluster.members) {
    expect(await client.submit(squares(1, 1))).toMatchObject({ status: 'pending' });
  }
});

test('under TLS, each with a certificate of its own, requests are passed on, trunks stand, and a killed leader is followed', async () => {
  const { cluster, schema } = await three(3, true);
  const leader = await cluster.leader();
  const [one, other] = await cluster.followers();
  expect(new Set(cluster.members.map(({ pin }) => pin)).size).toBe(3);
  // A worker at each: those of the followers come over their trunks.
  const { members } = await leader.client.cluster();
  expect(members.map(({ url }) => url).toSorted()).toEqual(
    cluster.members.map(({ address }) => address).toSorted(),
  );
  await eventually(
    () => leader.client.cluster(),
    (seen) => seen.members.every(({ workers }) => workers === 1),
  );
  const asked = await one!.client.cluster();
  expect(members.find(({ id }) => id === asked.asked)?.url).toBe(one!.address);
  const job = await one!.client.submit(squares(600, 15));
  const reader = new ResultReader(other!.client.resultLines(job.id, { follow: true }));
  await reader.read(60);
  await leader.kill();
  expect(await leader.process.ended).toEqual({ code: null, signal: 'SIGKILL' });
  await reader.read(120);
  const next = await cluster.leader();
  expect(next).not.toBe(leader);
  const second = next === one ? other! : one!;
  const small = await second.client.submit(squares(3, 1));
  expect(await next.client.job(small.id)).toMatchObject({ id: small.id });
  // It comes back with the certificate that it had, and follows.
  const { pin } = leader;
  await leader.serve();
  expect(leader.pin).toBe(pin);
  await reader.readAll();
  expectEveryResultOnce(reader.results, job.task_count);
  for (const { client } of cluster.members) {
    expect(await client.job(job.id)).toMatchObject({ status: 'completed' });
  }
  for (const { process } of cluster.members) process.signal('SIGTERM');
  const ends = await Promise.all(cluster.members.map(({ process }) => process.ended));
  expect(ends).toEqual([left, left, left]);
  expect(await storedFaults(server.url, schema)).toEqual([]);
});
