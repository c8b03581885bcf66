// The commands themselves, in this process, on the folder of a coordinator that has served.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCommandTree } from '../command-tree.ts';
import { createTerminal } from '../text/terminal.ts';
import { runCoordinator } from './coordinator-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-beside-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the command says on stderr. */
async function muster(...args: readonly string[]): Promise<string> {
  let said = '';
  const stream = (write: (text: string) => void) => ({
    write: (text: string) => {
      write(text);
      return true;
    },
    once: () => undefined,
  });
  const terminal = createTerminal(
    stream(() => undefined),
    stream((text) => (said += text)),
    {},
  );
  const context = {
    terminal,
    folder,
    environment: {},
    version: '0',
    exit: () => undefined,
    outliveReader: () => {},
  };
  await createCommandTree(context).parseAsync(['node', 'muster', ...args]);
  return said;
}

/** Starts and ends it; returns its pin. */
async function serve(tls: 'self-signed' | 'off'): Promise<string | undefined> {
  const settings = { host: '127.0.0.1', port: 0, dataDir: 'data', tls } as const;
  const running = await runCoordinator(
    settings,
    { folder, version: '0' } as never,
    pino({ level: 'silent' }),
  );
  await running.stop();
  return running.credentials?.current.pin;
}

const backup = () => muster('backup', 'copy.db', '--force', '--data-dir', 'data');
const restore = () => muster('restore', 'copy.db', '--data-dir', 'there');

test('backup and restore say nothing of keys where there are none', async () => {
  await serve('off');
  expect(await backup()).toBe('');
  expect(await restore()).not.toContain('Missing');
});

test('backup names the key and the token that it leaves out, and restore those that are missing', async () => {
  await muster('token', 'create', '--kind', 'admin', '--data-dir', 'data');
  const pin = await serve('self-signed');
  expect(await backup()).toMatch(
    /^Not in it: tls-key\.pem with tls-cert\.pem, and access\/admin\.token of data\. Copy them too.*\n$/,
  );
  expect(readFileSync(join(folder, 'copy.db')).length).toBeGreaterThan(0);
  const both = await restore();
  expect(both).toContain(
    'Missing in there: tls-key.pem with tls-cert.pem, and access/admin.token.',
  );
  expect(both).toContain(`everybody who pins ${pin} is shut out`);
  cpSync(join(folder, 'data', 'tls-key.pem'), join(folder, 'there', 'tls-key.pem'));
  expect(await restore()).toContain('Missing in there: access/admin.token.');
  mkdirSync(join(folder, 'there', 'access'), { recursive: true });
  cpSync(join(folder, 'data', 'access'), join(folder, 'there', 'access'), { recursive: true });
  expect(await restore()).not.toContain('Missing');
});
