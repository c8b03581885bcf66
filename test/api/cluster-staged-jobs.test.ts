// Jobs that are sent line by line to a member that follows: it reads the lines and puts the inputs in the database, and the
// leader decides by receipts. Who sends them is answered as by the leader.

import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import type { MemberStage } from '../../src/server/cluster/gateway.ts';
import { blobOf } from '../../src/store/conformance/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { type Couple, type Member, startCouple } from './support/members.ts';

const limits = { inputBytes: 70_000, inputsPerJob: 50_000, bodyBytes: 100_000 };
const store = openSqliteStore(':memory:');
const disk = { isFull: false, freeBytes: 9, floorBytes: 9, detail: 'The disk is nearly full.' };
const stageInputs = store.stageInputs.bind(store);
const seal = store.sealStaged.bind(store);

/** Inputs that the follower has stored, those that whoever decides has, and submissions that the follower has dropped. */
const seen = { staged: 0, own: 0, dropped: 0 };
/** Submissions that the leader has taken over, by their keys. */
const sealed = new Set<number>();
let failure: Error | null = null;
let losing = false;

const stage: MemberStage = {
  member: 'two',
  beginBlob: () => store.beginBlob(),
  stageInputs: async (jobKey, from, inputs, blobs) => {
    if (failure !== null) throw failure;
    if (losing && from > 0) return false;
    const isStaged = await stageInputs(jobKey, from, inputs, blobs);
    seen.staged += inputs.length;
    return isStaged;
  },
  dropStaged: async (jobKey) => {
    seen.dropped++;
    // As in a database of several members: what was sealed is the leader's.
    if (!sealed.has(jobKey)) await store.dropStaged(jobKey);
  },
};

let couple: Couple;
let admin: string;
beforeAll(async () => {
  const own: typeof stageInputs = (jobKey, from, inputs, blobs) => {
    seen.own += inputs.length;
    return stageInputs(jobKey, from, inputs, blobs);
  };
  const sealStaged: typeof store.sealStaged = async (jobKey, count, by) => {
    expect(by === undefined || by === stage.member).toBe(true);
    sealed.add(jobKey);
    return seal(jobKey, count, by);
  };
  Object.assign(store, { stageInputs: own, sealStaged });
  couple = await startCouple({ limits, stage, disk, audit: 'on', holdMs: 2_000 }, store);
  admin = await make({ kind: 'admin' });
});
afterAll(() => couple.close());
beforeEach(() => {
  Object.assign(seen, { staged: 0, own: 0, dropped: 0 });
  disk.isFull = false;
  failure = null;
  losing = false;
});

async function make(asked: TokenAsked): Promise<string> {
  const made = await couple.coordinator.tokens.create(asked);
  if (!made.ok) throw new Error(made.rejection.detail);
  return made.value.token;
}

interface Heard {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Record<string, unknown>;
}

interface Begun {
  readonly asked: ClientRequest;
  readonly heard: Promise<Heard>;
}

type Headers = Record<string, string | number>;

function begin({ url }: Member, headers: Headers = {}): Begun {
  const type = { 'content-type': 'application/x-ndjson' };
  const asked = request(`${url}/api/jobs`, {
    method: 'POST',
    headers: { ...bearer(admin), ...type, ...headers },
    agent: false,
  });
  const heard = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject);
  }).then(async (answer) => {
    const { date: _, ...rest } = answer.headers;
    return { status: answer.statusCode!, headers: rest, body: JSON.parse(await text(answer)) };
  });
  heard.catch(() => undefined);
  asked.on('error', () => undefined);
  return { asked, heard };
}

/** In pieces, without a length. */
function send(member: Member, body: string | Buffer, headers: Headers = {}): Promise<Heard> {
  const { asked, heard } = begin(member, { 'transfer-encoding': 'chunked', ...headers });
  asked.end(body);
  return heard;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const program = { kind: 'javascript', source: 'export default (n) => n' };
const head = `${JSON.stringify({ program })}\n`;
const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `${from + i}\n`).join('');

async function eventually(is: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await is()); tries++) {
    expect(tries).toBeLessThan(500);
    await sleep(10);
  }
}

/** A client some of whose inputs are stored. */
async function underWay(token = admin, headers: Headers = {}): Promise<Begun> {
  const begun = begin(couple.follower, { ...bearer(token), ...headers });
  begun.asked.write(head + numbers(20_000));
  await eventually(() => seen.staged > 10_000);
  return begun;
}

async function newestJob(): Promise<unknown> {
  const answer = await fetch(`${couple.leader.url}/api/jobs?limit=1`, { headers: bearer(admin) });
  return ((await answer.json()) as { readonly id: string }[])[0]!.id;
}

async function inputsOf(id: unknown, indices: readonly number[]): Promise<readonly string[]> {
  const { jobs } = await store.readVisitors(
    {
      jobs: new Set([id as string]),
      tasks: new Map(),
      workers: new Set(),
      idempotencyKeys: new Set(),
      blobs: new Set(),
    },
    { has: () => false },
    0,
  );
  return store.readInputs(jobs[0]!.spec.key, indices);
}

test('its inputs are put in the database there, and the leader only names them', async () => {
  const { status, headers, body } = await send(couple.follower, head + numbers(30_000));
  expect([status, body['task_count']]).toEqual([201, 30_000]);
  expect(headers['location']).toBe(`/api/jobs/${body['id']}`);
  expect(seen).toMatchObject({ staged: 30_000, own: 0 });
  expect(await inputsOf(body['id'], [0, 999, 1_000, 29_999])).toEqual([
    '0',
    '999',
    '1000',
    '29999',
  ]);
  expect(await newestJob()).toBe(body['id']);
});

test('so are those of a body whose length is known', async () => {
  const body = head + numbers(49_000);
  const headers = { 'content-length': Buffer.byteLength(body) };
  const { asked, heard } = begin(couple.follower, headers);
  asked.end(body);
  expect((await heard).status).toBe(201);
  expect(seen).toMatchObject({ staged: 49_000, own: 0 });
});

test('few inputs come with the commit of their job, and a short body is passed on as it is', async () => {
  const few = await send(couple.follower, `${head}1\n"é"\n`);
  expect([few.status, few.body['task_count']]).toEqual([201, 2]);
  expect(await inputsOf(few.body['id'], [0, 1])).toEqual(['1', '"é"']);
  const { asked, heard } = begin(couple.follower, { 'content-length': head.length + 2 });
  asked.end(`${head}1\n`);
  expect((await heard).body['task_count']).toBe(1);
  expect(seen).toEqual({ staged: 0, own: 0, dropped: 0 });
});

test('what a client says of staging is nothing but text', async () => {
  for (const member of [couple.leader, couple.follower]) {
    const headers = { 'x-muster-staged': '7', 'x-muster-job-key': '1' };
    expect((await send(member, `${head}1\n`, headers)).status).toBe(201);
  }
});

test('it is followed from there', async () => {
  const asked = request(`${couple.follower.url}/api/jobs?follow=true`, {
    method: 'POST',
    headers: {
      ...bearer(admin),
      'content-type': 'application/x-ndjson',
      'transfer-encoding': 'chunked',
    },
    agent: false,
  });
  asked.on('error', () => undefined);
  onTestFinished(() => void asked.destroy());
  asked.end(head + numbers(3_000));
  const [answer] = await new Promise<[IncomingMessage]>((resolve) => {
    asked.once('response', (...given) => resolve(given));
  });
  const [first] = await new Promise<[Buffer]>((resolve) => {
    answer.once('data', (...given) => resolve(given));
  });
  answer.on('error', () => undefined);
  expect(answer.statusCode).toBe(201);
  expect(JSON.parse(first.toString().split('\n')[0]!)).toMatchObject({
    job: { task_count: 3_000 },
  });
  expect(seen).toMatchObject({ staged: 3_000, own: 0 });
});

describe('a key', () => {
  test.each([
    ['few', 3],
    ['many', 5_000],
  ])('makes one job of %s inputs, whoever is asked', async (what, count) => {
    const { leader, follower } = couple;
    const headers = { 'idempotency-key': `key-${what}` };
    const body = head + numbers(count);
    const first = await send(follower, body, headers);
    expect(first.status).toBe(201);
    for (const member of [leader, follower]) {
      expect((await send(member, body, headers)).body['id']).toBe(first.body['id']);
    }
    const other = await send(follower, head + numbers(count, 1), headers);
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
    expect(await inputsOf(first.body['id'], [0, count - 1])).toEqual(['0', `${count - 1}`]);
  });
});

describe('it is answered as by the leader:', () => {
  async function both(ask: (member: Member) => Promise<Heard>): Promise<Heard> {
    const direct = await ask(couple.leader);
    seen.own = 0;
    expect(await ask(couple.follower)).toEqual(direct);
    expect(seen.own).toBe(0);
    return direct;
  }

  const many = numbers(4_000);
  test.each<[string, string | Buffer]>([
    ['nothing at all', ''],
    ['an empty first line', `\n${head}1`],
    ['a first line that is not JSON', `job\n${many}`],
    ['a first line that is not UTF-8', Buffer.concat([Buffer.from([0x22, 0xff, 0x22, 0x0a])])],
    ['a job with inputs in the first line', `${JSON.stringify({ program, inputs: [1] })}\n${many}`],
    ['a job without a program', `{}\n${many}`],
    ['an unknown field', `${JSON.stringify({ program, x: 1 })}\n${many}`],
    ['no input', head],
    ['no input but empty lines', `${head}\n\n\n`],
    ['an input that is not JSON', `${head}1\n2\nthree\n4`],
    ['an input that is not JSON, behind many', `${head}${many}three\n4`],
    ['a line in the middle that is empty', `${head}${many}\n3`],
    ['a number that is none', `${head}1\n[1e999]`],
    ['too deep nesting', `${head}${'['.repeat(3000)}${']'.repeat(3000)}`],
    [
      'priorities for few other inputs',
      `${JSON.stringify({ program, task_priorities: [1] })}\n1\n2`,
    ],
    ['priorities for many', `${JSON.stringify({ program, task_priorities: [1] })}\n${many}`],
    ['more inputs than a job may have', head + numbers(50_001)],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from(`${head}"`), Buffer.from([0xff, 0x22])]),
    ],
    ['an input over its limit', `${head}1\n"${'x'.repeat(80_000)}"\n2`],
    ['an input that never ends', `${head}"${'x'.repeat(3_000_000)}`],
    ['a job over its limit', `{"x":"${'x'.repeat(120_000)}"}\n1`],
    ['a blob that is not there', `${head}${many}{"$blob":"${'ab'.repeat(32)}"}\n${many}`],
  ])('%s', async (_what, body) => {
    const { status } = await both((member) => send(member, body));
    expect(status).toBeGreaterThanOrEqual(413);
    expect(status).toBeLessThan(423);
  });

  test('a compressed body, and a key that is none', async () => {
    for (const headers of [{ 'content-encoding': 'gzip' }, { 'idempotency-key': 'a b' }]) {
      expect((await both((member) => send(member, head + many, headers))).status).toBe(422);
    }
    expect(seen.staged).toBe(0);
  });

  test('nobody who is known, or who may', async () => {
    expect((await both((member) => send(member, head + many, bearer('none')))).status).toBe(401);
    const viewer = bearer(await make({ kind: 'viewer' }));
    expect((await both((member) => send(member, head + many, viewer))).status).toBe(403);
    expect(seen.staged).toBe(0);
  });

  test('a full disk', async () => {
    disk.isFull = true;
    expect((await both((member) => send(member, head + many))).status).toBe(507);
    expect(seen.staged).toBe(0);
  });

  test('a blob of somebody else', async () => {
    const { sha256, bytes } = blobOf(100);
    await store.putBlob(sha256, bytes, Date.now());
    const token = bearer(await make({ kind: 'client', owner: 'dora' }));
    const body = `${head}${many}{"$blob":"${sha256}"}\n`;
    const refused = await both((member) => send(member, body, token));
    expect([refused.status, refused.body['detail']]).toEqual([
      422,
      expect.stringContaining(`inputs[4000] refers to the blob ${sha256}`),
    ]);
    const taken = await send(couple.follower, body);
    expect([taken.status, taken.body['task_count']]).toEqual([201, 4_001]);
  });

  test('more than the owner may keep; but what was accepted before is told', async () => {
    const asked = { kind: 'client', owner: 'ann' } as const;
    const room = bearer(await make({ ...asked, quota: { stored_bytes: 60_000 } }));
    const headers = { ...room, 'idempotency-key': 'kept' };
    const first = await send(couple.follower, head + numbers(10_000), headers);
    expect(first.status).toBe(201);
    const refused = await both((member) => send(member, head + numbers(30_000), room));
    expect([refused.status, refused.body['code']]).toEqual([429, 'quota_exceeded']);
    expect(refused.body['detail']).toContain('quota stored_bytes');
    const again = await send(couple.follower, head + numbers(10_000), headers);
    expect([again.status, again.body['id']]).toEqual([201, first.body['id']]);
  });
});

test('nothing of it stays when the client leaves', async () => {
  const before = await newestJob();
  const { asked } = await underWay();
  asked.destroy();
  await eventually(() => seen.dropped === 1);
  expect(await newestJob()).toBe(before);
});

test('a token that is revoked meanwhile ends it', async () => {
  const token = await make({ kind: 'client', owner: 'cara' });
  const { asked, heard } = await underWay(token);
  await couple.coordinator.tokens.revoke(token.split('_')[2]!);
  asked.write(numbers(5_000));
  expect([(await heard).status, (await heard).body['code']]).toEqual([503, 'leader_changed']);
  expect((await send(couple.follower, head + numbers(3_000), bearer(token))).status).toBe(401);
  await eventually(() => seen.dropped === 1);
});

test('what there is no room for is not stored any more', async () => {
  const quota = { stored_bytes: 100_000 };
  const token = await make({ kind: 'client', owner: 'eve', quota });
  const { asked, heard } = await underWay(token);
  await eventually(() => {
    asked.write(numbers(1_000));
    return seen.dropped === 1;
  });
  const { staged } = seen;
  asked.end(numbers(3_000));
  expect([(await heard).status, (await heard).body['quota']]).toEqual([429, 'stored_bytes']);
  expect(seen).toMatchObject({ staged, own: 0 });
});

test('inputs that the database has lost are missed, and the SDK sends all of them again', async () => {
  losing = true;
  const told: string[] = [];
  const client = connect(couple.follower.url, { token: admin });
  const inputs = Array.from({ length: 40_000 }, (_, i) => i);
  const job = await client.submitStream({ program } as never, inputs, {
    onInterruption: ({ message }) => {
      losing = false;
      told.push(message);
    },
  });
  expect(told).toEqual([expect.stringContaining('Send it again')]);
  expect(await inputsOf(job.id, [39_999])).toEqual(['39999']);
  expect(seen.dropped).toBeGreaterThanOrEqual(1);
});

async function leadAgain(term: string): Promise<void> {
  const { leader, follower } = couple;
  leader.cluster.lead(term);
  follower.cluster.follow(leader.place(term));
  await eventually(() => follower.cluster.isReady);
}

test('another leader knows nothing of it: it is to be sent again, and nothing stays', async () => {
  const { asked, heard } = await underWay(admin, { 'idempotency-key': 'twice' });
  const before = await newestJob();
  await leadAgain('term-2');
  // What was under way with the one before is cut.
  await sleep(300);
  asked.end(numbers(1_000));
  const { status, body, headers } = await heard;
  expect([status, body['code'], headers['retry-after']]).toEqual([503, 'leader_changed', '1']);
  expect(body['detail']).toContain('nothing of it was kept; send it again');
  await eventually(() => seen.dropped === 1);
  expect(await newestJob()).toBe(before);
  const again = await send(couple.follower, head + numbers(20_000), { 'idempotency-key': 'twice' });
  expect([again.status, again.body['task_count']]).toEqual([201, 20_000]);
});

test('after the last receipt nobody knows what became of it, and sent again it is one job', async () => {
  const commit = store.commit.bind(store);
  const committing = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  Object.assign(store, {
    commit: async (...given: Parameters<typeof commit>) => {
      if (given[0].payloads.some(({ staged }) => staged !== undefined)) {
        committing.resolve();
        await held.promise;
      }
      await commit(...given);
    },
  });
  onTestFinished(() => void Object.assign(store, { commit }));
  const body = head + numbers(3_000);
  const sent = send(couple.follower, body, { 'idempotency-key': 'late' });
  await committing.promise;
  await leadAgain('term-3');
  const told = await sent;
  expect([told.status, told.body['code']]).toEqual([503, 'leader_changed']);
  expect(told.body['detail']).toContain('not known whether this took effect');
  await eventually(() => seen.dropped === 1);
  held.resolve();
  const again = await send(couple.follower, body, { 'idempotency-key': 'late' });
  expect([again.status, again.body['id']]).toEqual([201, await newestJob()]);
  expect(await inputsOf(again.body['id'], [0, 2_999])).toEqual(['0', '2999']);
  expect(seen.own).toBe(0);
});

test('before anything was read of it, it waits for the next leader', async () => {
  const { leader, follower } = couple;
  follower.cluster.follow({ ...leader.place('term-4'), url: 'http://127.0.0.1:1' });
  const sent = send(follower, head + numbers(3_000));
  await sleep(300);
  expect(seen.staged).toBe(0);
  await leadAgain('term-5');
  expect((await sent).status).toBe(201);
  expect(seen).toMatchObject({ staged: 3_000, own: 0 });
});

test('a database that this member cannot write is a fault of its own', async () => {
  failure = Object.assign(new Error('no room'), { code: 'store_write_failed' });
  const { status } = await send(couple.follower, head + numbers(3_000));
  expect(status).toBeGreaterThanOrEqual(500);
  await eventually(async () => (await send(couple.leader, `${head}1\n`)).status === 201);
});
