// Who asks, as a page needs to know it. Every answer is held against the published document by `call`.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let free: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
  free = await startLiveServer();
});
afterAll(async () => {
  await live.close();
  await free.close();
});

async function make(asked: TokenAsked): Promise<string> {
  const made = await live.coordinator.tokens.create(asked);
  if (!made.ok) throw new Error(made.rejection.detail);
  return made.value.token;
}

const needed = { open: false, needs_token: true };

async function ask(headers: Record<string, string>) {
  return live.call('GET', '/api/session', { headers });
}

const by = (token: string) => ask({ authorization: `Bearer ${token}` });

test('where nobody needs a token everybody is the admin', async () => {
  const { status, body, headers } = await free.call('GET', '/api/session');
  expect([status, body]).toEqual([
    200,
    { kind: 'admin', owner: null, label: null, open: false, needs_token: false },
  ]);
  expect(headers.get('cache-control')).toBe('no-store');
});

test('a coordinator that is open says so, and asks nobody who it is', async () => {
  const open = await startLiveServer({}, undefined, {}, { isOpen: true });
  await open.coordinator.tokens.create({ kind: 'admin', label: 'unused' });
  const { body } = await open.call('GET', '/api/session');
  expect(body).toEqual({ kind: 'admin', owner: null, label: null, open: true, needs_token: false });
  await open.close();
});

test('people are told what their token may do, whose it is and what it is called', async () => {
  const admin = await make({ kind: 'admin' });
  const client = await make({ kind: 'client', owner: 'ann', label: 'laptop' });
  const viewer = await make({ kind: 'viewer', owner: 'eve' });
  expect((await by(admin)).body).toEqual({ kind: 'admin', owner: 'admin', label: null, ...needed });
  expect((await by(client)).body).toEqual({
    kind: 'client',
    owner: 'ann',
    label: 'laptop',
    ...needed,
  });
  expect((await by(viewer)).body).toEqual({ kind: 'viewer', owner: 'eve', label: null, ...needed });
  expect(await connect(live.url, { token: client }).session()).toMatchObject({ label: 'laptop' });
});

test('a browser that has logged in is told by its cookie, until it has logged out', async () => {
  const token = await make({ kind: 'client', owner: 'bob', label: 'kitchen' });
  const begun = await live.call('POST', '/api/session', { json: { token } });
  const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
  expect((await ask({ cookie })).body).toMatchObject({ kind: 'client', owner: 'bob', ...needed });
  await live.call('DELETE', '/api/session', { headers: { cookie } });
  expect((await ask({ cookie })).status).toBe(401);
});

test('who shows no good token is refused, and so is who is no person', async () => {
  expect((await ask({})).status).toBe(401);
  expect((await by('mst_c_none')).status).toBe(401);
  expect((await by(await make({ kind: 'join' }))).status).toBe(403);
});
