import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type App, createApp } from './app.ts';
import { Callers } from './callers.ts';
import { ServedHosts } from './served-hosts.ts';

let app: App;
let client: Socket;
let begun: string[];
let open: number;
let mostOpen: number;
let areStrangers: boolean;

beforeEach(async () => {
  [begun, open, mostOpen] = [[], 0, 0];
  areStrangers = false;
  app = createApp({
    log: pino({ level: 'silent' }),
    allowedOrigins: [],
    callers: new Callers(),
    served: new ServedHosts(false, () => false),
    credentials: undefined,
    closeMs: 0,
    isStranger: () => areStrangers,
  });
  app.get('/some', async (request) => {
    begun.push(request.url);
    mostOpen = Math.max(mostOpen, ++open);
    await nextTurn();
    open--;
    return { url: request.url };
  });
  app.get('/never', (request) => {
    begun.push(request.url);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
});
afterEach(async () => {
  client.destroy();
  await app.close();
});

function countConnections(): Promise<number> {
  return new Promise((resolve) => {
    app.server.getConnections((_error, count) => resolve(count));
  });
}

function get(path: string, header = 'X-Some: thing'): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`;
}

test('requests that come at once are begun one after the other, and all are answered', async () => {
  const paths = Array.from({ length: 300 }, (_, i) => `/some?n=${i}`);
  client.write(
    paths
      .slice(0, -1)
      .map((path) => get(path))
      .join('') + get(paths.at(-1)!, 'Connection: close'),
  );
  let answers = '';
  for await (const piece of client) answers += String(piece);
  expect(begun).toEqual(paths);
  expect([...answers.matchAll(/\{"url":"(.*?)"\}/g)].map(([, url]) => url)).toEqual(paths);
  expect(mostOpen).toBe(1);
});

test('a connection with too many that wait is closed, and none of them is begun', async () => {
  client.write(get('/never') + get('/some').repeat(1_001));
  await once(client.resume(), 'close');
  expect(begun).toEqual(['/never']);
});

describe('of strangers', () => {
  const send = (text: string): Socket => {
    const { port } = app.server.address() as AddressInfo;
    const other = connect(port, '127.0.0.1').resume();
    other.on('error', () => undefined);
    other.write(text);
    return other;
  };
  const some = (count: number) => get('/some').repeat(count) + get('/some', 'Connection: close');
  const served = () => begun.filter((url) => url === '/some').length;

  test('few may wait on a connection', async () => {
    areStrangers = true;
    await once(send(get('/never') + get('/some').repeat(51)), 'close');
    expect(begun).toEqual(['/never']);
    await once(send(some(50)), 'close');
    expect(served()).toBe(51);
  });

  test('fewer still while many wait on others, and then as before', async () => {
    let arrived = 0;
    app.server.on('request', () => arrived++);
    const others = Array.from({ length: 7 }, () => send(get('/never') + get('/some').repeat(900)));
    await vi.waitUntil(() => arrived === 7 * 901, { timeout: 20_000 });
    areStrangers = true;
    await once(send(get('/never') + get('/some').repeat(21)), 'close');
    expect(served()).toBe(0);
    await once(send(some(20)), 'close');
    expect(served()).toBe(21);
    for (const other of others) other.destroy();
    await vi.waitUntil(async () => (await countConnections()) === 1, { timeout: 20_000 });
    await nextTurn();
    await nextTurn();
    // What has waited on connections that are gone counts no more.
    await once(send(some(50)), 'close');
    expect(served()).toBe(21 + 51);
  });
});

test('waiting requests are not begun when the connection closes', async () => {
  client.write(get('/never') + get('/some'));
  const [, waiting] = await Promise.all([once(app.server, 'request'), once(app.server, 'request')]);
  const { socket } = waiting[0];
  client.destroy();
  await once(socket, 'close');
  await nextTurn();
  await nextTurn();
  expect(begun).toEqual(['/never']);
});
