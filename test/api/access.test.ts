// Who may call what: the table of docs/guides/access.md, held against every address with every kind of
// token, and with everything that is no good token.

import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import { parseToken, writeToken } from '../../src/protocol/token-text.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

const page = readFileSync(new URL('../../docs/guides/access.md', import.meta.url), 'utf8');
const kinds = ['admin', 'client', 'viewer', 'join', 'worker', 'nobody'] as const;
type Kind = (typeof kinds)[number];

interface Row {
  readonly method: string;
  readonly path: string;
  readonly may: Readonly<Record<Kind, boolean>>;
}

const rows: Row[] = page
  .split('## Who may call what')[1]!
  .split('\n')
  .flatMap((line) => {
    const [method, path = '', ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (method === undefined || !/^`\/.*`$/.test(path)) return [];
    const may = Object.fromEntries(kinds.map((kind, i) => [kind, cells[i] === 'yes']));
    return [{ method, path: path.slice(1, -1), may: may as Row['may'] }];
  });

let live: LiveServer;
const tokens: Partial<Record<Kind, string>> = {};
const bad: Record<string, string> = {};

beforeAll(async () => {
  // Thousands of requests without a good token come from this address.
  live = await startLiveServer({
    wrongTokens: 100_000,
    strangerRequests: 100_000,
    logins: 100_000,
  });
  tokens.admin = await make({ kind: 'admin' });
  for (const kind of ['client', 'viewer', 'join'] as const) tokens[kind] = await make({ kind });
  tokens.worker = (await register(tokens.admin)).worker_token;
  bad['expired'] = await make({ kind: 'admin', expiresInMs: 0 });
  bad['revoked'] = await make({ kind: 'admin' });
  await live.coordinator.tokens.revoke(bad['revoked'].split('_')[2]!);
  bad['used up'] = await make({ kind: 'join', uses: 1 });
  await register(bad['used up']);
  const other = await startLiveServer();
  bad['foreign'] = await make({ kind: 'admin' }, other);
  await other.close();
  bad['mistyped'] = `${tokens.admin.slice(0, -1)}${tokens.admin.endsWith('0') ? '1' : '0'}`;
  bad['of the form of old workers'] = 'A'.repeat(32);
  bad['malformed'] = 'mst_a_short';
});
afterAll(() => live.close());

async function make(asked: TokenAsked, where = live): Promise<string> {
  const made = await where.coordinator.tokens.create(asked);
  if (!made.ok) throw new Error(made.rejection.detail);
  return made.value.token;
}

async function register(token: string) {
  const json = { type: 'pc', platform: 'linux' };
  const { body } = await live.call('POST', '/api/workers', { json, headers: bearer(token) });
  return body;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

interface Told {
  readonly status: number;
  readonly code: string | undefined;
}

/** Of an answer that may be a stream, only how it begins. */
function ask({ method, path }: Row, headers: Record<string, string>): Promise<Told> {
  const address = path
    .replace('{index}', '0')
    .replace('{algorithm}', 'none')
    .replaceAll(/\{\w+\}/g, 'none');
  const isSocket = path === '/api/workers/connect';
  return new Promise((resolve, reject) => {
    const asking = request(`${live.url}${address}`, {
      method,
      // A refused upgrade ends its connection.
      agent: false,
      headers: { ...headers, ...(isSocket ? upgrade : {}) },
    });
    asking.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve({ status: 101, code: undefined });
    });
    asking.on('response', (response) => {
      const status = response.statusCode!;
      if (status < 400) {
        response.destroy();
        return resolve({ status, code: undefined });
      }
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status, code: JSON.parse(text).code }));
    });
    asking.on('error', reject);
    asking.end();
  });
}

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16).toString('base64'),
};

test('the table names every operation of the document, the pages, and the socket', () => {
  const published = Object.entries(live.document.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const pages = ['/', '/join', '/docs', '/openapi.json', '/asyncapi.json', '/api/workers/connect'];
  const all = [...published, ...pages.map((path) => `GET ${path}`)];
  expect(rows.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(all.sort());
});

describe.for(kinds)('with a token of %s', (kind) => {
  test.for(rows)('$method $path', async (row) => {
    const token = tokens[kind];
    const { status, code } = await ask(row, token === undefined ? {} : bearer(token));
    const isRefused = code === 'unauthorized' || code === 'forbidden';
    expect([isRefused, status]).toEqual([!row.may[kind], isRefused ? expect.any(Number) : status]);
    if (isRefused) expect(code).toBe(kind === 'nobody' ? 'unauthorized' : 'forbidden');
  });
});

describe.for([
  'expired',
  'revoked',
  'used up',
  'foreign',
  'mistyped',
  'of the form of old workers',
  'malformed',
])('with a token that is %s', (name) => {
  test.for(rows)('$method $path', async (row) => {
    const { status, code } = await ask(row, bearer(bad[name]!));
    if (row.may.nobody) expect(code).not.toBe('unauthorized');
    else expect([status, code]).toEqual([401, 'unauthorized']);
  });
});

test.for([
  ['another scheme', { authorization: 'Basic YWRtaW46YWRtaW4=' }],
  ['an empty one', { authorization: 'Bearer ' }],
  ['two of them', { authorization: 'Bearer a, Bearer b' }],
  ['a cookie that nobody has given', { cookie: 'muster_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
])('%s is no token', async ([, headers]) => {
  const answer = await live.call('GET', '/api/jobs', {
    headers: headers as Record<string, string>,
  });
  expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});

test('a token in the address is none', async () => {
  const { status } = await live.call('GET', `/api/jobs?token=${tokens.admin}`);
  expect(status).toBe(401);
});

test('for an unknown secret of a known id the answer is that for an unknown token', async () => {
  const id = tokens.admin!.split('_')[2]!;
  const guess = writeToken({ kind: 'admin', id, secret: 'A'.repeat(32) });
  const answers = [guess, bad['foreign']!].map(async (token) => {
    const { body } = await live.call('GET', '/api/jobs', { headers: bearer(token) });
    return body;
  });
  const [ofKnown, ofUnknown] = await Promise.all(answers);
  expect(ofKnown).toEqual(ofUnknown);
});

test('no answer and no list says a secret again', async () => {
  const { text } = await live.call('GET', '/api/tokens', { headers: bearer(tokens.admin!) });
  for (const token of [...Object.values(tokens), ...Object.values(bad)]) {
    expect(text).not.toContain(parseToken(token)?.secret ?? token);
  }
  expect(JSON.parse(text)[0]).toMatchObject({ kind: 'admin', owner: 'admin', status: 'good' });
});
