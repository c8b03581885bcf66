import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../client/index.ts';
import { explain } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';
import { foreignAnswer } from './foreign-answer.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function answering(text: string): Promise<string> {
  server = createServer((request, response) => {
    request.resume();
    response.end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(['{}', '[]', 'null', '{"ok":true}', '<html>'])(
  'a command that breaks at an answer %s says that this is no coordinator',
  async (text) => {
    const url = await answering(text);
    const { exitCode, lines } = explain(await foreignAnswer(new TypeError('broke'), { url }));
    expect([exitCode, lines[0]]).toEqual([
      exitCodes.unreachable.code,
      `What answers at ${url} is not a coordinator. Is this its address?`,
    ]);
  },
);

test('what breaks at a coordinator, at nobody, or at none is a fault of Muster', async () => {
  const broken = new TypeError('broke');
  const url = await answering('{"status":"ready"}');
  expect(await foreignAnswer(broken, { url })).toBe(broken);
  expect(await foreignAnswer(broken, {})).toBe(broken);
  const gone = await answering('{}');
  server!.close();
  await once(server!, 'close');
  expect(await foreignAnswer(broken, { url: gone })).toBe(broken);
});

test('an error that says what is wrong stays as it is', async () => {
  const url = await answering('<html>');
  const error = await connect(url)
    .stats()
    .catch((cause: unknown) => cause);
  expect(await foreignAnswer(error, { url })).toBe(error);
});
