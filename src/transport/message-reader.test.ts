import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { MessageReader } from './message-reader.ts';

const server = createServer();
afterEach(() => {
  server.closeAllConnections();
  server.close();
  server.removeAllListeners('request');
});

async function readerOf(answer: (response: ServerResponse) => void): Promise<MessageReader> {
  server.on('request', (_request, response) => answer(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [message] = (await once(get({ host: '127.0.0.1', port }), 'response')) as [IncomingMessage];
  return new MessageReader(message as never);
}

test('gives all of a long answer to a reader that takes its time', async () => {
  const text = Array.from({ length: 400_000 }, (_, i) => `${i}é`).join('\n');
  const reader = await readerOf((response) => response.end(text));
  let read = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    read += value;
    await new Promise(setImmediate);
  }
  expect(read).toBe(text);
  expect(await reader.read()).toEqual({ done: true });
});

test('what came before an answer broke off is given first, then the error', async () => {
  const reader = await readerOf((response) => {
    response.write('begun', () => response.destroy());
  });
  expect(await reader.read()).toEqual({ done: false, value: 'begun' });
  await expect(reader.read()).rejects.toThrow('aborted');
  await expect(reader.read()).rejects.toThrow('aborted');
});

test('who cancels while it waits is told that there is no more', async () => {
  const reader = await readerOf((response) => response.write('begun'));
  await reader.read();
  const next = reader.read();
  await reader.cancel();
  await expect(next).rejects.toThrow('the answer broke off');
});
