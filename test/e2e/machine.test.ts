// What a coordinator and its workers leave open on the machine around them: files, folders, a debugger.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, MusterProcess, type MusterProcessOptions } from '../support/muster-process.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-machine-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Listed {
  readonly id: string;
  readonly status: string;
}

/** A coordinator with one local worker, both at work. */
async function serve(options: MusterProcessOptions, ...flags: readonly string[]) {
  const args = ['serve', '--port', '0', '--workers', '1', '--data-dir', 'data', ...flags];
  const server = new MusterProcess(args, options);
  const url = await server.line((line) => (JSON.parse(line) as { url: string }).url);
  const list = async () => {
    const response = await fetch(`${url}/api/workers`);
    return (await response.json()) as readonly Listed[];
  };
  const workers = await eventually(list, (found) =>
    found.some(({ status }) => status !== 'offline'),
  );
  return { server, url, workers, list };
}

async function stop(server: MusterProcess): Promise<void> {
  server.signal('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
}

const isUnix = process.platform !== 'win32';

describe.runIf(isUnix)('files', () => {
  /** What others than the owner may do with anything in a folder, and with the folder. */
  const openOnes = (folder: string) =>
    ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].filter(
      (name) => (statSync(join(folder, name)).mode & 0o077) !== 0,
    );

  test('of a coordinator and its workers are for its owner alone, whatever the umask', async () => {
    const folder = makeFolder();
    const { server } = await serve({ folder, umask: '000' });
    const identity = join(folder, 'data', 'workers', 'worker-1', 'identity-local.json');
    await eventually(() => existsSync(identity), Boolean);
    expect(readdirSync(join(folder, 'data'))).toContain('muster.db-wal');
    expect(openOnes(join(folder, 'data'))).toEqual([]);
    await stop(server);
  });

  test('that were there before become so at the next start', async () => {
    const folder = makeFolder();
    const data = join(folder, 'data');
    await stop((await serve({ folder })).server);
    chmodSync(data, 0o755);
    chmodSync(join(data, 'muster.db'), 0o644);
    chmodSync(join(data, 'muster.db.lock'), 0o644);
    chmodSync(join(data, 'workers', 'worker-1'), 0o755);
    const { server } = await serve({ folder });
    for (const name of ['', 'muster.db', 'muster.db-wal', 'muster.db.lock', 'workers/worker-1']) {
      expect(`${name} ${(statSync(join(data, name)).mode & 0o077).toString(8)}`).toBe(`${name} 0`);
    }
    await stop(server);
  });

  test('but not a folder for everybody, nor the one that a person works in', async () => {
    const folder = makeFolder();
    chmodSync(folder, 0o755);
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    const inShared = await serve({ folder }, '--data-dir', 'shared');
    await stop(inShared.server);
    await stop((await serve({ folder }, '--data-dir', '.')).server);
    expect(statSync(shared).mode & 0o7777).toBe(0o1777);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, 'muster.db')).mode & 0o777).toBe(0o600);
  });

  test('that a person asks for keep the umask of the person', () => {
    const folder = makeFolder();
    const source = new URL('../../src/cli/process/private-files.ts', import.meta.url).href;
    const script = `const { writeFileSync } = await import('node:fs');
      const { asThePerson, keepFilesPrivate } = await import('${source}');
      keepFilesPrivate(); writeFileSync('kept', '');
      asThePerson(() => writeFileSync('asked', '')); writeFileSync('kept-too', '');`;
    const code = 'umask 022 && exec "$@"';
    const node = [process.execPath, '--input-type=module', '-e', script];
    spawnSync('bash', ['-c', code, 'bash', ...node], { cwd: folder });
    const modes = ['kept', 'asked', 'kept-too'].map(
      (name) => statSync(join(folder, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o644, 0o600]);
  });
});

test('a local worker is the same one after a restart on another port', async () => {
  const folder = makeFolder();
  const first = await serve({ folder });
  await stop(first.server);
  const second = await serve({ folder });
  await stop(second.server);
  const third = await serve({ folder });
  expect(third.workers.map(({ id }) => id)).toEqual(first.workers.map(({ id }) => id));
  const names = readdirSync(join(folder, 'data', 'workers', 'worker-1'));
  expect(names.filter((name) => name.startsWith('identity'))).toEqual(['identity-local.json']);
  await stop(third.server);
});

test.runIf(isUnix)('the signal for a debugger opens none, and nobody ends of it', async () => {
  const folder = makeFolder();
  const { server, list } = await serve({ folder });
  const lock = readFileSync(join(folder, 'data', 'workers', 'worker-1', 'lock'), 'utf8');
  const { pid: worker } = JSON.parse(lock) as { pid: number };
  if (process.platform === 'linux') {
    expect(readFileSync(`/proc/${worker}/cmdline`, 'utf8')).toContain('--disable-sigusr1');
  }
  for (const pid of [server.pid, worker]) process.kill(pid, 'SIGUSR1');
  expect(await list()).toHaveLength(1);
  await stop(server);
  expect(server.stderr).not.toContain('Debugger');
  expect(server.stderr).not.toContain('started again');
});

test.runIf(isUnix)('a debugger that the signal opens during the start is closed', async () => {
  const early = join(import.meta.dirname, '..', 'fixtures', 'early-signal.mjs');
  const around = ['env', `NODE_OPTIONS=--inspect-port=0 --import=${early}`];
  const args = ['serve', '--port', '0', '--workers', '0', '--data-dir', 'data'];
  const server = new MusterProcess(args, { folder: makeFolder(), around });
  const url = await server.line((line) => (JSON.parse(line) as { url: string }).url);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const addresses = [...server.stderr.matchAll(/ws:\/\/([\d.:]+)/g)].map(([, each]) => each);
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) {
    await expect(fetch(`http://${address}/json/version`)).rejects.toThrow('fetch failed');
  }
  await stop(server);
});

describe.runIf(process.platform === 'linux')('where bubblewrap does not work', () => {
  // Whoever can use it can also hide it, for one process and what that starts.
  const isThere = spawnSync('bwrap', ['--version'], { env: {} }).status === 0;
  const hide = 'mount --bind /dev/null "$(readlink -f "$(which bwrap)")" && exec "$@"';
  const around = isThere ? ['unshare', '--map-root-user', '--mount', 'sh', '-c', hide, 'sh'] : [];

  const count = (text: string, words: string) => text.split(words).length - 1;

  test('a worker that requires it does not start, and says how to get it', async () => {
    const folder = makeFolder();
    const args = ['worker', 'http://127.0.0.1:1', '--isolation', 'require'];
    const worker = new MusterProcess(args, { folder, around });
    expect(await worker.ended).toEqual({ code: 5, signal: null });
    expect(worker.stderr).toContain('Bubblewrap is required');
    expect(worker.stderr).toContain('apt install bubblewrap');
  });

  test('nor does a coordinator whose workers require it', async () => {
    const folder = makeFolder();
    const args = ['serve', '--port', '0', '--workers', '2', '--isolation', 'require'];
    const server = new MusterProcess(args, { folder, around });
    expect(await server.ended).toEqual({ code: 5, signal: null });
    expect(server.stdout).toBe('');
    expect(server.stderr).toContain('apt install bubblewrap');
  });

  test.each([
    ['auto', 'apt install bubblewrap'],
    ['off', 'Bubblewrap is turned off.'],
  ])('the first of its workers warns of it (%s)', async (use, words) => {
    const folder = makeFolder();
    const flags = ['--workers', '2', '--isolation', use];
    const { server, list } = await serve({ folder, around }, ...flags);
    await eventually(list, (found) => found.length === 2);
    await stop(server);
    expect(count(server.stderr, 'Tasks run behind SES')).toBe(1);
    expect(count(server.stderr, words)).toBe(1);
  });
});
