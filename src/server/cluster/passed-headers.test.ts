import { expect, test } from 'vitest';
import type { Caller } from '../callers.ts';
import { hasBody, headersToClient, headersToLeader } from './passed-headers.ts';

const caller: Caller = {
  address: '192.0.2.7',
  scheme: 'https',
  host: 'muster.example',
  isProxied: false,
  isPassedOn: false,
};

function asked(method: string, ...rawHeaders: string[]) {
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers[rawHeaders[i]!.toLowerCase()] = rawHeaders[i + 1]!;
  }
  return { method, headers, rawHeaders };
}

const told = ['X-Forwarded-For', '192.0.2.7', 'X-Forwarded-Proto', 'https'];
const host = ['X-Forwarded-Host', 'muster.example'];
const from = { secret: 'secret', member: 'two' };
const proof = ['x-muster-member', 'secret', 'x-muster-by', 'two'];

test('what a client says goes on as it is, beside who it is', () => {
  const request = asked('GET', 'Host', 'a:1', 'AUTHORIZATION', 'Bearer t', 'Accept', '*/*');
  expect(headersToLeader(request, caller, from, false)).toEqual([
    ...request.rawHeaders,
    ...told,
    ...host,
    ...proof,
  ]);
});

test('what is of one connection, and what only members may say, stays behind', () => {
  const request = asked(
    'POST',
    'Connection',
    'close, X-Own',
    'X-Own',
    '1',
    'Transfer-Encoding',
    'chunked',
    'X-Forwarded-For',
    '10.0.0.1',
    'X-Muster-Member',
    'guessed',
    'X-Muster-Proxied',
    '1',
    'Expect',
    '100-continue',
  );
  expect(headersToLeader(request, caller, from, false)).toEqual([
    ...told,
    ...host,
    ...proof,
    'Transfer-Encoding',
    'chunked',
  ]);
});

test('where a body ends cannot be left out', () => {
  const request = asked('GET', 'Connection', 'content-length', 'content-length', '17');
  expect(headersToLeader(request, caller, from, false)).toEqual([
    ...told,
    ...host,
    ...proof,
    'Content-Length',
    '17',
  ]);
});

test('a request without a body says so, and one without a host names none', () => {
  const nameless = { ...caller, host: undefined, isProxied: true };
  expect(headersToLeader(asked('POST'), nameless, from, false)).toEqual([
    ...told,
    'x-muster-proxied',
    '1',
    ...proof,
    'Content-Length',
    '0',
  ]);
  expect([
    hasBody({ headers: {} }),
    hasBody({ headers: { 'content-length': '0' } }),
    hasBody({ headers: { 'content-length': '3' } }),
    hasBody({ headers: { 'transfer-encoding': 'chunked' } }),
  ]).toEqual([false, false, true, true]);
});

test('an answer goes back as it is, but for what is between members or of one connection', () => {
  const answer = asked(
    '',
    'Set-Cookie',
    'a=1',
    'Keep-Alive',
    'timeout=72',
    'X-Muster-Known',
    '1',
    'Connection',
    'keep-alive',
  );
  expect(headersToClient(answer)).toEqual(['Set-Cookie', 'a=1']);
  expect(headersToClient(asked('', 'Connection', 'close'))).toEqual(['Connection', 'close']);
});
