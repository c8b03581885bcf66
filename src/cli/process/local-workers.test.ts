import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LocalWorkers } from './local-workers.ts';

test('a worker that came without the token which was made meanwhile is started again with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-local-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tokenFile = join(folder, 'admin.token');
  const shown: (string | undefined)[] = [];
  const { promise: wasShown, resolve } = Promise.withResolvers<unknown>();
  const server = createServer();
  server.on('upgrade', ({ headers: { authorization } }, socket) => {
    shown.push(authorization);
    writeFileSync(tokenFile, 'made-meanwhile\n');
    if (authorization !== undefined) resolve(null);
    socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const told: string[] = [];
  const workers = new LocalWorkers({
    count: 1,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pin: null,
    folder,
    tokenFile,
    isolation: 'off',
    logLevel: 'silent',
    tell: (line) => told.push(line),
  });
  onTestFinished(() => workers.stop(5_000));
  workers.start();
  await wasShown;
  // With a token the same refusal is the last.
  await expect.poll(() => told.at(-1), { timeout: 20_000 }).toMatch(/is not started again/);
  expect(shown).toEqual([undefined, 'Bearer made-meanwhile']);
}, 60_000);
