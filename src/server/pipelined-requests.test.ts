import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type App, createApp } from './app.ts';
import { Callers } from './callers.ts';

let app: App;
let client: Socket;
let begun: string[];
let open: number;
let mostOpen: number;

beforeEach(async () => {
  [begun, open, mostOpen] = [[], 0, 0];
  app = createApp({
    log: pino({ level: 'silent' }),
    allowedOrigins: [],
    callers: new Callers(),
    credentials: undefined,
    closeMs: 0,
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
