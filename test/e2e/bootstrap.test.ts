// The bootstrap, and the command that becomes the program, in a small checkout of its own: one package
// from a file, one program.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

const PROGRAM = `
import { answer } from 'dep';
import { endWithLauncher } from './process/launcher.ts';
endWithLauncher(process.env);
let signals = 0;
process.on('SIGTERM', () => {
  console.log('SIGTERM', ++signals);
  if (signals === (process.argv.includes('--twice') ? 2 : 1)) process.exit(7);
});
console.log('ready', answer, process.argv.slice(2).join());
if (process.argv.includes('--pid')) console.log(process.pid, process.execArgv.join(' '));
if (process.argv.includes('--wait')) setInterval(() => {}, 1_000);
if (process.argv.includes('--crash')) process.kill(process.pid, 'SIGKILL');
`;

describe.runIf(process.platform !== 'win32')('the bootstrap', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bootstrap-'));
  const modules = join(folder, 'node_modules');

  beforeAll(() => {
    mkdirSync(join(folder, 'dep'));
    mkdirSync(join(folder, 'src', 'cli'), { recursive: true });
    for (const each of ['bootstrap.mjs', 'bin/muster', 'src/cli/process/launcher.ts']) {
      cpSync(join(ROOT, each), join(folder, each));
    }
    writeFileSync(join(folder, 'src', 'cli', 'main.ts'), PROGRAM);
    writeJson('dep/package.json', {
      name: 'dep',
      version: '1.0.0',
      type: 'module',
      main: 'dep.js',
    });
    writeFileSync(join(folder, 'dep', 'dep.js'), 'export const answer = 42;\n');
    npm('pack', './dep');
    writeJson('package.json', {
      name: 'small',
      version: '1.0.0',
      type: 'module',
      devDependencies: { dep: 'file:dep-1.0.0.tgz' },
    });
    npm('install', '--package-lock-only', '--offline', '--no-audit', '--no-fund');
  });

  beforeEach(() => rmSync(modules, { recursive: true, force: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('installs at the first start, development packages too, and never at the second', async () => {
    const first = await start(['muster', 'a', 'b'], { NODE_ENV: 'production' }).end;
    expect(first).toMatchObject({ code: 0, stdout: 'ready 42 a,b\n' });
    expect(first.stderr).toMatch(/^installing packages .*\n$/);
    expect(await start(['muster']).end).toEqual({ code: 0, stdout: 'ready 42 \n', stderr: '' });
  });

  test('takes an installation made by hand as it is', async () => {
    npm('ci', '--offline', '--no-audit', '--no-fund');
    expect(await start(['muster']).end).toEqual({ code: 0, stdout: 'ready 42 \n', stderr: '' });
  });

  test('installs again when the last installation did not come to its end', async () => {
    npm('ci', '--offline', '--no-audit', '--no-fund');
    rmSync(join(modules, '.package-lock.json')); // npm writes it last
    expect((await start(['muster']).end).stderr).toMatch(/^installing packages/);
  });

  test('installs once when two first starts meet', async () => {
    const both = await Promise.all([start(['muster']).end, start(['muster']).end]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.filter(({ stderr }) => stderr !== '')).toHaveLength(1);
    expect(existsSync(join(folder, '.muster', 'installing'))).toBe(false);
  });

  test('hands on every signal, and ends with the code of the program', async () => {
    const { child, ready, end } = start(['muster', '--wait', '--twice']);
    await ready;
    const heard = once(child.stdout, 'data');
    child.kill('SIGTERM');
    await heard;
    child.kill('SIGTERM');
    const stdout = 'ready 42 --wait,--twice\nSIGTERM 1\nSIGTERM 2\n';
    expect(await end).toMatchObject({ code: 7, stdout });
  });

  test('takes the program with it when it is killed', async () => {
    const { child, ready, end } = start(['muster', '--wait']);
    await ready;
    child.kill('SIGKILL');
    // Both hold the output, so it closes only when the program is gone, too.
    expect(await end).toMatchObject({ code: null, stdout: 'ready 42 --wait\n' });
  });

  test('opens no debugger at the signal for one, and goes on', async () => {
    const { child, ready, end } = start(['muster', '--wait']);
    await ready;
    child.kill('SIGUSR1');
    child.kill('SIGTERM');
    const { code, stderr } = await end;
    expect(code).toBe(7);
    expect(stderr).not.toMatch(/debugger|inspector/i);
  });

  test('ends as a shell would when the program was killed', async () => {
    expect((await start(['muster', '--crash']).end).code).toBe(137);
  });

  test('opens no debugger at a signal', async () => {
    npm('ci', '--offline', '--no-audit', '--no-fund');
    const { child, ready, end } = start(['muster', '--wait'], { NODE_OPTIONS: '--inspect-port=0' });
    await ready;
    child.kill('SIGUSR1');
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 7, stderr: '' });
  });

  test('closes a debugger that a signal before its first line has opened', async () => {
    npm('ci', '--offline', '--no-audit', '--no-fund');
    const early = join(ROOT, 'test', 'fixtures', 'early-signal.mjs');
    const NODE_OPTIONS = `--inspect-port=0 --import=${early}`;
    const { child, ready, end } = start(['muster', '--wait'], { NODE_OPTIONS });
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += chunk));
    await ready;
    const addresses = [...stderr.matchAll(/ws:\/\/([\d.:]+)/g)].map(([, each]) => each);
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) {
      await expect(fetch(`http://${address}/json/version`)).rejects.toThrow('fetch failed');
    }
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 7 });
  });

  test('refuses a target that there is not, and names those that there are', async () => {
    const { code, stderr } = await start(['fly']).end;
    expect(code).toBe(1);
    expect(stderr).toMatch(/"fly" is not a target.*start, muster/);
  });

  describe('the command in bin/', () => {
    const command = join(folder, 'bin', 'muster');
    const kept = join(modules, '.muster-command');
    const lockFile = join(folder, 'package-lock.json');
    /** Has a `node` that must not be asked. */
    const elsewhere = join(folder, 'elsewhere');
    const here = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
    const there = { PATH: [elsewhere, process.env['PATH']].join(delimiter) };

    beforeAll(() => {
      mkdirSync(elsewhere);
      writeFileSync(join(elsewhere, 'node'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
    });
    beforeEach(() => npm('ci', '--offline', '--no-audit', '--no-fund'));

    test('becomes the program: what is started in the background is the program itself', async () => {
      const script = '"$0" --pid --wait & started=$!; wait $started; echo "$started: $?"';
      const child = run('bash', ['-c', script, command], here);
      const ended = outcome(child);
      for await (const line of createInterface({ input: child.stdout })) {
        const [, pid] = /^(\d+) --disable-sigusr1 --max-semi-space-size=8$/.exec(line) ?? [];
        if (pid === undefined) continue;
        process.kill(Number(pid), 'SIGKILL');
        break;
      }
      const { stdout } = await ended;
      expect(stdout).toMatch(/^(\d+) --disable.*\n\1: 137$/m);
    });

    test('asks no Node of elsewhere a second time, whatever it is called by', async () => {
      expect(await outcome(run(command, ['a b', '*'], here))).toMatchObject({
        stdout: 'ready 42 a b,*\n',
      });
      const link = join(folder, 'linked');
      symlinkSync('bin/muster', link);
      const end = await outcome(run(link, ['c'], there));
      expect(end).toEqual({ code: 0, stdout: 'ready 42 c\n', stderr: '' });
    });

    test('keeps what Node has made of the sources, with the packages', async () => {
      const cache = join(modules, '.cache', 'muster');
      rmSync(cache, { recursive: true, force: true });
      expect(await outcome(run(command, [], here))).toMatchObject({ code: 0 });
      expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(1);
      const own = join(folder, 'own-cache');
      rmSync(cache, { recursive: true });
      await outcome(run(command, [], { ...here, NODE_COMPILE_CACHE: own }));
      expect([existsSync(cache), existsSync(own)]).toEqual([false, true]);
    });

    test('asks again when the packages have changed, or the checkout was moved', async () => {
      expect(await outcome(run(command, [], here))).toMatchObject({ code: 0 });
      expect(await outcome(run(command, [], there))).toMatchObject({ code: 0 });
      const later = new Date(Date.now() + 1_000);
      utimesSync(lockFile, later, later);
      expect(await outcome(run(command, [], there))).toMatchObject({ code: 9 });
      utimesSync(lockFile, new Date(0), new Date(0));
      expect(await outcome(run(command, [], there))).toMatchObject({ code: 0 });
      writeFileSync(kept, `/elsewhere on another machine\n${process.execPath}\n--no-warnings\n`);
      expect(await outcome(run(command, [], there))).toMatchObject({ code: 9 });
    });

    test('says what it needs where there is no Node', async () => {
      const bare = join(folder, 'bare');
      mkdirSync(bare);
      for (const name of ['uname', 'readlink', 'sh']) {
        const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
        symlinkSync(found.trim(), join(bare, name));
      }
      const { code, stderr } = await outcome(run(command, [], { PATH: bare }));
      expect(code).toBe(1);
      expect(stderr).toMatch(/^muster needs Node 20 or newer .* https:\/\/nodejs\.org\.\n$/);
    });

    function run(file: string, args: string[], env: NodeJS.ProcessEnv) {
      const child = spawn(file, args, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGTERM'));
      return child;
    }
  });

  function writeJson(path: string, value: object): void {
    writeFileSync(join(folder, path), JSON.stringify(value));
  }

  function npm(...args: string[]): void {
    execFileSync('npm', args, { cwd: folder, stdio: 'pipe' });
  }

  function start(args: string[], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, ['bootstrap.mjs', ...args], {
      cwd: folder,
      env: { ...process.env, INIT_CWD: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGTERM'));
    return { child, ready: once(child.stdout, 'data'), end: outcome(child) };
  }
});

async function outcome(child: ChildProcess) {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
