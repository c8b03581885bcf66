import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { anotherPinThan, testCertificate } from '../../test/support/test-certificate.ts';
import { connect } from './index.ts';

const { cert, key, pin } = testCertificate();
const otherPin = anotherPinThan(pin);
let server: Server;
let url: string;
let requests: number;

beforeEach(async () => {
  requests = 0;
  server = createServer({ key, cert }, (_request, response) => {
    requests++;
    response.end('[]');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('a pin is taken as an option or with the address, which is told without it', async () => {
  expect(await connect(url, { pin }).jobs()).toEqual([]);
  const client = connect(`${url}/#k=${pin}`);
  expect(await client.jobs()).toEqual([]);
  expect(client.url).toBe(url);
});

test('a certificate that is not the pinned one is refused, and nobody waits for another', async () => {
  const client = connect(url, { pin: otherPin });
  await expect(client.jobs()).rejects.toMatchObject({
    name: 'ConnectionError',
    reason: 'untrusted',
    message: expect.stringMatching(`its pin is ${pin}, expected is ${otherPin}.*Nothing was sent`),
  });
  const results = client.results('j', { follow: true, patienceMs: 60_000 });
  await expect(Array.fromAsync(results)).rejects.toMatchObject({ reason: 'untrusted' });
  expect(requests).toBe(0);
});

test('a certificate that nobody trusts is refused with its pin, and the address that takes it', async () => {
  await expect(connect(url).jobs()).rejects.toMatchObject({
    reason: 'untrusted',
    message: expect.stringMatching(
      `signed by itself alone \\(DEPTH_ZERO_SELF_SIGNED_CERT\\)\\. Its pin is ${pin}\\..*${url}#k=${pin}`,
    ),
  });
  expect(requests).toBe(0);
});

test('a pin that cannot be checked is refused at once', () => {
  expect(() => connect('http://127.0.0.1:8000', { pin })).toThrow(
    /has none: use the address with https/,
  );
  expect(() => connect(url, { pin, fetch })).toThrow(/cannot be checked by a fetch of your own/);
  expect(() => connect(url, { pin: 'short' })).toThrow(/"short" is not a pin/);
});

test('a pin is refused in a page, with a sentence', () => {
  vi.stubGlobal('process', undefined);
  try {
    expect(() => connect(url, { pin })).toThrow(/A page cannot pin a certificate, only Node/);
  } finally {
    vi.unstubAllGlobals();
  }
});
