// What members believe of each other and of clients; signs of life, figures, and the cluster as a resource.

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { testCertificate } from '../support/test-certificate.ts';
import { withPin } from '../../src/transport/index.ts';
import { eventually, type Loose, startLiveServer } from './support/live-server.ts';
import {
  clusterSecret,
  type Couple,
  type Member,
  startCouple,
  startMember,
} from './support/members.ts';

let couple: Couple;
let tokens: { admin: string; client: string; viewer: string };
beforeEach(async () => {
  couple = await startCouple();
});
afterEach(() => couple.close());

async function makeTokens(): Promise<void> {
  const make = async (kind: 'admin' | 'client' | 'viewer') => {
    const made = await couple.coordinator.tokens.create({ kind });
    if (!made.ok) throw new Error(made.rejection.detail);
    return made.value.token;
  };
  tokens = {
    admin: await make('admin'),
    client: await make('client'),
    viewer: await make('viewer'),
  };
}

interface Heard {
  readonly status: number;
  readonly headers: Loose;
  readonly text: string;
  readonly body: Loose;
}

function ask({ url }: Pick<Member, 'url'>, method: string, path: string, headers = {}, body = '') {
  return new Promise<Heard>((resolve, reject) => {
    const asked = request(`${url}${path}`, { method, headers, agent: false });
    asked.once('error', reject);
    asked.once('response', (answer) => {
      text(answer).then((found) => {
        const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
        const { statusCode: status, headers: said } = answer;
        resolve({
          status: status!,
          headers: said,
          text: found,
          body: isJson && found !== '' ? JSON.parse(found) : undefined,
        });
      }, reject);
    });
    asked.end(body);
  });
}

const by = (token: string) => ({ authorization: `Bearer ${token}` });

test('tokens are asked for, by the leader', async () => {
  await makeTokens();
  const { follower } = couple;
  expect((await ask(follower, 'GET', '/api/jobs')).status).toBe(401);
  expect((await ask(follower, 'GET', '/api/jobs', by(tokens.client))).status).toBe(200);
  expect((await ask(follower, 'GET', '/api/tokens', by(tokens.client))).status).toBe(403);
  expect((await ask(follower, 'GET', '/api/tokens', by(`${tokens.admin}x`))).status).toBe(401);
});

test('a page logs in at any member, and its cookie is good at all', async () => {
  await makeTokens();
  const { leader, follower } = couple;
  const body = JSON.stringify({ token: tokens.client });
  const headers = { 'content-type': 'application/json' };
  const begun = await ask(follower, 'POST', '/api/session', headers, body);
  const cookie = begun.headers['set-cookie'][0].split(';')[0];
  for (const member of [leader, follower]) {
    const { status, body: session } = await ask(member, 'GET', '/api/session', { cookie });
    expect([status, session.kind]).toEqual([200, 'client']);
  }
  // With a session changes are made from pages of the address that was asked, which is the member's.
  const path = '/api/jobs/none';
  const foreign = { cookie, origin: 'http://elsewhere.example' };
  expect((await ask(follower, 'DELETE', path, foreign)).status).toBe(403);
  expect((await ask(follower, 'DELETE', path, { cookie })).status).toBe(403);
  expect((await ask(follower, 'DELETE', path, { cookie, origin: leader.url })).status).toBe(403);
  expect((await ask(follower, 'DELETE', path, { cookie, origin: follower.url })).status).toBe(404);
});

const pretended = {
  'x-forwarded-for': '192.0.2.1',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'elsewhere.example',
};

test('who pretends to pass something on is nobody, at any member', async () => {
  await makeTokens();
  const path = '/api/audit';
  const guessed = { ...pretended, 'x-muster-member': `${clusterSecret}x` };
  for (const member of [couple.leader, couple.follower]) {
    const headers = { ...guessed, ...by(tokens.admin), 'content-type': 'application/json' };
    const made = await ask(member, 'POST', '/api/tokens', headers, '{"kind":"client"}');
    expect(made.status).toBe(201);
    expect(made.headers).not.toHaveProperty('x-muster-known');
  }
  const { body } = await ask(couple.follower, 'GET', path, by(tokens.admin));
  const entries = body as Loose[];
  expect(entries.filter(({ action }) => action === 'token.create')).toHaveLength(2);
  expect(new Set(entries.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
});

test('what a member passes on is of the client who asked, at the name that it asked', async () => {
  const { leader } = couple;
  const headers = { ...pretended, 'x-muster-member': clusterSecret, host: 'other.example' };
  // Without tokens only this machine is served, and the client is of another one.
  const { status, body } = await ask(leader, 'GET', '/api/jobs', headers);
  expect([status, body.detail]).toEqual([
    403,
    'Without tokens this coordinator serves its own machine only, through a proxy as well.',
  ]);
  await makeTokens();
  const shown = { ...headers, ...by(tokens.viewer) };
  const watched = await ask(leader, 'GET', '/api/jobs', shown);
  expect([watched.status, watched.headers['x-muster-known']]).toEqual([200, '1']);
});

test('strangers are counted each by the address from which they asked a member', async () => {
  await makeTokens();
  const limits = { wrongTokens: 2 };
  const leader = await startMember('strict', couple.coordinator, { limits });
  onTestFinished(() => leader.server.close());
  leader.cluster.lead('term-7');
  const from = async (address: string) => {
    const headers = { ...pretended, 'x-forwarded-for': address, 'x-muster-member': clusterSecret };
    return (await ask(leader, 'GET', '/api/jobs', { ...headers, ...by('wrong') })).status;
  };
  const statuses = [];
  for (const last of [1, 1, 1, 2]) statuses.push(await from(`192.0.2.${last}`));
  expect(statuses).toEqual([401, 401, 429, 401]);
});

test('what a member passes on goes no further than one member', async () => {
  const { leader, follower } = couple;
  follower.cluster.follow(null);
  leader.cluster.follow(follower.place('term-2'));
  follower.cluster.follow(leader.place('term-3'));
  const { status, body } = await ask(follower, 'GET', '/api/jobs', {
    'x-muster-member': clusterSecret,
  });
  expect([status, body.code]).toEqual([503, 'shutting_down']);
  expect(body.detail).toMatch(/does not lead, and what another member passes on goes no further/);
});

test('two members that take each other for the leader tell a client that nobody leads', async () => {
  const [one, two] = [
    await startMember('one', undefined, { holdMs: 500 }),
    await startMember('two', undefined, { holdMs: 500 }),
  ];
  one.cluster.follow(two.place('term-2'));
  two.cluster.follow(one.place('term-3'));
  const { status, body } = await ask(one, 'POST', '/api/jobs', {}, 'job');
  expect([status, body.detail]).toEqual([
    503,
    'No coordinator of this cluster leads at the moment, or none that is reached from here, and nothing was done; ' +
      'try again in a moment.',
  ]);
  await one.server.close();
  await two.server.close();
});

test('who shows a good token through a member is no stranger there, and who does not is one', async () => {
  await makeTokens();
  // It knows that there are tokens, and counts who has shown nothing: one connection of an address may.
  const limits = { strangerConnections: 2 };
  const member = await startMember('three', couple.coordinator, { limits });
  onTestFinished(() => member.server.close());
  member.cluster.follow(couple.leader.place('term-1'));
  const line = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => line.destroy());
  const portOf = async (headers: Record<string, string>) => {
    const asked = request(`${member.url}/api/jobs`, { headers, agent: line });
    asked.end();
    const [answer] = await once(asked, 'response');
    const port = asked.socket!.localPort;
    await once(answer.resume(), 'end');
    return [answer.statusCode, port];
  };
  const crowd = async () => {
    const { port } = new URL(member.url);
    const open = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')];
    for (const socket of open) socket.on('error', () => {});
    onTestFinished(() => open.forEach((socket) => void socket.destroy()));
    // The older of them goes.
    await Promise.race(
      open.map((socket) => new Promise<void>((resolve) => void socket.once('close', resolve))),
    );
  };
  const [status, port] = await portOf(by(tokens.viewer));
  await crowd();
  expect([status, await portOf(by(tokens.viewer))]).toEqual([200, [200, port]]);
  line.destroy();
  const [refused, other] = await portOf(by('wrong'));
  await crowd();
  const [, next] = await portOf(by('wrong'));
  expect([refused, next === other]).toEqual([401, false]);
});

test('a leader with a certificate of its own is asked under its pin, and nobody else', async () => {
  const key = testCertificate(['elsewhere.example']);
  const credentials = { current: key, onChange: () => {} };
  const secure = await startMember('secure', couple.coordinator, { credentials });
  onTestFinished(() => secure.server.close());
  secure.cluster.lead('term-5');
  const follower = await startMember('four', undefined, { holdMs: 300 });
  onTestFinished(() => follower.server.close());
  const place = { url: withPin(secure.url, key.pin), term: 'term-5', member: 'secure' };
  follower.cluster.follow(place);
  expect((await ask(follower, 'GET', '/api/jobs')).status).toBe(200);
  const other = testCertificate().pin;
  follower.cluster.follow({ ...place, term: 'term-6', url: withPin(secure.url, other) });
  expect((await ask(follower, 'POST', '/api/jobs', {}, 'job')).body.code).toBe('shutting_down');
});

test('/readyz is that of the way to the leader', async () => {
  const { leader, follower } = couple;
  expect((await ask(leader, 'GET', '/readyz')).status).toBe(200);
  follower.cluster.reach(false);
  const away = await ask(follower, 'GET', '/readyz');
  expect([away.status, away.body.code, away.body.status]).toEqual([
    503,
    'shutting_down',
    'starting',
  ]);
  expect(away.body.detail).toMatch(/^No coordinator of this cluster leads at the moment, or this/);
  expect((await ask(follower, 'GET', '/healthz')).status).toBe(200);
  follower.cluster.reach(true);
  const { status, body } = await ask(follower, 'GET', '/readyz');
  expect([status, body.status]).toEqual([200, 'ready']);
});

test('/api/cluster is answered by the leader, and while none is reached by whoever is asked', async () => {
  const { leader, follower } = couple;
  const { status, body } = await ask(follower, 'GET', '/api/cluster');
  expect([status, body.role, body.leader, body.sequence]).toEqual([200, 'leading', 'one', 17]);
  // It says who was asked, whoever answers, and whatever a client pretends.
  const pretending = { 'x-muster-by': 'three' };
  for (const [member, asked] of [
    [follower, 'two'],
    [leader, 'one'],
  ] as const) {
    expect((await ask(member, 'GET', '/api/cluster', pretending)).body.asked).toBe(asked);
  }
  await makeTokens();
  follower.cluster.follow(null);
  expect((await ask(follower, 'GET', '/api/cluster')).status).toBe(401);
  const own = await ask(follower, 'GET', '/api/cluster', by(tokens.viewer));
  expect([own.status, own.body.role, own.body.leader]).toEqual([200, 'following', null]);
  expect(own.body.asked).toBe('two');
  follower.cluster.follow(leader.place('term-1'));
  follower.cluster.reach(false);
  const cutOff = await ask(follower, 'GET', '/api/cluster', by(tokens.viewer));
  expect([cutOff.status, cutOff.body.role, cutOff.body.leader]).toEqual([200, 'following', 'one']);
});

test('a coordinator that is alone is its own cluster', async () => {
  const alone = await startLiveServer();
  onTestFinished(() => alone.close());
  const own = await alone.call('GET', '/api/cluster');
  expect(own.body).toMatchObject({
    role: 'leading',
    leader: own.body.members[0].id,
    asked: own.body.members[0].id,
    term: { epoch: 1, ended: null },
    members: [{ url: alone.url, version: '1.2.3', is_leader: true, is_self: true, workers: 0 }],
  });
});

test('a member tells its own figures to who may see them, also while nobody leads', async () => {
  await makeTokens();
  const { leader, follower } = couple;
  await ask(follower, 'GET', '/api/jobs');
  const { text: told } = await ask(follower, 'GET', '/metrics', by(tokens.viewer));
  expect(told).toMatch(/^muster_cluster_is_leader 0$/m);
  expect(told).toMatch(/^muster_cluster_epoch 3$/m);
  expect(told).toMatch(/^muster_cluster_takeovers_total 1$/m);
  expect(told).toMatch(/^muster_cluster_members_alive 2$/m);
  expect(told).toMatch(/^muster_cluster_passed_on_total\{outcome="answered"\} 1$/m);
  const { text: leading } = await ask(leader, 'GET', '/metrics', by(tokens.viewer));
  expect(leading).toMatch(/^muster_cluster_is_leader 1$/m);
  expect(leading).toMatch(/^muster_slots 0$/m);
  expect(told).not.toMatch(/^muster_(slots|tasks|jobs|workers)/m);
  expect((await ask(follower, 'GET', '/metrics')).status).toBe(401);
  expect((await ask(follower, 'GET', '/metrics', by(tokens.client))).status).toBe(403);
  follower.cluster.follow(null);
  const { status } = await ask(follower, 'GET', '/metrics', by(tokens.viewer));
  expect(status).toBe(200);
});

test('what needs no coordinator is there while nobody leads', async () => {
  const { follower } = couple;
  follower.cluster.follow(null);
  for (const path of ['/', '/join', '/openapi.json', '/docs/', '/healthz']) {
    expect([path, (await ask(follower, 'GET', path)).status]).toEqual([path, 200]);
  }
});

test('only members open trunks, and only one that leads the term keeps them', async () => {
  const { leader, follower } = couple;
  const path = `${leader.url.replace('http', 'ws')}/api/trunk`;
  expect((await ask(leader, 'GET', '/api/trunk')).status).toBe(404);
  const refused = new WebSocket(path, { headers: by('guessed') });
  const [, answer] = await once(refused, 'unexpected-response');
  expect(answer.statusCode).toBe(401);
  const opened = await trunk(path, 'term-1');
  expect(opened.greeting).toMatchObject({
    trunk: 1,
    member: 'one',
    term: 'term-1',
    role: 'leading',
  });
  await eventually(
    () => Promise.resolve(leader.server.trunks),
    (members) => members.includes('tester'),
  );
  leader.cluster.follow(follower.place('term-2'));
  expect(await opened.closed).toEqual([1013, 'this member does not lead that term']);
  await expect.poll(() => leader.server.trunks).toEqual([]);
  const late = await trunk(path, 'term-1');
  expect(late.greeting).toMatchObject({ member: 'one', role: 'following', term: null });
  expect(await late.closed).toEqual([1013, 'this member does not lead that term']);
});

async function trunk(path: string, term: string) {
  const socket = new WebSocket(path, { headers: by(clusterSecret) });
  const closed = new Promise<[number, string]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, reason.toString()])),
  );
  const greeting = await new Promise<Loose>((resolve) =>
    socket.once('message', (data) => resolve(JSON.parse((data as Buffer).toString()))),
  );
  socket.send(JSON.stringify({ trunk: 1, term, member: 'tester', version: '1.2.3' }));
  return { greeting, closed };
}

test('a token is good until the clock of the database says otherwise, whatever that of the member says', async () => {
  const other = await startCouple({ aheadMs: -3_600_000 });
  onTestFinished(() => other.close());
  await other.coordinator.tokens.create({ kind: 'admin' });
  const made = await other.coordinator.tokens.create({ kind: 'viewer', expiresInMs: 600_000 });
  if (!made.ok) throw new Error(made.rejection.detail);
  const headers = { authorization: `Bearer ${made.value.token}` };
  for (const { url } of [other.leader, other.follower]) {
    const stream = await fetch(`${url}/api/events`, { headers });
    expect(stream.status).toBe(200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'cut',
    );
    const open = new Promise((resolve) => setTimeout(() => resolve('open'), 300));
    expect(await Promise.race([ended, open])).toBe('open');
  }
});
