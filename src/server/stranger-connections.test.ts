import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import type { Bearer } from '../coordinator/port/tokens.ts';
import { type App, createApp } from './app.ts';
import { Callers } from './callers.ts';
import { ServedHosts } from './served-hosts.ts';
import { StrangerConnections } from './stranger-connections.ts';

let app: App;
let strangers: StrangerConnections;
let sockets: Socket[] = [];
let cuts = 0;

interface Given {
  readonly most?: number;
  readonly isCounted?: boolean;
  readonly proxies?: readonly string[];
  readonly silenceMs?: number;
}

async function start({ most = 4, isCounted = true, proxies = [], silenceMs }: Given = {}) {
  const callers = new Callers(proxies);
  cuts = 0;
  app = createApp({
    log: pino({ level: 'silent' }),
    allowedOrigins: [],
    callers,
    served: new ServedHosts(false, () => false),
    credentials: undefined,
    closeMs: 50,
  });
  app.decorateRequest('bearer', null);
  strangers = new StrangerConnections({
    most,
    isCounted: () => isCounted,
    callers,
    onCut: () => cuts++,
    ...(silenceMs === undefined ? {} : { silenceMs }),
  });
  strangers.attach(app);
  app.addHook('onRequest', async ({ headers: { authorization } }, reply) => {
    if (authorization === 'Bearer wrong') await reply.code(401).send('');
  });
  app.addHook('onRequest', async (request) => {
    if (request.headers.authorization !== undefined) request.bearer = {} as Bearer;
  });
  app.get('/some', () => 'some answer');
  await app.listen({ port: 0, host: '127.0.0.1' });
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await app.close();
});

/** `from`: an address of loopback. */
async function dial(from = '127.0.0.1'): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo;
  const accepted = once(app.server, 'connection');
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  sockets.push(socket);
  await Promise.all([once(socket, 'connect'), accepted]);
  return socket;
}

async function ask(socket: Socket, headers = ''): Promise<string> {
  socket.write(`GET /some HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString().split('\r\n', 1)[0]!;
}

function gone(socket: Socket): Promise<unknown> {
  return socket.closed ? Promise.resolve() : new Promise((end) => socket.once('close', end));
}

test('cuts the oldest of an address that has half of all, and serves the newest', async () => {
  await start();
  const [first, second, third] = [await dial(), await dial(), await dial()];
  await gone(first);
  expect([cuts, strangers.count]).toEqual([1, 2]);
  expect(await ask(second)).toBe('HTTP/1.1 200 OK');
  expect(await ask(third)).toBe('HTTP/1.1 200 OK');
});

test('does not count a connection any more on which a good token was shown', async () => {
  await start();
  const known = [await dial(), await dial(), await dial()].slice(1);
  for (const socket of known) await ask(socket, 'Authorization: Bearer good\r\n');
  expect(strangers.count).toBe(0);
  for (let i = 0; i < 5; i++) await dial();
  for (const socket of known) expect(await ask(socket)).toBe('HTTP/1.1 200 OK');
});

test('forgets a connection that has ended', async () => {
  await start();
  const closed = once(app.server, 'connection').then(([socket]) => once(socket as Socket, 'close'));
  const socket = await dial();
  expect(strangers.count).toBe(1);
  socket.destroy();
  await closed;
  expect(strangers.count).toBe(0);
});

test('counts nothing where nobody needs a token', async () => {
  await start({ isCounted: false });
  const open = [await dial(), await dial(), await dial(), await dial(), await dial()];
  expect([cuts, strangers.count]).toEqual([0, 0]);
  expect(await ask(open[0]!)).toBe('HTTP/1.1 200 OK');
});

test('counts no connection of a proxy that is believed', async () => {
  await start({ proxies: ['127.0.0.1'] });
  for (let i = 0; i < 5; i++) await dial();
  expect([cuts, strangers.count]).toEqual([0, 0]);
});

test('cuts a stranger that is silent, and none that was answered, however', async () => {
  await start({ silenceMs: 200 });
  const silent = await dial();
  const asking = await dial();
  expect(await ask(asking, 'Authorization: Bearer wrong\r\n')).toBe('HTTP/1.1 401 Unauthorized');
  await gone(silent);
  expect(cuts).toBe(1);
  expect(await ask(asking)).toBe('HTTP/1.1 200 OK');
});
