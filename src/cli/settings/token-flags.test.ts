import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deadChild } from '../../../test/support/dead-child.ts';
import { writeAddress, writeAdminToken } from '../process/access-files.ts';
import type { Context } from '../context.ts';
import { showTo } from './token-flags.ts';

let folder: string;
let context: Context;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-flags-'));
  context = { folder } as Context;
});
afterEach(() => rmSync(folder, { recursive: true }));

const url = 'http://127.0.0.1:8000';

test('takes the token of the flags before that of a file, and both before the one kept for the admin', () => {
  writeAddress(folder, url);
  writeAdminToken(folder, 'kept');
  writeFileSync(join(folder, 'mine'), ' mine \n');
  const find = (flags: object) => showTo(url, flags, folder, context).token;
  expect(find({ token: 'given', tokenFile: 'mine' })).toBe('given');
  expect(find({ tokenFile: 'mine' })).toBe('mine');
  expect(find({})).toBe('kept');
  expect(() => find({ tokenFile: 'none' })).toThrow('The token file "none" cannot be read');
  writeFileSync(join(folder, 'empty'), '\n');
  expect(() => find({ tokenFile: 'empty' })).toThrow('The token file "empty" is empty.');
});

const tls = 'https://127.0.0.1:8000';
test.for([
  [url, 'http://127.0.0.1:8000/', true],
  [url, 'http://[::1]:8000', false],
  [url, 'http://127.0.0.2:8000', false],
  [url, 'http://localhost:8001', false],
  [url, 'https://localhost:8000', false],
  [url, 'http://127.0.0.1:8001', false],
  [url, 'https://127.0.0.1:8000', false],
  [url, 'http://192.0.2.1:8000', false],
  [url, 'http://127.0.0.1.evil.example:8000', false],
  [url, 'no address', false],
  [tls, 'https://127.0.0.1:8000/', true],
  [tls, 'https://[::1]:8000#k=of-somebody-else', false],
  [tls, 'https://127.0.0.1:8001', false],
  [tls, 'http://127.0.0.1:8000', false],
  [tls, 'https://127.0.0.1.evil.example:8000', false],
] as const)(
  "shows the admin's token to the coordinator of the data folder only: of %s to %s",
  ([at, to, isShown]) => {
    writeAddress(folder, at);
    writeAdminToken(folder, 'kept');
    expect(showTo(to, {}, folder, context)).toEqual(
      isShown ? { url: to, token: 'kept' } : { url: to },
    );
  },
);

test('shows it to nobody at the address of a coordinator whose process is gone', async () => {
  writeAddress(folder, url);
  writeAdminToken(folder, 'kept');
  const file = join(folder, 'access', 'address');
  const [address, pid, started] = readFileSync(file, 'utf8').split('\n');
  const gone = spawn(process.execPath, ['-e', '0']);
  await once(gone, 'exit');
  const shown = [
    `${address}\n${gone.pid}\n${started}`,
    `${address}\n${pid}\n${started}0`,
    address,
  ].map((text) => {
    writeFileSync(file, `${text}\n`);
    return showTo(url, {}, folder, context).token;
  });
  expect(shown).toEqual([undefined, undefined, undefined]);
});

test('shows none when nothing says where the coordinator of the data folder serves', () => {
  writeAdminToken(folder, 'kept');
  expect(showTo(url, {}, folder, context)).toEqual({ url });
});

test('sends it to the very address that the coordinator has, when localhost was asked for', () => {
  writeAddress(folder, url);
  const asked = 'http://localhost:8000';
  expect(showTo(asked, {}, folder, context)).toEqual({ url: asked });
  writeAdminToken(folder, 'kept');
  expect(showTo(asked, {}, folder, context)).toEqual({ url, token: 'kept' });
  expect(showTo(asked, { token: 'given' }, folder, context)).toEqual({
    url: asked,
    token: 'given',
  });
});

test.runIf(process.platform === 'linux')(
  "keeps the admin's token when the coordinator was killed, and its parent has not noticed",
  async () => {
    const { pid, started, parent } = await deadChild();
    writeAddress(folder, url);
    writeFileSync(join(folder, 'access', 'address'), [url, pid, started].join('\n'));
    writeAdminToken(folder, 'kept');
    expect(showTo(url, {}, folder, context)).toEqual({ url });
    parent.kill('SIGKILL');
  },
);
