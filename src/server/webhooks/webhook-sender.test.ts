// Messages reach the addresses that were checked, and no others, and nothing that a receiver does costs more
// than its time.

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createPlainServer,
  type Server,
  type Socket,
} from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../coordinator/port/notifications.ts';
import { createAddressRules } from './address-rules.ts';
import { createWebhookSender, type SenderOptions } from './webhook-sender.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  open.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const receiver = (answer: RequestListener) => listen(createServer(answer));

function delivery(url: string, secret: string | null = 'sixteen letters!'): Delivery {
  const notice = { schema: 1, id: 'msg_1', data: { name: 'π' } } as unknown as Delivery['notice'];
  return { id: 'msg_1', url, secret, at: 1_614_265_330_999, notice };
}

const here = createAddressRules(['127.0.0.1']);
const never = new AbortController().signal;

function sender(more: Partial<SenderOptions> = {}) {
  const send = createWebhookSender({ rules: here, version: '1.2.3', ...more });
  return (url: string, secret?: string | null) => send(delivery(url, secret), never);
}

/** A resolver that gives one list after the other, and notes what it was asked. */
function resolver(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    const addresses = answers[Math.min(asked.push(host), answers.length) - 1]!;
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve };
}

describe('a message', () => {
  test('comes with its id, its time and a signature that its receiver can verify', async () => {
    let got: IncomingMessage;
    let body = '';
    const port = await receiver((request, response) => {
      got = request;
      request.on('data', (piece) => (body += piece));
      request.on('end', () => response.writeHead(204).end());
    });
    const told = await sender()(`http://127.0.0.1:${port}/hook?x=1`);
    expect(told).toEqual({ outcome: 'delivered', answer: '204' });
    const { headers, method } = got!;
    expect([method, JSON.parse(body)]).toMatchObject(['POST', { data: { name: 'π' } }]);
    expect(headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      'content-type': 'application/json',
      'user-agent': 'muster/1.2.3',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1614265330',
    });
    const hmac = createHmac('sha256', 'sixteen letters!').update(`msg_1.1614265330.${body}`);
    expect(headers['webhook-signature']).toBe(`v1,${hmac.digest('base64')}`);
  });

  test('is not signed without a secret', async () => {
    let names: string[] = [];
    const port = await receiver((request, response) => {
      names = Object.keys(request.headers);
      response.end();
    });
    await sender()(`http://127.0.0.1:${port}/`, null);
    expect(names).toContain('webhook-id');
    expect(names).not.toContain('webhook-signature');
  });

  test.each([
    [200, 'delivered', '200'],
    [299, 'delivered', '299'],
    [301, 'failed', '301, and redirects are not followed'],
    [404, 'failed', '404'],
    [410, 'refused', '410'],
    [503, 'failed', '503'],
  ])('that is answered by %i is %s', async (status, outcome, answer) => {
    const port = await receiver((_request, response) => {
      response.writeHead(status, 'and so on').end('\u001b[2J'.repeat(10));
    });
    expect(await sender()(`http://127.0.0.1:${port}/`)).toEqual({ outcome, answer });
  });

  test('does not go on to where it is redirected', async () => {
    const paths: unknown[] = [];
    const port = await receiver((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: `http://127.0.0.1:${port}/inside` }).end();
    });
    await sender()(`http://127.0.0.1:${port}/hook`);
    expect(paths).toEqual(['/hook']);
  });
});

describe('an address', () => {
  test('that is not public is not connected to, however it is spelled', async () => {
    let requests = 0;
    const port = await receiver((_request, response) => {
      requests++;
      response.end();
    });
    const send = sender({ rules: createAddressRules() });
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      expect(await send(`http://${host}:${port}/`)).toEqual({
        outcome: 'failed',
        answer: 'the name leads to an address that is not public',
      });
    }
    expect(requests).toBe(0);
  });

  test('that is public is not connected to at the port of another service', async () => {
    const { resolve } = resolver(['93.184.216.34']);
    const send = sender({ rules: createAddressRules(), resolve, timeoutMs: 200 });
    for (const host of ['93.184.216.34', '[2606:4700::1]', 'hooks.example']) {
      expect(await send(`http://${host}:25/`)).toMatchObject({ answer: 'its port is not allowed' });
    }
  });

  test('is looked up by the system, which knows localhost', async () => {
    const port = await receiver((_request, response) => response.end());
    const both = createAddressRules(['127.0.0.1', '::1']);
    const told = (rules: SenderOptions['rules']) => sender({ rules })(`http://localhost.:${port}/`);
    expect(await told(both)).toMatchObject({ outcome: 'delivered' });
    expect(await told(createAddressRules())).toMatchObject({ outcome: 'failed' });
  });

  test('that is not public among others makes the name unusable', async () => {
    const { resolve } = resolver(['93.184.216.34', '10.0.0.1'], ['93.184.216.34', '::1']);
    const send = sender({ rules: createAddressRules(), resolve });
    for (const _ of ['v4', 'v6']) {
      expect(await send('http://hooks.example/')).toMatchObject({
        answer: 'the name leads to an address that is not public',
      });
    }
  });

  test('is the one that was checked: a name that leads elsewhere later leads there in vain', async () => {
    let requests = 0;
    const port = await receiver((_request, response) => {
      requests++;
      response.end();
    });
    // The first look is what was checked; a second one, if anybody took it, would lead to what is private.
    const { asked, resolve } = resolver(['127.0.0.1'], ['127.0.0.2']);
    const send = sender({ resolve });
    expect(await send(`http://rebound.example:${port}/`)).toMatchObject({ outcome: 'delivered' });
    expect(asked).toEqual(['rebound.example']);
    expect(await send(`http://rebound.example:${port}/`)).toEqual({
      outcome: 'failed',
      answer: 'the name leads to an address that is not public',
    });
    expect([asked.length, requests]).toEqual([2, 1]);
  });

  test('of a name that the operator allows is not asked for', async () => {
    const port = await receiver((_request, response) => response.end());
    const { resolve } = resolver(['127.0.0.1']);
    const send = sender({ rules: createAddressRules(['hooks.lan']), resolve });
    expect(await send(`http://hooks.lan:${port}/`)).toMatchObject({ outcome: 'delivered' });
  });

  test('may not be known at all', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(await sender({ resolve })('http://nowhere.example/')).toEqual({
      outcome: 'failed',
      answer: 'the name is not known',
    });
  });
});

describe('a receiver', () => {
  const short = sender({ timeoutMs: 200 });
  const late = { outcome: 'failed', answer: 'no answer within 0.2 s' };

  test('that never answers is left after a while', async () => {
    const port = await receiver(() => undefined);
    expect(await short(`http://127.0.0.1:${port}/`)).toEqual(late);
  });

  test('that stops amid TLS is left after a while', async () => {
    const port = await listen(createPlainServer(() => undefined));
    expect(await short(`https://127.0.0.1:${port}/`)).toEqual(late);
  });

  test('whose name nobody answers for is left after a while', async () => {
    const resolve = () => new Promise<never>(() => undefined);
    const send = sender({ timeoutMs: 200, resolve });
    expect(await send('http://slow.example/')).toEqual(late);
  });

  test('that has answered and does not end is told, and left', async () => {
    const port = await receiver((_request, response) => {
      response.writeHead(200).write('x');
    });
    expect(await short(`http://127.0.0.1:${port}/`)).toEqual({
      outcome: 'delivered',
      answer: '200',
    });
  });

  test('that sends megabytes is cut off', async () => {
    let sent = 0;
    const port = await receiver((_request, response) => {
      const piece = Buffer.alloc(64 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(piece)) sent += piece.length;
      };
      response.on('drain', more);
      more();
    });
    expect(await sender()(`http://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'delivered' });
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  test('that sends endless headers, or no HTTP, has not been told', async () => {
    const endless = await listen(
      createPlainServer((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(64 * 1024)}`);
      }),
    );
    expect(await sender()(`http://127.0.0.1:${endless}/`)).toEqual({
      outcome: 'failed',
      answer: 'it could not be sent (HPE_HEADER_OVERFLOW)',
    });
    const mute = await listen(
      createPlainServer((socket) => void socket.end('\u001b[31mSSH-2.0\n')),
    );
    const { outcome, answer } = await sender()(`http://127.0.0.1:${mute}/`);
    expect([outcome, /^[ -~]+$/.test(answer)]).toEqual(['failed', true]);
  });

  test('that is not there has not been told', async () => {
    const port = await receiver(() => undefined);
    const server = open.pop()!;
    server.close();
    await once(server, 'close');
    expect(await sender()(`http://127.0.0.1:${port}/`)).toEqual({
      outcome: 'failed',
      answer: 'the connection was refused',
    });
  });
});
