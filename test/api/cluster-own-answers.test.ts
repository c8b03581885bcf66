// What a member that follows answers itself, from the store alone: the same bytes as the leader, to the same people, and
// also while nobody leads.

import { createHash, randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import { createRealRuntime } from '../../src/coordinator/real-runtime.ts';
import { StandIn } from '../../src/coordinator/stand-in/stand-in.ts';
import type { Quotas } from '../../src/protocol/quotas.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { eventually, type Loose, program } from './support/live-server.ts';
import { type Couple, type Member, startCouple } from './support/members.ts';
import { ScriptedWorker } from './support/scripted-worker.ts';

/** The leader decides over a store that the follower reads. */
async function startReaders(): Promise<Couple> {
  const store = openSqliteStore(':memory:');
  const options = { audit: 'on', holdMs: 300 } as const;
  return startCouple(options, store, {}, ({ tokens }) => {
    const areNeeded = () => tokens.areNeeded;
    return new StandIn({ store, runtime: createRealRuntime(), areNeeded });
  });
}

interface Heard {
  readonly status: number;
  readonly headers: Record<string, Loose>;
  readonly body: Buffer;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

function open(url: string, { method = 'GET', headers = {} }: Asked = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method,
      headers: { host: 'localhost', ...headers },
      agent: false,
    });
    asked.once('error', reject).once('response', resolve).end();
  });
}

async function ask({ url }: Member, path: string, asked?: Asked): Promise<Heard> {
  const answer = await open(`${url}${path}`, asked);
  const { date: _, ...headers } = answer.headers;
  return { status: answer.statusCode!, headers, body: await buffer(answer) };
}

const codeOf = ({ body }: Heard) => (JSON.parse(body.toString()) as { readonly code: string }).code;

/** What became so far of what came to it. */
async function outcomesOf(member: Member, asked?: Asked) {
  const { body } = await ask(member, '/metrics', asked);
  const count = (outcome: string) =>
    Number(new RegExp(`passed_on_total\\{outcome="${outcome}"\\} (\\d+)`).exec(`${body}`)![1]);
  return { here: count('from_store'), passed: count('answered') };
}

async function submitted(
  { url }: Member,
  inputs: unknown,
  more: object = {},
  headers: object = {},
): Promise<string> {
  const answer = await fetch(`${url}/api/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ program, inputs, ...more }),
  });
  return ((await answer.json()) as { readonly id: string }).id;
}

/** Until the leader has told that it has ended. */
async function finish(leader: MusterClient, id: string): Promise<void> {
  await Array.fromAsync(leader.results(id, { follow: true }));
}

describe('without tokens', () => {
  let couple: Couple;
  let job: string;
  let openJob: string;
  let workerId: string;
  const blob = randomBytes(700_000);
  const hash = createHash('sha256').update(blob).digest('hex');
  beforeAll(async () => {
    couple = await startReaders();
    const { leader } = couple;
    const worker = await ScriptedWorker.connect(leader.url, ({ input }) =>
      (input as number) % 10 === 9 ? { error: `no ${input as number}` } : { value: [input] },
    );
    const inputs = Array.from({ length: 1_500 }, (_, i) => i);
    job = await submitted(leader, inputs, { max_attempts: 1, name: 'ended' });
    await finish(connect(leader.url), job);
    workerId = worker.id;
    worker.end();
    openJob = await submitted(leader, [1, 2], { name: 'open' });
    await fetch(`${leader.url}/api/blobs/${hash}`, { method: 'PUT', body: blob });
  });
  afterAll(() => couple.close());

  const path = (text: string) =>
    text.replace('JOB', job).replace('OPEN', openJob).replace('WORKER', workerId);

  async function compare(text: string, asked?: Asked) {
    const { leader, follower } = couple;
    const before = await outcomesOf(follower);
    const direct = await ask(leader, path(text), asked);
    expect(await ask(follower, path(text), asked)).toEqual(direct);
    const after = await outcomesOf(follower);
    return { direct, here: after.here - before.here, passed: after.passed - before.passed };
  }

  test.each<[string, Asked?]>([
    ['/api/jobs/JOB/results'],
    ['/api/jobs/JOB/results', { headers: { accept: 'application/x-ndjson' } }],
    ['/api/jobs/JOB/results?have=0-1400', { headers: { origin: 'https://elsewhere.example' } }],
    ['/api/jobs/JOB/results', { method: 'HEAD' }],
    ['/api/jobs/JOB/results?follow=true'],
    ['/api/jobs/JOB/results?follow=true&have=0-1498'],
    ['/api/workers/WORKER/failures'],
    ['/api/workers/WORKER/failures?limit=3'],
    ['/api/jobs/JOB'],
    ['/api/jobs/JOB?tasks=false'],
    ['/api/jobs/JOB/tasks?status=failed&limit=40'],
    ['/api/jobs/JOB/tasks?inputs=true&after=1300'],
    ['/api/jobs/JOB/task-map'],
    ['/api/jobs/JOB/errors'],
    ['/api/jobs/JOB/tasks/19'],
    ['/api/jobs/JOB/tasks/4000'],
    ['/api/jobs/JOB/tasks/19/output'],
    ['/api/jobs/JOB/program'],
    ['/api/jobs/JOB/tasks?limit=none'],
    ['/api/jobs'],
    ['/api/jobs?limit=1'],
    ['/api/jobs?handle=ended'],
    ['/api/checkpoints/job/JOB'],
    ['/api/checkpoints/recovery-events'],
    ['/api/evaluation/attempts?format=csv'],
    ['/api/evaluation/attempts?format=ndjson&job_id=OPEN'],
    ['/api/evaluation/attempts?format=ndjson&limit=3'],
    [`/api/blobs/${hash}`],
    ['/api/blobs/none'],
    [`/api/blobs/${hash}`, { method: 'HEAD' }],
    [`/api/blobs/${hash}`, { headers: { 'if-none-match': `"${hash}"` } }],
  ])('%s is answered here, %o', async (text, asked) => {
    const { here, passed } = await compare(text, asked);
    expect(passed).toBe(0);
    // What is refused before the route counts as nothing.
    expect(here).toBeLessThanOrEqual(1);
  });

  test.each<[string, Asked?]>([
    ['/api/jobs/OPEN'],
    ['/api/jobs/OPEN/results'],
    ['/api/jobs/OPEN/tasks/0'],
    ['/api/jobs/none/results'],
    ['/api/jobs/none'],
    ['/api/jobs/OPEN/results?follow=true', { method: 'HEAD' }],
    ['/api/workers/none/failures'],
    ['/api/jobs?heads=true'],
    ['/api/evaluation/attempts?format=csv&job_id=none'],
    [`/api/blobs/${'0'.repeat(64)}`],
    ['/api/limits'],
  ])('%s is passed on, %o', async (text, asked) => {
    expect(await compare(text, asked)).toMatchObject({ here: 0, passed: 1 });
  });

  test('what the leader has told is there, and what it has not is not', async () => {
    const { leader, follower } = couple;
    const worker = await ScriptedWorker.connect(leader.url, ({ input }) => ({ value: input }));
    onTestFinished(() => worker.end());
    const muster = connect(leader.url);
    for (let i = 0; i < 20; i++) {
      const id = await submitted(leader, [i]);
      await finish(muster, id);
      const before = await outcomesOf(follower);
      const { body } = await ask(follower, `/api/jobs/${id}/results`);
      expect(JSON.parse(body.toString())).toMatchObject([{ status: 'completed', value: i }]);
      expect((await outcomesOf(follower)).here).toBe(before.here + 1);
    }
    const id = await submitted(leader, [1]);
    await finish(muster, id);
    await muster.deleteJob(id);
    const gone = await ask(follower, `/api/jobs/${id}/results`);
    expect([gone.status, codeOf(gone)]).toEqual([404, 'unknown_job']);
  });

  test('while nobody leads, it goes on', async () => {
    const { leader, follower } = couple;
    const direct = await ask(leader, `/api/jobs/${job}/results`);
    follower.cluster.follow(null);
    onTestFinished(() => follower.cluster.follow(leader.place('term-1')));
    expect(await ask(follower, `/api/jobs/${job}/results`)).toEqual(direct);
    for (const unknown of [`/api/jobs/${openJob}`, '/api/jobs/none', '/api/stats']) {
      const refused = await ask(follower, unknown);
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    }
  });

  test('a job that is removed breaks off what is read of it, as at the leader', async () => {
    const { leader, follower } = couple;
    const worker = await ScriptedWorker.connect(leader.url, () => ({ value: 'x'.repeat(100_000) }));
    onTestFinished(() => worker.end());
    const muster = connect(leader.url);
    const id = await submitted(leader, { range: { start: 0, count: 300 } });
    await finish(muster, id);
    const ends = [leader, follower].map(async ({ url }) => {
      const answer = await open(`${url}/api/jobs/${id}/results`);
      answer.pause();
      return answer;
    });
    const answers = await Promise.all(ends);
    await muster.deleteJob(id);
    for (const answer of answers) await expect(buffer(answer)).rejects.toThrow('aborted');
  });
});

describe('with tokens', () => {
  let couple: Couple;
  let admin: string;
  let jobOfAnn: string;
  const tokens: Record<string, string> = {};
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const idOf = (token: string) => token.split('_')[2]!;
  const results = (id = jobOfAnn) => `/api/jobs/${id}/results`;

  async function make(asked: TokenAsked): Promise<string> {
    const made = await couple.coordinator.tokens.create(asked);
    if (!made.ok) throw new Error(made.rejection.detail);
    return made.value.token;
  }
  const client = (owner: string, quota: Quotas = {}) => make({ kind: 'client', owner, quota });

  beforeAll(async () => {
    couple = await startReaders();
    const worker = await ScriptedWorker.connect(couple.leader.url, () => ({
      value: 'x'.repeat(100_000),
    }));
    admin = await make({ kind: 'admin' });
    for (const owner of ['ann', 'bob']) tokens[owner] = await client(owner);
    const muster = connect(couple.leader.url, { token: tokens.ann! });
    const inputs = { range: { start: 0, count: 200 } };
    jobOfAnn = await submitted(couple.leader, inputs, {}, bearer(tokens.ann!).headers);
    await finish(muster, jobOfAnn);
    worker.end();
  });
  afterAll(() => couple.close());

  async function refusedAt(member: Member, token: string) {
    const { status, headers, body } = await ask(member, results(), bearer(token));
    return { status, headers, text: body.toString() };
  }

  test('who may is answered here, the same', async () => {
    const { leader, follower } = couple;
    for (const token of [tokens.ann!, admin]) {
      const before = await outcomesOf(follower, bearer(admin));
      const direct = await ask(leader, results(), bearer(token));
      expect(direct.status).toBe(200);
      expect(await ask(follower, results(), bearer(token))).toEqual(direct);
      expect((await outcomesOf(follower, bearer(admin))).here).toBe(before.here + 1);
    }
  });

  test('who may not is refused by the leader, the same, and it is written down there', async () => {
    const { leader, follower } = couple;
    const viewer = await make({ kind: 'viewer' });
    const revoked = await client('ann');
    await couple.coordinator.tokens.revoke(idOf(revoked));
    const expired = await make({ kind: 'client', owner: 'ann', expiresInMs: 1 });
    const wrong = `${tokens.ann!.slice(0, -1)}${tokens.ann!.endsWith('0') ? '1' : '0'}`;
    for (const token of [tokens.bob!, viewer, revoked, expired, wrong, 'none']) {
      const before = await outcomesOf(follower, bearer(admin));
      const refused = await refusedAt(follower, token);
      expect(refused).toEqual(await refusedAt(leader, token));
      expect(refused.status).toBeGreaterThanOrEqual(401);
      const after = await outcomesOf(follower, bearer(admin));
      expect([after.here - before.here, after.passed - before.passed]).toEqual([0, 1]);
    }
    const none = await ask(follower, results());
    expect([none.status, codeOf(none)]).toEqual([401, 'unauthorized']);
    // The same from either is one entry, which counts.
    const written = await eventually(
      async () => {
        const { body } = await ask(leader, '/api/audit?outcome=refused', bearer(admin));
        return JSON.parse(body.toString()) as { code: string; token_id: string; count: number }[];
      },
      (entries) => entries.length >= 4,
    );
    expect(written).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'forbidden', token_id: idOf(viewer), count: 2 }),
        expect.objectContaining({ code: 'unauthorized', token_id: idOf(revoked), count: 2 }),
      ]),
    );
  });

  test('a token that is revoked ends what it reads here', async () => {
    const { follower } = couple;
    const token = await client('ann');
    const answer = await open(`${follower.url}${results()}`, bearer(token));
    expect(answer.statusCode).toBe(200);
    // All of it would take a quarter of a minute.
    const slowly = async () => {
      for await (const _ of answer) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    const end = slowly().catch((error: Error) => error.message);
    await couple.coordinator.tokens.revoke(idOf(token));
    expect(await end).toBe('aborted');
    expect(await refusedAt(follower, token)).toMatchObject({ status: 401 });
  });

  test('more streams than its quota has are for the leader to refuse', async () => {
    const { follower } = couple;
    const token = await client('ann', { streams: 1 });
    const followed = (id: string) =>
      open(`${follower.url}${results(id)}?follow=true`, bearer(token));
    const first = await followed(jobOfAnn);
    expect(first.statusCode).toBe(200);
    // Here it has one open, and at the leader none.
    const openJob = await submitted(follower, [1], {}, bearer(token).headers);
    const second = await followed(openJob);
    expect(second.statusCode).toBe(200);
    const third = await ask(follower, `${results()}?follow=true`, bearer(token));
    expect([third.status, codeOf(third)]).toEqual([429, 'quota_exceeded']);
    for (const answer of [first, second]) answer.destroy();
  });

  test('more requests than its quota has are for the leader to refuse', async () => {
    const { follower } = couple;
    const token = await client('ann', { requests_per_second: 1 });
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      statuses.push((await ask(follower, results(), { method: 'HEAD', ...bearer(token) })).status);
      if (statuses.at(-1) === 429) break;
    }
    expect(statuses.at(0)).toBe(200);
    expect(statuses.at(-1)).toBe(429);
  });
});
