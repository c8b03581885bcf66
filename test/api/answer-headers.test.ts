// Every answer has the protective headers, whatever made it: a route, a stream, a page, a file of the
// documentation, the framework, the upgrade to a socket, or the HTTP parser.

import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

const bytes = Buffer.from('<script>alert(1)</script>');
const sha256 = createHash('sha256').update(bytes).digest('hex');

let live: LiveServer;
let job: string;
beforeAll(async () => {
  live = await startLiveServer();
  job = await live.submit([1]);
  await live.call('PUT', `/api/blobs/${sha256}`, { body: bytes });
});
afterAll(() => live.close());

const host = 'Host: localhost\r\n';
const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\n';

test.each<[string, () => string, number]>([
  ['an answer', () => `GET /api/stats HTTP/1.1\r\n${host}\r\n`, 200],
  ['an answer to HEAD', () => `HEAD /api/stats HTTP/1.1\r\n${host}\r\n`, 200],
  ['an array', () => `GET /api/jobs/${job}/results HTTP/1.1\r\n${host}\r\n`, 200],
  ['lines', () => `GET /api/jobs/${job}/results?follow=true HTTP/1.1\r\n${host}\r\n`, 200],
  ['events', () => `GET /api/events HTTP/1.1\r\n${host}\r\n`, 200],
  ['a blob', () => `GET /api/blobs/${sha256} HTTP/1.1\r\n${host}\r\n`, 200],
  ['a blob that is known', () => conditional(), 304],
  ['the page', () => `GET / HTTP/1.1\r\n${host}\r\n`, 200],
  ['the page of the documentation', () => `GET /docs HTTP/1.1\r\n${host}\r\n`, 200],
  ['its files', () => `GET /docs/static/swagger-ui.css HTTP/1.1\r\n${host}\r\n`, 200],
  ['a way around', () => `GET /docs/static/index.html HTTP/1.1\r\n${host}\r\n`, 302],
  ['the document', () => `GET /openapi.json HTTP/1.1\r\n${host}\r\n`, 200],
  ['an unknown job', () => `GET /api/jobs/none HTTP/1.1\r\n${host}\r\n`, 404],
  ['an unknown address', () => `GET /nothing HTTP/1.1\r\n${host}\r\n`, 404],
  ['an address without sense', () => `GET /%zz HTTP/1.1\r\n${host}\r\n`, 404],
  ['a wrong method', () => `PATCH /api/jobs HTTP/1.1\r\n${host}\r\n`, 405],
  ['a wrong body', () => `POST /api/jobs HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`, 422],
  ['a foreign host', () => 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n', 403],
  ['no HTTP', () => 'hello\r\n\r\n', 400],
  ['huge headers', () => `GET / HTTP/1.1\r\n${host}A: ${'a'.repeat(70_000)}\r\n\r\n`, 413],
  ['an expectation', () => `GET /api/stats HTTP/1.1\r\n${host}Expect: wonders\r\n\r\n`, 200],
  ['half an upgrade', () => `GET /api/workers/connect HTTP/1.1\r\n${host}${upgrade}\r\n`, 400],
  ['a refused upgrade', () => foreignUpgrade(), 403],
])('%s has the headers of every answer', async (_what, text, status) => {
  const head = await headOf(text());
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toMatch(/^x-content-type-options: nosniff$/im);
  expect(head).toMatch(/^cross-origin-resource-policy: same-origin$/im);
  expect(head).toMatch(/^cross-origin-opener-policy: same-origin$/im);
  expect(head).toMatch(/^referrer-policy: no-referrer$/im);
});

test.each(['/', '/docs', '/docs/static/swagger-ui-bundle.js'])(
  '%s cannot be framed, and loads from the coordinator alone',
  async (path) => {
    const policy = (await fetch(`${live.url}${path}`)).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('http');
  },
);

/** Everything up to the empty line. */
function headOf(text: string): Promise<string> {
  const socket = connect(Number(new URL(live.url).port), '127.0.0.1');
  return new Promise((resolve, reject) => {
    let got = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      got += part;
      const end = got.indexOf('\r\n\r\n');
      if (end < 0) return;
      resolve(got.slice(0, end).replaceAll('\r', ''));
      socket.destroy();
    });
    socket.on('error', reject).on('close', () => reject(new Error(`no answer: ${got}`)));
    socket.write(text);
  });
}

function conditional(): string {
  return `GET /api/blobs/${sha256} HTTP/1.1\r\n${host}If-None-Match: "${sha256}"\r\n\r\n`;
}

function foreignUpgrade(): string {
  const origin = 'Origin: https://evil.example\r\n';
  return `GET /api/workers/connect HTTP/1.1\r\n${host}${origin}${upgrade}\r\n`;
}
