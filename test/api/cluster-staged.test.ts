// Blobs that are sent to a member that follows: it puts the bytes in the database, and the leader decides by receipts. Who
// sends them is answered as by the leader.

import { createHash, randomBytes } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { StageDraft } from '../../src/coordinator/port/blobs.ts';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { MemberStage } from '../../src/server/cluster/gateway.ts';
import { type Couple, type Member, startCouple } from './support/members.ts';

const limits = { blobBytes: 4_000_000 };
const store = openSqliteStore(':memory:');
const disk = { isFull: false, freeBytes: 9, floorBytes: 9, detail: 'The disk is nearly full.' };

/** Drafts of the follower, and those of whoever decides. */
const seen = { staged: 0, stagedBytes: 0, abandoned: 0, own: 0 };
let failure: Error | null = null;
const noInputs = {
  member: 'two',
  stageInputs: () => Promise.reject(new Error('no job was sent')),
  dropStaged: () => Promise.reject(new Error('no job was sent')),
};

const stage: MemberStage = {
  ...noInputs,
  beginBlob(): StageDraft {
    seen.staged++;
    const draft = store.beginBlob();
    seen.own--;
    return {
      append: async (bytes) => {
        if (failure !== null) throw failure;
        seen.stagedBytes += bytes.length;
        await draft.append(bytes);
      },
      stage: () => draft.stage(),
      abandon: () => {
        seen.abandoned++;
        draft.abandon();
      },
    };
  },
};

let couple: Couple;
let admin: string;
beforeAll(async () => {
  const beginBlob = store.beginBlob.bind(store);
  Object.assign(store, {
    beginBlob: () => {
      seen.own++;
      return beginBlob();
    },
  });
  couple = await startCouple({ limits, stage, disk, audit: 'on', holdMs: 2_000 }, store);
  admin = await make({ kind: 'admin' });
});
afterAll(() => couple.close());
beforeEach(() => {
  Object.assign(seen, { staged: 0, stagedBytes: 0, abandoned: 0, own: 0 });
  disk.isFull = false;
  failure = null;
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

function begin(
  { url }: Member,
  sha256: string,
  headers: Record<string, string | number> = {},
): Begun {
  const asked = request(`${url}/api/blobs/${sha256}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${admin}`, ...headers },
    agent: false,
  });
  const heard = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject);
  }).then(async (answer) => {
    const { date: _, ...rest } = answer.headers;
    return { status: answer.statusCode!, headers: rest, body: JSON.parse(await text(answer)) };
  });
  heard.catch(() => undefined);
  return { asked, heard };
}

/** In pieces, without a length. */
async function put(
  member: Member,
  bytes: Buffer,
  headers: Record<string, string | number> = {},
  sha256 = hashOf(bytes),
): Promise<Heard> {
  const { asked, heard } = begin(member, sha256, headers);
  asked.on('error', () => undefined);
  asked.end(bytes);
  return heard;
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const chunked = { 'transfer-encoding': 'chunked' };

async function eventually(is: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await is()); tries++) {
    expect(tries).toBeLessThan(500);
    await sleep(10);
  }
}

/** A client of whose bytes something is on its way. */
async function underWay(token: string, bytes: Buffer) {
  const upload = begin(couple.follower, hashOf(bytes), bearer(token));
  upload.asked.on('error', () => undefined);
  upload.asked.write(bytes.subarray(0, 1_000_000));
  await eventually(() => seen.stagedBytes === 1_000_000);
  return upload;
}

test('its bytes are put in the database there, and the leader only names them', async () => {
  const { leader, follower } = couple;
  const bytes = randomBytes(3_000_000);
  const { status, body } = await put(follower, bytes);
  expect([status, body]).toEqual([201, { sha256: hashOf(bytes), size_bytes: bytes.length }]);
  expect(seen).toMatchObject({ staged: 1, stagedBytes: bytes.length, own: 0 });
  const answer = await fetch(`${leader.url}/api/blobs/${hashOf(bytes)}`, {
    headers: bearer(admin),
  });
  expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), bytes)).toBe(0);
});

test('bytes that are there are only compared with their hash', async () => {
  const { follower } = couple;
  const bytes = randomBytes(600_000);
  expect((await put(follower, bytes)).status).toBe(201);
  expect((await put(follower, bytes)).status).toBe(200);
  expect(seen).toMatchObject({ staged: 1, stagedBytes: bytes.length, own: 0 });
  const wrong = await put(follower, randomBytes(600_000), {}, hashOf(bytes));
  expect([wrong.status, wrong.body['code']]).toEqual([422, 'validation_failed']);
});

test('a short one is passed on as it is', async () => {
  expect(
    (await put(couple.follower, randomBytes(100_000), { 'content-length': 100_000 })).status,
  ).toBe(201);
  expect(seen).toMatchObject({ staged: 0, own: 1 });
});

test('what a client says of staging is nothing but text', async () => {
  const bytes = randomBytes(500);
  for (const member of [couple.leader, couple.follower]) {
    const { status } = await put(member, bytes, { 'x-muster-staged': '7', ...chunked });
    expect([200, 201]).toContain(status);
  }
});

describe('it is answered as by the leader:', () => {
  const many = randomBytes(700_000);

  async function both(ask: (member: Member) => Promise<Heard>): Promise<Heard> {
    const direct = await ask(couple.leader);
    seen.own = 0;
    expect(await ask(couple.follower)).toEqual(direct);
    expect(seen.own).toBe(0);
    return direct;
  }

  test('another hash', async () => {
    const refused = await both((member) => put(member, many, {}, 'ab'.repeat(32)));
    expect(refused.body['detail']).toContain(`700000 bytes is ${hashOf(many)}, not abab`);
    await eventually(() => seen.abandoned === 1);
  });

  test('no name of a blob', async () => {
    expect((await both((member) => put(member, many, {}, 'report.csv'))).status).toBe(422);
    expect(seen.staged).toBe(0);
  });

  test('a compressed body', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await both((member) => put(member, many, headers))).status).toBe(422);
    expect(seen.staged).toBe(0);
  });

  test('too large, announced or not', async () => {
    const large = randomBytes(4_400_000);
    for (const headers of [{ 'content-length': large.length }, chunked]) {
      const refused = await both((member) => put(member, large, headers));
      expect([refused.status, refused.body['code']]).toEqual([413, 'payload_too_large']);
    }
    await eventually(() => seen.abandoned === 1);
  });

  test('nobody who is known', async () => {
    const nobody = { authorization: 'Bearer none' };
    expect((await both((member) => put(member, many, nobody))).status).toBe(401);
    const viewer = bearer(await make({ kind: 'viewer' }));
    expect((await both((member) => put(member, many, viewer))).status).toBe(403);
    expect(seen.staged).toBe(0);
  });

  test('a full disk', async () => {
    disk.isFull = true;
    expect((await both((member) => put(member, many))).status).toBe(507);
    expect(seen.staged).toBe(0);
  });

  test('more than the owner may keep', async () => {
    const token = await make({ kind: 'client', owner: 'ann', quota: { stored_bytes: 500_000 } });
    const answers = [couple.leader, couple.follower].map((member) =>
      put(member, many, { ...bearer(token), ...chunked }),
    );
    for (const { status, body } of await Promise.all(answers)) {
      expect([status, body['code']]).toEqual([429, 'quota_exceeded']);
      expect(body['detail']).toContain('quota stored_bytes');
    }
  });
});

async function storedBytes(token: string): Promise<number> {
  const answer = await fetch(`${couple.leader.url}/api/quota`, { headers: bearer(token) });
  const { quotas } = (await answer.json()) as { quotas: { name: string; used: number }[] };
  return quotas.find(({ name }) => name === 'stored_bytes')!.used;
}

test('what is on its way counts for the owner, and no more when the client leaves', async () => {
  const { follower } = couple;
  const token = await make({ kind: 'client', owner: 'bob', quota: { stored_bytes: 1_500_000 } });
  const upload = await underWay(token, randomBytes(2_000_000));
  const another = randomBytes(900_000);
  // The last of it is told when more has come.
  await eventually(async () => (await storedBytes(token)) >= 1_000_000 - 256 * 1024);
  expect((await put(follower, another, bearer(token))).status).toBe(429);
  upload.asked.destroy();
  await eventually(async () => (await put(follower, another, bearer(token))).status === 201);
  await eventually(() => seen.abandoned === seen.staged);
});

test('a token that is revoked meanwhile ends it', async () => {
  const token = await make({ kind: 'client', owner: 'cara' });
  const bytes = randomBytes(2_000_000);
  const { asked, heard } = await underWay(token, bytes);
  await couple.coordinator.tokens.revoke(token.split('_')[2]!);
  asked.write(bytes.subarray(1_000_000, 1_400_000));
  expect((await heard).status).toBe(401);
  await eventually(() => seen.abandoned === 1);
});

test('a disk that fills up meanwhile refuses it', async () => {
  const bytes = randomBytes(2_000_000);
  const { asked, heard } = await underWay(admin, bytes);
  disk.isFull = true;
  asked.write(bytes.subarray(1_000_000, 1_400_000));
  expect((await heard).status).toBe(507);
  await eventually(() => seen.abandoned === 1);
});

async function leadAgain(term: string): Promise<void> {
  const { leader, follower } = couple;
  leader.cluster.lead(term);
  follower.cluster.follow(leader.place(term));
  await eventually(() => follower.cluster.isReady);
}

test('it goes on with the next leader', async () => {
  const bytes = randomBytes(2_000_000);
  const { asked, heard } = await underWay(admin, bytes);
  await leadAgain('term-2');
  // What was under way with the one before is cut.
  await sleep(300);
  asked.end(bytes.subarray(1_000_000));
  expect((await heard).status).toBe(201);
  expect(seen).toMatchObject({ staged: 1, stagedBytes: bytes.length });
});

test('each leader that is gone is waited for anew, however long it took the body', async () => {
  const bytes = randomBytes(2_000_000);
  const { asked, heard } = await underWay(admin, bytes);
  await leadAgain('term-of-a-while');
  // As long as a request is held.
  await sleep(2_200);
  await leadAgain('term-after-it');
  await sleep(300);
  asked.end(bytes.subarray(1_000_000));
  expect((await heard).status).toBe(201);
  expect(seen).toMatchObject({ staged: 1, stagedBytes: bytes.length });
});

test('without another leader it is told that nothing was done, and nothing stays', async () => {
  const { leader, follower } = couple;
  const { asked, heard } = await underWay(admin, randomBytes(2_000_000));
  follower.cluster.follow({ ...leader.place('term-3'), url: 'http://127.0.0.1:1' });
  onTestFinished(() => leadAgain('term-4'));
  asked.write(randomBytes(100_000));
  const { status, body, headers } = await heard;
  expect([status, body['code'], headers['retry-after']]).toEqual([503, 'shutting_down', '1']);
  await eventually(() => seen.abandoned === 1);
});

test('a database that this member cannot write is a fault of its own', async () => {
  failure = Object.assign(new Error('no room'), { code: 'store_write_failed' });
  const { status } = await put(couple.follower, randomBytes(700_000));
  expect(status).toBeGreaterThanOrEqual(500);
  expect(seen.abandoned).toBe(1);
});
