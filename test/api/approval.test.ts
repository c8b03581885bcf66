// A device that joined by a link which asks for a person: what it is given before, which is nothing, and what comes
// of the answer. And how workers are named.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { parseJoinLink } from '../../src/protocol/join-link.ts';
import {
  type Answer,
  eventually,
  type LiveServer,
  type Loose,
  startLiveServer,
} from './support/live-server.ts';

let live: LiveServer;
let admin: Record<string, string>;
beforeEach(async () => {
  live = await startLiveServer();
  const made = await live.coordinator.tokens.create({ kind: 'admin' });
  if (!made.ok) throw new Error('no token');
  admin = bearer(made.value.token);
});
afterEach(() => live.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const device = { type: 'pc', platform: 'linux', name: 'device' };
const as = (headers: Record<string, string>, method: string, path: string, json?: unknown) =>
  live.call(method, path, { headers, ...(json === undefined ? {} : { json }) });

async function link(asked: object = {}): Promise<{ id: string; token: string }> {
  const json = { needs_approval: true, label: 'second laptop', ...asked };
  const { body } = await as(admin, 'POST', '/api/join-links', json);
  const found = parseJoinLink(body.link);
  if (typeof found === 'string') throw new Error(found);
  return { id: body.id, token: found.token };
}

interface Pulled {
  readonly id: string;
  readonly own: Record<string, string>;
  readonly answer: Answer;
}

/** Over plain HTTP. */
async function register(token: string): Promise<Pulled> {
  const answer = await as(bearer(token), 'POST', '/api/workers', device);
  return { id: answer.body?.worker_id, own: bearer(answer.body?.worker_token), answer };
}

interface Talk {
  readonly said: Loose[];
  hears(type: string): Promise<Loose>;
  end(): void;
}

/** On a socket. */
async function greeted(token: string, more: object = {}): Promise<Talk> {
  const address = `${live.url.replace('http', 'ws')}/api/workers/connect`;
  const socket = new WebSocket(address, { headers: bearer(token) });
  const said: Loose[] = [];
  socket.on('error', () => {});
  socket.on('message', (data) => said.push(...[JSON.parse((data as Buffer).toString())].flat()));
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'hello', protocol: 1, device, attempts: [], ...more }));
  return {
    said,
    hears: (type) =>
      eventually(
        async () => said.find((message) => message.type === type),
        (message) => message !== undefined,
      ),
    end: () => socket.terminate(),
  };
}

const submit = () =>
  as(admin, 'POST', '/api/jobs', {
    program: { kind: 'javascript', source: 'export default (n) => n' },
    inputs: [1],
  });
const workers = async () => (await as(admin, 'GET', '/api/workers')).body as Loose[];

describe('a device that waits, over plain HTTP', () => {
  test('is told so, is seen, and gets nothing: no task, no blob, no room for one', async () => {
    await submit();
    const { id: tokenId, token } = await link();
    const { id, own, answer } = await register(token);
    expect(answer.body).toMatchObject({ waiting_for_approval: true });
    expect(await workers()).toMatchObject([
      { id, status: 'waiting', joined_by: { token_id: tokenId, label: 'second laptop' } },
    ]);
    const claim = await as(own, 'POST', `/api/workers/${id}/claim`, { max: 1, wait_seconds: 0 });
    expect(claim.body).toMatchObject({ assignments: [] });
    const client = await live.coordinator.tokens.create({ kind: 'client', owner: 'ann' });
    const theirs = await as(bearer(client.ok ? client.value.token : ''), 'GET', '/api/workers');
    expect(theirs.body).toMatchObject([{ id, status: 'waiting' }]);
    expect(theirs.text).not.toContain('second laptop');
    const sha = '0'.repeat(64);
    for (const method of ['GET', 'PUT']) {
      const blob = await as(own, method, `/api/blobs/${sha}`);
      expect([blob.status, blob.body.detail]).toEqual([403, expect.stringContaining('waits for')]);
    }
    const beat = await as(own, 'POST', `/api/workers/${id}/heartbeat`, {
      telemetry: {},
      running: [],
    });
    expect(beat.status).toBe(200);
  });

  test('cannot bring a result, however it names the task', async () => {
    const { body: job } = await submit();
    const { id, own } = await register((await link()).token);
    const reports = [
      {
        type: 'result',
        results: [{ task_id: `${job.id}.0`, attempt: 1, token: 'x'.repeat(32), value: 7 }],
      },
    ];
    const told = await as(own, 'POST', `/api/workers/${id}/report`, reports);
    expect(told.body?.accepted ?? []).toEqual([]);
    expect((await as(admin, 'GET', `/api/jobs/${job.id}`)).body.status).toBe('pending');
  });

  test('is woken by the answer of a person, and given work at once', async () => {
    await submit();
    const { id, own } = await register((await link()).token);
    const claim = as(own, 'POST', `/api/workers/${id}/claim`, { max: 1, wait_seconds: 30 });
    const { body } = await as(admin, 'POST', `/api/workers/${id}/approve`);
    expect(body).toMatchObject({ id, status: 'busy' });
    expect(body).not.toHaveProperty('waits_until');
    expect((await claim).body.assignments).toHaveLength(1);
    expect((await as(own, 'GET', `/api/blobs/${'0'.repeat(64)}`)).status).toBe(404);
    const again = await as(admin, 'POST', `/api/workers/${id}/refuse`);
    expect([again.status, again.body.code]).toEqual([409, 'not_waiting']);
  });

  test('is away for good when it is refused', async () => {
    const { id, own } = await register((await link()).token);
    const refused = await as(admin, 'POST', `/api/workers/${id}/refuse`);
    expect(refused.body).toEqual({ worker_id: id, status: 'refused' });
    expect((await as(own, 'POST', '/api/workers', device)).status).toBe(401);
    expect(await workers()).toEqual([]);
    expect((await as(admin, 'POST', `/api/workers/${id}/approve`)).status).toBe(404);
  });

  test('goes with its link when that is taken back, others stay', async () => {
    const { id: tokenId, token } = await link({ uses: 2 });
    const first = await register(token);
    await register(token);
    await as(admin, 'POST', `/api/workers/${first.id}/approve`);
    await as(admin, 'DELETE', `/api/tokens/${tokenId}`);
    expect(await workers()).toMatchObject([{ id: first.id, status: 'online' }]);
  });

  test('does not come in by a clear of the database', async () => {
    const { own } = await register((await link()).token);
    await as(admin, 'DELETE', '/api/database/clear');
    expect((await as(own, 'POST', '/api/workers', device)).status).toBe(401);
  });

  test('is one of few: of those with one link, and of all', async () => {
    const { token } = await link({ uses: 1000 });
    for (let i = 0; i < 20; i++) expect((await register(token)).answer.status).toBe(201);
    const { answer } = await register(token);
    expect([answer.status, answer.body.code]).toEqual([429, 'overloaded']);
    expect(answer.body.detail).toContain('20 with one link, 100 in all');
    const more = await Promise.all([1, 2, 3, 4, 5].map(() => link({ uses: 1000 })));
    const all = await Promise.all(
      more.flatMap((each) => Array.from({ length: 20 }, () => register(each.token))),
    );
    expect(all.filter(({ answer: { status } }) => status === 201)).toHaveLength(80);
    expect(await workers()).toHaveLength(100);
  });
});

describe('a device that waits, on a socket', () => {
  test('is told so, and is let in without a word of its own', async () => {
    await submit();
    const talk = await greeted((await link()).token);
    const welcome = await talk.hears('welcome');
    expect(welcome.waiting_for_approval).toBe(true);
    expect(talk.said.map(({ type }) => type)).not.toContain('assign');
    await as(admin, 'POST', `/api/workers/${welcome.worker_id}/approve`);
    await talk.hears('approved');
    expect((await talk.hears('assign')).assignments).toHaveLength(1);
    talk.end();
  });

  test('is sent away when it is refused, and cannot come back', async () => {
    const talk = await greeted((await link()).token);
    const { worker_id, worker_token } = await talk.hears('welcome');
    await as(admin, 'POST', `/api/workers/${worker_id}/refuse`);
    expect((await talk.hears('deregistered')).detail).toContain('was not let in');
    const again = await as(bearer(worker_token), 'POST', '/api/workers', device);
    expect(again.status).toBe(401);
  });

  test('waits on when it comes back on another connection', async () => {
    const first = await greeted((await link()).token);
    const { worker_id, worker_token } = await first.hears('welcome');
    first.end();
    const second = await greeted(worker_token, { worker_id, worker_token });
    expect((await second.hears('welcome')).waiting_for_approval).toBe(true);
    second.end();
  });
});

describe('the name of a worker', () => {
  test('is the one that an operator has given it, after a hello, a clear and a new registration', async () => {
    const first = await greeted((await link({ needs_approval: false })).token);
    const { worker_id, worker_token } = await first.hears('welcome');
    const named = await as(admin, 'PUT', `/api/workers/${worker_id}/name`, { name: 'desk' });
    expect(named.body).toMatchObject({ id: worker_id, name: 'desk' });
    first.end();
    const second = await greeted(worker_token, { worker_id, worker_token });
    await second.hears('welcome');
    expect(await workers()).toMatchObject([{ name: 'desk' }]);
    second.end();
    await as(admin, 'DELETE', '/api/database/clear');
    await as(bearer(worker_token), 'POST', '/api/workers', device);
    expect(await workers()).toMatchObject([
      { name: 'desk', status: 'online', joined_by: { label: 'second laptop' } },
    ]);
  });

  test.each(['', 'a\nb', 'x'.repeat(10_000), 7])('is not %j', async (name) => {
    const { id } = await register((await link()).token);
    const { status } = await as(admin, 'PUT', `/api/workers/${id}/name`, { name });
    expect(status).toBe(422);
  });

  test('is given to nobody who is not there', async () => {
    const { status } = await as(admin, 'PUT', '/api/workers/nobody/name', { name: 'desk' });
    expect(status).toBe(404);
  });
});
