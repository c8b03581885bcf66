// "`Origin`, when there is one, must equal the address served, or be on the list of `--allow-origin`":
// for requests and for the socket of a worker alike.

import { request } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer, type Server } from '../../src/server/server.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
/** A server for the same coordinator that allows pages of two other origins. */
let open: Server;
let url: string;
beforeAll(async () => {
  live = await startLiveServer();
  open = createServer({
    coordinator: live.coordinator,
    limits: defaultLimits,
    log: pino({ level: 'silent' }),
    allowedOrigins: ['https://app.example', 'http://localhost:3000'],
  });
  url = await open.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await open.close();
  await live.close();
});

/** What the browser sends as `Host` and `Origin`, and whether the page may. */
const cases: readonly (readonly [string, string | string[], boolean])[] = [
  ['localhost:8000', 'http://localhost:8000', true],
  ['LocalHost:8000', 'HTTP://LOCALHOST:8000', true],
  ['127.0.0.1:8000', 'http://127.0.0.1:8000', true],
  ['[::1]:8000', 'http://[::1]:8000', true],
  ['[::1]:8000', 'http://[0:0:0:0:0:0:0:1]:8000', true],
  ['localhost', 'http://localhost', true],
  ['localhost', 'http://localhost:80', true],
  ['localhost:80', 'http://localhost', true],
  ['localhost.:8000', 'http://localhost.:8000', true],
  ['muster.localhost:8000', 'http://muster.localhost:8000', true],
  ['localhost:8000', 'https://app.example', true],
  ['localhost:8000', 'HTTPS://App.Example:443', true],
  ['localhost:8000', 'http://localhost:3000', true],
  // Other programs and pages of this machine.
  ['localhost:8000', 'http://localhost:3001', false],
  ['localhost:8000', 'http://localhost', false],
  ['localhost:8000', 'http://other.localhost', false],
  ['localhost:8000', 'http://other.localhost:8000', false],
  ['localhost:8000', 'http://127.0.0.1:8000', false],
  ['localhost:8000', 'http://localhost.:8000', false],
  ['127.0.0.1:8000', 'http://127.0.0.2:8000', false],
  // Other schemes.
  ['localhost:8000', 'https://localhost:8000', false],
  ['localhost:443', 'https://localhost', false],
  ['localhost:8000', 'evil://localhost:8000', false],
  ['localhost:8000', 'evil://localhost', false],
  ['localhost:8000', 'chrome-extension://localhost:8000', false],
  ['localhost:8000', 'file://', false],
  ['localhost:8000', 'null', false],
  ['localhost:8000', '', false],
  // Near the list, but not on it.
  ['localhost:8000', 'http://app.example', false],
  ['localhost:8000', 'https://app.example:8443', false],
  ['localhost:8000', 'https://app.example.', false],
  ['localhost:8000', 'https://sub.app.example', false],
  ['localhost:8000', 'https://app.example.evil.example', false],
  // Not an origin at all.
  ['localhost:8000', 'localhost:8000', false],
  ['localhost:8000', '//localhost:8000', false],
  ['localhost:8000', 'http://localhost:8000/', false],
  ['localhost:8000', 'http://localhost:8000/page', false],
  ['localhost:8000', 'http://localhost:8000#', false],
  ['localhost:8000', 'http://localhost:8000\\@evil.example', false],
  ['localhost:8000', 'http://user@localhost:8000', false],
  ['localhost:8000', 'http://localhost:99999', false],
  ['localhost:8000', 'http://[::1', false],
  // Several: as one header and as two.
  ['localhost:8000', 'http://localhost:8000, https://evil.example', false],
  ['localhost:8000', 'http://localhost:8000,http://localhost:8000', false],
  ['localhost:8000', 'http://localhost:8000 http://localhost:8000', false],
  ['localhost:8000', ['http://localhost:8000', 'https://evil.example'], false],
  ['localhost:8000', ['https://evil.example', 'http://localhost:8000'], false],
  // A Host that passes for loopback and is no address.
  ['127.999.999.999', 'http://127.999.999.999', false],
];

describe('a page', () => {
  test.each(cases)('at Host %j of origin %j: %j', async (host, origin, isServed) => {
    const asked = await ask(host, origin);
    expect(asked.status).toBe(isServed ? 200 : 403);
    if (!isServed) expect(JSON.parse(asked.text).code).toBe('forbidden');
    expect(await upgrade(host, origin)).toBe(isServed ? 101 : 403);
  });

  test('is told its origin, and the flag that would let it in', async () => {
    const { text } = await ask('localhost:8000', 'http://Other.localhost:3000');
    expect(JSON.parse(text).detail).toBe(
      'The origin "http://Other.localhost:3000" is neither the address that is served ' +
        '(http://localhost:8000) nor allowed. If you trust its pages, start the coordinator ' +
        'with --allow-origin http://other.localhost:3000.',
    );
  });

  test('without an address is told that no flag lets it in', async () => {
    const { text } = await ask('localhost:8000', 'null');
    expect(JSON.parse(text).detail).toBe(
      'The origin "null" is neither the address that is served (http://localhost:8000) nor ' +
        'allowed, and cannot be: open the page from an http or https address.',
    );
  });

  test('of elsewhere changes nothing, whatever it asks', async () => {
    const id = await live.submit([1], { requirements: { platform: ['nowhere'] } });
    const headers = { origin: 'http://localhost:3001' };
    for (const [method, path] of [
      ['POST', `/api/jobs/${id}/cancel`],
      ['DELETE', '/api/database/clear'],
      ['POST', '/api/scheduler/activate/edas'],
      ['OPTIONS', '/api/jobs'],
      ['GET', '/nothing/here'],
    ] as const) {
      const answer = await fetch(`${live.url}${path}`, { method, headers });
      expect([path, answer.status]).toEqual([path, 403]);
    }
    expect((await live.call('GET', `/api/jobs/${id}`)).body.status).toBe('pending');
  });
});

test('without `Origin` nothing is asked about it: programs are no pages', async () => {
  expect((await ask('localhost:8000')).status).toBe(200);
  expect(await upgrade('localhost:8000')).toBe(101);
});

interface Asked {
  readonly status: number;
  readonly text: string;
}

function ask(host: string, origin?: string | string[]): Promise<Asked> {
  const headers = ['Host', host, ...originLines(origin)];
  return new Promise((resolve, reject) => {
    request(`${url}/api/stats`, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    })
      .on('error', reject)
      .end();
  });
}

/** The status of the answer; 101 when it is a socket from then on. */
function upgrade(host: string, origin?: string | string[]): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/workers/connect`, {
    finishRequest: (asking) => {
      asking.setHeader('host', host);
      if (origin !== undefined) asking.setHeader('origin', origin);
      asking.end();
    },
  });
  return new Promise((resolve) => {
    const settle = (status: number) => {
      socket.terminate();
      resolve(status);
    };
    socket.on('error', () => {});
    socket.once('open', () => settle(101));
    socket.once('unexpected-response', (_request, response) => settle(response.statusCode!));
  });
}

function originLines(origin: string | string[] | undefined): string[] {
  return [origin ?? []].flat().flatMap((each) => ['Origin', each]);
}
