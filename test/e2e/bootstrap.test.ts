// The bootstrap in a small checkout of its own: one package from a file, one program.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

const PROGRAM = `
import { answer } from 'dep';
const signals: string[] = [];
process.on('SIGTERM', () => {
  signals.push('SIGTERM');
  setTimeout(() => { console.log(signals.join()); process.exit(7); }, 300);
});
console.log('ready', answer, process.argv.slice(2).join());
if (process.argv.includes('--wait')) setInterval(() => {}, 1_000);
if (process.argv.includes('--crash')) process.kill(process.pid, 'SIGKILL');
`;

describe.runIf(process.platform !== 'win32')('the bootstrap', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bootstrap-'));
  const modules = join(folder, 'node_modules');

  beforeAll(() => {
    mkdirSync(join(folder, 'dep'));
    mkdirSync(join(folder, 'src', 'cli'), { recursive: true });
    cpSync(join(ROOT, 'bootstrap.mjs'), join(folder, 'bootstrap.mjs'));
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

  test('hands a signal on, once, and ends with the code of the program', async () => {
    const { child, ready, end } = start(['muster', '--wait']);
    await ready;
    child.kill('SIGTERM');
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 7, stdout: 'ready 42 --wait\nSIGTERM\n' });
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
