import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { CommandFailure } from '../command-failure.ts';
import { createCommandTree } from '../command-tree.ts';
import type { Context } from '../context.ts';
import { readAdminToken, writeAddress } from '../process/access-files.ts';
import { createTerminal } from '../text/terminal.ts';
import { declareToken } from './token.ts';

test.each(['worker\nabc', 'a\u0000b', '', 'x'.repeat(200)])(
  'no coordinator runs: an owner that is no line is refused too: %j',
  async (owner) => {
    const program = new Command().exitOverride();
    declareToken(program, { folder: '/dev/null/none', environment: {} } as unknown as Context);
    for (const each of program.commands.flatMap(({ commands }) => commands))
      each.exitOverride().configureOutput({ writeErr: () => undefined });
    const asked = ['token', 'create', '--kind', 'client', '--owner', owner];
    await expect(program.parseAsync(asked, { from: 'user' })).rejects.toThrow(
      'An owner is a line of 1 to 199 characters.',
    );
  },
);

afterEach(() => vi.unstubAllEnvs());

const token = {
  id: 'abcdefgh',
  kind: 'admin',
  owner: 'admin',
  label: null,
  status: 'good',
  expires_at: null,
  last_used_at: null,
  uses_left: null,
  quota: {},
};

/** Somebody else's coordinator; `heard` has what it was asked. */
async function elsewhere(
  status = 200,
): Promise<{ readonly url: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const answer: RequestListener = (request, reply) => {
    reply.statusCode = status;
    heard.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    const made = { ...token, token: 'mst_a_abcdefgh_x', code: 'unauthorized', detail: 'Show one.' };
    const body = request.method === 'GET' && status === 200 ? [token] : made;
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };
  const server = createServer(answer);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function muster(folder: string, ...args: string[]): Promise<string> {
  let text = '';
  const out = {
    isTTY: false,
    columns: 80,
    write: (more: string) => ((text += more), true),
    once: () => undefined,
  };
  const terminal = createTerminal(out, out, { NO_COLOR: '1' });
  const context = {
    terminal,
    folder,
    environment: {},
    version: '0.0.0',
    exit: () => {},
    outliveReader: () => {},
  };
  await createCommandTree(context).parseAsync(args, { from: 'user' });
  return text;
}

test.each([
  [['list'], 'GET /api/tokens'],
  [['create', '--kind', 'admin'], 'POST /api/tokens'],
  [['revoke', 'abcdefgh'], 'DELETE /api/tokens/abcdefgh'],
  [['quota', 'abcdefgh', 'open_jobs=1'], 'PATCH /api/tokens/abcdefgh'],
])('the coordinator of MUSTER_URL is asked, and nothing is made here: %j', async (args, asked) => {
  const { url, heard } = await elsewhere();
  const folder = emptyFolder();
  vi.stubEnv('MUSTER_URL', url);
  vi.stubEnv('MUSTER_TOKEN', 'mst_a_mine');
  await muster(folder, 'token', ...args);
  expect(heard).toEqual([`${asked} Bearer mst_a_mine`]);
  expect(existsSync(join(folder, '.muster'))).toBe(false);
});

test('the coordinator of the configuration file is asked, and --url beats it', async () => {
  const [config, flag] = [await elsewhere(), await elsewhere()];
  const folder = emptyFolder();
  writeFileSync(join(folder, 'muster.config.json'), JSON.stringify({ url: config.url }));
  expect(await muster(folder, 'token', 'list')).toContain('abcdefgh');
  await muster(folder, 'token', 'list', '--url', flag.url);
  expect([config.heard.length, flag.heard.length]).toEqual([1, 1]);
});

test('named or not, the admin token of the coordinator of the data folder is kept there', async () => {
  const { url } = await elsewhere();
  const folder = emptyFolder();
  writeAddress(join(folder, '.muster'), url);
  vi.stubEnv('MUSTER_URL', url);
  await muster(folder, 'token', 'create', '--kind', 'admin');
  expect(readAdminToken(join(folder, '.muster'))).toBe('mst_a_abcdefgh_x');
});

test('without the admin token of the folder, its coordinator is not asked in a circle', async () => {
  const { url } = await elsewhere(401);
  const folder = emptyFolder();
  writeAddress(join(folder, '.muster'), url);
  const lost = new CommandFailure(
    'refused',
    'The admin token is not in .muster/access: end the coordinator, make one with ' +
      '`muster token create --kind admin`, and start it again.',
  );
  const create = (...more: string[]) =>
    muster(folder, 'token', 'create', '--kind', 'client', ...more);
  await expect(create('--store', 'sqlite::memory:')).rejects.toThrow(lost);
  await expect(create('--url', url)).rejects.toThrow(lost);
  await expect(create('--url', url, '--token', 'mst_a_other')).rejects.toThrow('Show one.');
});

test('a pin of --pin or MUSTER_PIN goes with the address', async () => {
  const { url, heard } = await elsewhere();
  const folder = emptyFolder();
  const pinned = muster(folder, 'token', 'list', '--url', url, '--pin', 'A'.repeat(43));
  await expect(pinned).rejects.toThrow(/https/);
  vi.stubEnv('MUSTER_PIN', 'A'.repeat(43));
  await expect(muster(folder, 'token', 'list', '--url', url)).rejects.toThrow(/https/);
  expect(heard).toEqual([]);
});
