// What bounds somebody who has not shown a good token, and that it bounds nobody else: not even at the same
// address.

import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import type { Limits } from '../../src/protocol/limits.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { type LiveServer, type Loose, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let admin: string;
afterEach(() => live.close());

async function start(limits: Partial<Limits>): Promise<void> {
  live = await startLiveServer(limits);
  admin = await make({ kind: 'admin' });
}

async function make(asked: TokenAsked): Promise<string> {
  const made = await live.coordinator.tokens.create(asked);
  if (!made.ok) throw new Error(made.rejection.detail);
  return made.value.token;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const device = { type: 'pc', platform: 'linux' };

async function ask(path: string, headers: Record<string, string> = {}): Promise<number> {
  return (await live.call('GET', path, { headers })).status;
}

/** The status of a request to become a socket. */
async function upgrade(headers: Record<string, string>): Promise<number> {
  const asked = request(`${live.url}/api/workers/connect`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...headers,
    },
  });
  asked.end();
  const answered = once(asked, 'response').then(([response]: Loose[]) => response);
  const upgraded = once(asked, 'upgrade').then(([response, socket]: Loose[]) => {
    socket.destroy();
    return response;
  });
  const response = await Promise.race([answered, upgraded]);
  response.resume();
  return response.statusCode;
}

test('whoever is beyond a limit loses the connection, with all that was sent behind the request', async () => {
  await start({ wrongTokens: 3 });
  const { hostname, port } = new URL(live.url);
  const client = connect(Number(port), hostname);
  const guess = `GET /api/jobs HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer made-up\r\n\r\n`;
  client.write(guess.repeat(20));
  let answers = '';
  for await (const piece of client) answers += String(piece);
  const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(['401', '401', '401', '429']);
});

test('wrong tokens are refused, and good ones of the same address are served all the while', async () => {
  await start({ wrongTokens: 3 });
  const wrong = bearer('made-up');
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push(await ask('/api/jobs', wrong));
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  expect(await ask('/api/jobs', bearer(admin))).toBe(200);
  const json = { program, inputs: [1] };
  const submitted = await live.call('POST', '/api/jobs', { json, headers: bearer(admin) });
  expect(submitted.status).toBe(201);
  // Whoever shows none has done nothing wrong yet.
  expect(await ask('/api/jobs')).toBe(401);
});

test('the refusal names the limit, its bound, and when to try again', async () => {
  await start({ wrongTokens: 1 });
  await ask('/api/jobs', bearer('made-up'));
  const headers = bearer('made-up');
  const { status, headers: told, body } = await live.call('GET', '/api/jobs', { headers });
  const seconds = Number(told.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect([status, body]).toEqual([
    429,
    {
      code: 'quota_exceeded',
      quota: 'wrong_tokens',
      detail:
        'More than 1 tokens in a minute that are not good came from this address (limit wrong_tokens); ' +
        `try again in ${seconds} s, or with a good token.`,
    },
  ]);
  const metrics = (await live.call('GET', '/metrics', { headers: bearer(admin) })).text;
  expect(metrics).toContain('muster_refused_total{quota="wrong_tokens"} 1');
});

describe.for([
  ['a token', bearer('made-up')],
  ['a session', { cookie: 'muster_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
] as const)('%s that is not good', ([, headers]) => {
  test('counts as a wrong token', async () => {
    await start({ wrongTokens: 1 });
    expect([await ask('/api/jobs', headers), await ask('/api/jobs', headers)]).toEqual([401, 429]);
  });
});

test('a ticket that is not good counts as a wrong token', async () => {
  await start({ wrongTokens: 1 });
  const headers = { 'sec-websocket-protocol': 'muster, ticket.AAAA' };
  expect([await upgrade(headers), await upgrade(headers)]).toEqual([401, 429]);
});

test('a wrong token that is shown where nobody needs one counts too', async () => {
  await start({ wrongTokens: 1 });
  const headers = bearer('made-up');
  expect([await ask('/healthz', headers), await ask('/healthz', headers)]).toEqual([200, 429]);
  expect(await ask('/healthz')).toBe(200);
});

test('a login with a wrong token counts as one', async () => {
  await start({ wrongTokens: 1 });
  const login = async () =>
    (await live.call('POST', '/api/session', { json: { token: 'made-up' } })).status;
  expect([await login(), await login()]).toEqual([401, 429]);
});

test('pages are refused to strangers who ask too often, and not to who has logged in', async () => {
  await start({ strangerRequests: 2 });
  const { headers } = await live.call('POST', '/api/session', { json: { token: admin } });
  const cookie = headers.get('set-cookie')!.split(';', 1)[0]!;
  expect([await ask('/'), await ask('/'), await ask('/')]).toEqual([200, 200, 429]);
  expect([await ask('/', { cookie }), await ask('/api/jobs', { cookie })]).toEqual([200, 200]);
  for (const path of ['/healthz', '/readyz']) expect(await ask(path)).toBe(200);
});

test('workers that register too fast are refused, and those that are registered are not', async () => {
  await start({ registrations: 1 });
  const headers = bearer(await make({ kind: 'join' }));
  const { body: worker } = await live.call('POST', '/api/workers', { json: device, headers });
  const again = await live.call('POST', '/api/workers', { json: device, headers });
  expect([again.status, again.body.quota]).toEqual([429, 'registrations']);
  expect(await upgrade(headers)).toBe(429);
  const own = bearer(worker.worker_token);
  expect(await upgrade(own)).toBe(101);
  const path = `/api/workers/${worker.worker_id}/heartbeat`;
  const beat = await live.call('POST', path, { json: { telemetry: {} }, headers: own });
  expect(beat.status).toBe(200);
});

test('wrong tokens of workers, however many, do not make good ones be read again', async () => {
  const store = openSqliteStore(':memory:');
  const reading = vi.spyOn(store, 'findToken');
  live = await startLiveServer({}, store);
  admin = await make({ kind: 'admin' });
  const headers = bearer(admin);
  const { body } = await live.call('POST', '/api/workers', { json: device, headers });
  const { tokens } = live.coordinator;
  expect(await tokens.check(body.worker_token)).toMatchObject({ is: 'good' });
  for (let i = 0; i < 10_100; i++) {
    expect(await tokens.check(`${i}`.padStart(32, 'x'))).toEqual({ is: 'unknown' });
  }
  const readings = reading.mock.calls.length;
  expect(await tokens.check(body.worker_token)).toMatchObject({ is: 'good' });
  expect(await tokens.check('10099'.padStart(32, 'x'))).toEqual({ is: 'unknown' });
  expect(reading).toHaveBeenCalledTimes(readings);
});

test('where nobody needs a token nothing is counted', async () => {
  live = await startLiveServer({
    wrongTokens: 1,
    strangerRequests: 1,
    registrations: 1,
    strangerConnections: 4,
  });
  const open = Array.from(
    { length: 6 },
    () => new WebSocket(`${live.url.replace('http', 'ws')}/api/workers/connect`),
  );
  await Promise.all(open.map((socket) => once(socket, 'open')));
  for (let i = 0; i < 4; i++) {
    expect(await ask('/api/jobs', bearer('made-up'))).toBe(200);
    expect(await ask('/')).toBe(200);
    expect((await live.call('POST', '/api/workers', { json: device })).status).toBe(201);
  }
  for (const socket of open) expect(socket.readyState).toBe(WebSocket.OPEN);
  for (const socket of open) socket.terminate();
});

test('a device with a join token may not send more before its hello than a hello has', async () => {
  await start({ helloBytes: 8 * 1024 });
  const headers = bearer(await make({ kind: 'join' }));
  const socket = new WebSocket(`${live.url.replace('http', 'ws')}/api/workers/connect`, {
    headers,
  });
  await once(socket, 'open');
  socket.send(`[${'{},'.repeat(100_000)}`, { fin: false });
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  expect([code, reason.toString()]).toEqual([1008, 'The hello is larger than 73728 bytes.']);
});
