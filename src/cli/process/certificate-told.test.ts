import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { runCoordinator } from './coordinator-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-certificate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Start {
  readonly pin: string;
  readonly said: readonly string[];
}

/** Starts a coordinator and ends it. */
async function start(): Promise<Start> {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as never) });
  const settings = { host: '127.0.0.1', port: 0, dataDir: folder, tls: 'self-signed' } as const;
  const running = await runCoordinator(settings, { folder, version: '0' } as never, log);
  await running.stop();
  const errors = lines.filter(({ level }) => level >= 50).map(({ msg }) => msg);
  return { pin: running.credentials!.current.pin, said: errors };
}

async function told(): Promise<readonly (string | null)[]> {
  const store = openSqliteStore(join(folder, 'muster.db'));
  const rows = await store.listAudit({ action: 'certificate.change' }, null, 10);
  await store.close();
  return rows.map(({ object }) => object);
}

test('a key that is another than at the last start is told loudly, with both pins, and in the audit log', async () => {
  const first = await start();
  expect(first.said).toEqual([]);
  copyFileSync(join(folder, 'tls-key.pem'), join(folder, 'kept'));
  // The certificate is made again, the key is the same.
  rmSync(join(folder, 'tls-cert.pem'));
  expect(await start()).toEqual(first);
  rmSync(join(folder, 'tls-key.pem'));
  const second = await start();
  expect(second.said).toEqual([
    expect.stringContaining(`its pin is ${second.pin}, it was ${first.pin}. Everybody who pins`),
  ]);
  expect(second.said[0]).toContain(`put the tls-key.pem of before into ${folder}`);
  expect(await told()).toEqual([second.pin, first.pin]);
  copyFileSync(join(folder, 'kept'), join(folder, 'tls-key.pem'));
  expect((await start()).pin).toBe(first.pin);
  expect(await told()).toEqual([first.pin, second.pin, first.pin]);
});
