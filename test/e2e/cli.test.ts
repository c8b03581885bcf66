// The command line with real processes: a coordinator, its local workers, and what people type.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sandboxGlobals } from '../../src/client/packing/sandbox-globals.ts';
import { cliCoordinator } from '../support/cli-coordinator.ts';
import { type CliEnd, endOf, runCli, serveCli, startCli } from '../support/cli-process.ts';

const SQUARE = `import { times } from './times.ts';
export default (n: number): number => times(n, n);
`;
const TIMES = 'export const times = (a: number, b: number): number => a * b;\n';
const ODD = "export default (n) => { if (n % 2) throw new Error('odd: ' + n); return n; };\n";
// Longer than any test: it is there to be interrupted.
const ENDLESS = `export default function* () {
  for (let i = 0; ; i = (i + 1) % 1000) yield { progress: i / 1000 };
}\n`;

const coordinator = cliCoordinator({
  'square.ts': SQUARE,
  'times.ts': TIMES,
  'odd.js': ODD,
  'endless.js': ENDLESS,
  'work.py': 'def run(input, task):\n    return input * task.shared["by"]\n',
  'shared.json': '{"by": 3}',
});
const { folder, muster } = coordinator;

function musterWith(stdin: string, ...args: readonly string[]): Promise<CliEnd> {
  return runCli(args, { folder, environment: { MUSTER_URL: coordinator.url }, stdin });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { index: number; status: string; value?: unknown });

describe('submit', () => {
  test('bundles a program, runs it and prints its results as they come', async () => {
    const { code, stdout, stderr } = await muster(
      'submit',
      'square.ts',
      '--range',
      '3:4',
      '--follow',
    );
    expect(code).toBe(0);
    const values = linesOf(stdout).toSorted((one, other) => one.index - other.index);
    expect(values.map(({ value }) => value)).toEqual([9, 16, 25, 36]);
    expect(stderr).toMatch(/^submitted \S+: 4 tasks\ncompleted: 4 tasks in /);
    expect(stderr).not.toContain('\u001b');
  });

  test('takes the inputs from stdin and writes the results in index order', async () => {
    const inputs = Array.from({ length: 200 }, (_, n) => `${n}\n`).join('');
    const args = ['submit', 'square.ts', '--inputs', '-', '--name', 'squares', '--out', 'out.json'];
    const { code, stdout } = await musterWith(inputs, ...args);
    expect(code).toBe(0);
    const results = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as {
      value: number;
    }[];
    expect(results.map(({ value }) => value)).toEqual(Array.from({ length: 200 }, (_, n) => n * n));
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
    const job = await muster('job', stdout.trim(), '--json');
    expect(JSON.parse(job.stdout)).toMatchObject({ name: 'squares', status: 'completed' });
  });

  test('ends with 1 when tasks fail, and says how to run them again', async () => {
    const args = ['submit', 'odd.js', '--range', '0:4', '--max-attempts', '1', '--follow'];
    const { code, stdout, stderr } = await muster(...args);
    expect(code).toBe(1);
    expect(linesOf(stdout).filter(({ status }) => status === 'failed')).toHaveLength(2);
    expect(stderr).toContain('failed: 2 failed of 4 tasks');
    const id = /muster retry (\S+)/.exec(stderr)?.[1] ?? '';
    const retried = await muster('retry', id);
    expect([retried.code, retried.stderr]).toEqual([
      0,
      expect.stringContaining('(runs the program that was submitted; ') as string,
    ]);
    expect((await muster('results', id, '--follow')).code).toBe(1);
  });

  test('of a job that is held `job` says since when, in the time of the person', async () => {
    const { stdout, stderr } = await muster('submit', 'square.ts', '--range', '0:1', '--hold');
    expect(stderr).toContain(
      `held: nothing of it starts yet\nlet it start:  muster release ${stdout}`,
    );
    const environment = { MUSTER_URL: coordinator.url, TZ: 'Asia/Kolkata' };
    const shown = await runCli(['job', stdout.trim()], { folder, environment });
    const [, created = ''] = /^created +(.+) \(/m.exec(shown.stdout) ?? [];
    expect(shown.stdout).toMatch(new RegExp(`^held since +${created} \\(`, 'm'));
    expect(shown.stdout).toMatch(/^waiting for +\d/m);
    expect((await muster('release', stdout.trim())).stderr).toContain('goes on');
    await muster('cancel', stdout.trim());
    expect((await muster('release', stdout.trim())).stderr).toMatch(
      / \(square\) has ended \((?:cancelled|completed)\): there is nothing to release\n/,
    );
  });

  test('a program in Python waits until a worker offers that, and `job` and `explain` say so', async () => {
    const args = ['submit', 'work.py', '--range', '0:2', '--shared', '@shared.json', '--json'];
    const job = JSON.parse((await muster(...args)).stdout) as { id: string };
    expect(job).toMatchObject({ name: 'work', task_count: 2 });
    expect((await muster('job', job.id)).stdout).toMatch(/^program +python$/m);
    const explained = await muster('explain', job.id, '0');
    expect(explained.stdout).toContain('does not run python, only javascript');
    const shown = await fetch(`${coordinator.url}/api/jobs/${job.id}/program`);
    expect(await shown.json()).toMatchObject({ kind: 'python' });
    await muster('cancel', job.id);
  });

  test('prints the id, and with --json the job', async () => {
    const plain = await muster('submit', 'square.ts', '--range', '0:1');
    expect(plain.stdout).toMatch(/^[\w-]{36}\n$/);
    const json = await muster('submit', 'square.ts', '--range', '0:1', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ name: 'square', task_count: 1 });
  });

  test.each([
    ['no inputs', ['square.ts'], 'The job has no inputs.'],
    ['a file that is not there', ['square.ts', '--inputs', 'x.json'], 'There is no file "x.json".'],
    ['a program that is not there', ['x.ts', '--range', '0:1'], 'There is no file "x.ts".'],
    ['a wrong range', ['square.ts', '--range', '1:2:3'], '"1:2:3" is not a range'],
    ['a flag with a slip', ['square.ts', '--rnage', '0:1'], '(Did you mean --range?)'],
  ])('refuses %s', async (_what, args, sentence) => {
    const { code, stdout, stderr } = await muster('submit', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  test('sends nothing of a job whose inputs break halfway', async () => {
    const before = await muster('jobs', '--json');
    const { code, stderr } = await musterWith('1\n2\nx\n', 'submit', 'square.ts', '--inputs', '-');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('stdin:3 is not a JSON value') as string,
    });
    expect((await muster('jobs', '--json')).stdout).toBe(before.stdout);
  });

  test('the names that a program may use are there where it runs', async () => {
    const names = [...sandboxGlobals].filter((name) => name !== 'undefined');
    const there = names.map((name) => `${name}: typeof ${name} !== 'undefined'`).join(', ');
    writeFileSync(join(folder, 'names.js'), `export default () => ({ ${there} });\n`);
    const { stdout } = await muster('submit', 'names.js', '--range', '0:1', '--follow');
    expect(linesOf(stdout)[0]?.value).toEqual(
      Object.fromEntries(names.map((name) => [name, true])),
    );
  });
});

describe('lists', () => {
  test('are tables for people and what the coordinator answered for programs', async () => {
    const { stdout } = await muster('workers');
    const [titles, row] = stdout.split('\n');
    expect(titles).toMatch(
      /^ID +NAME +TYPE +STATUS +TASKS +COMPLETED +FAILED +CPU +VERSION +HEARTBEAT$/,
    );
    expect(row).toMatch(/ pc linux +(online|busy) /);
    const workers = JSON.parse((await muster('workers', '--json')).stdout) as { id: string }[];
    expect(workers).toHaveLength(1);
    expect(row?.split(' ')[0]).toBe(workers[0]?.id);
  });

  test('may be cut off by their reader', async () => {
    const args = ['submit', 'square.ts', '--range', '0:20000', '--follow'];
    const child = startCli(args, { folder, environment: { MUSTER_URL: coordinator.url } });
    const ended = once(child, 'exit') as Promise<[number | null]>;
    child.stderr?.resume();
    await once(child.stdout!, 'data');
    child.stdout?.destroy();
    expect(await ended).toEqual([0, null]);
  });

  test('a worker is drained and resumed', async () => {
    let id = '';
    while (id === '') {
      const { stdout } = await muster('workers', '--json');
      id = (JSON.parse(stdout) as { id: string }[])[0]?.id ?? '';
    }
    expect((await muster('drain', id)).stderr).toContain('is draining');
    expect((await muster('workers')).stdout).toContain('draining');
    expect((await muster('resume', id)).code).toBe(0);
    expect((await muster('workers')).stdout).not.toContain('draining');
  });
});

describe('a mistake is answered with a sentence', () => {
  test('an id with a slip in it', async () => {
    const [job] = JSON.parse((await muster('jobs', '--json')).stdout) as { id: string }[];
    const { code, stderr } = await muster('job', `${job?.id}x`);
    expect(code).toBe(4);
    expect(stderr).toContain(`Did you mean "${job?.id}"?`);
  });

  test('a command with a slip in it', async () => {
    const { code, stderr } = await muster('jbos');
    expect(code).toBe(2);
    expect(stderr).toContain('(Did you mean jobs?)');
  });

  test('a coordinator that is not there', async () => {
    const gone = await serveCli(['--store', 'sqlite::memory:'], { folder });
    expect(await gone.stop()).toBe(0);
    const { code, stderr } = await muster('jobs', '--url', gone.url);
    expect(code).toBe(3);
    expect(stderr).toContain(`muster: No coordinator answers at ${gone.url} (ECONNREFUSED).`);
    expect(stderr).toContain('Start one with `muster serve`');
  });

  test('a job that has ended', async () => {
    const { stdout } = await muster('submit', 'square.ts', '--range', '0:1', '--out', 'one.ndjson');
    const { code, stderr } = await muster('cancel', stdout.trim());
    expect(code).toBe(4);
    expect(stderr).toContain('can no longer be cancelled');
  });
});

describe('a job that is followed', () => {
  test('goes on after Ctrl-C, which says how to come back', async () => {
    const args = ['submit', 'endless.js', '--range', '0:1', '--follow'];
    const child = startCli(args, { folder, environment: { MUSTER_URL: coordinator.url } });
    const end = endOf(child);
    const lines = createInterface({ input: child.stderr! });
    const [said] = (await once(lines, 'line')) as [string];
    child.kill('SIGINT');
    const { code } = await end;
    expect(code).toBe(130);
    const id = /submitted ([\w-]+)/.exec(said)?.[1] ?? '';
    expect((await end).stderr).toContain(`muster results ${id} --follow`);
    const job = JSON.parse((await muster('job', id, '--json')).stdout) as { status: string };
    expect(['pending', 'running']).toContain(job.status);
    expect((await muster('cancel', id)).code).toBe(0);
    expect((await muster('results', id, '--follow')).code).toBe(1);
  });
});

describe('serve', () => {
  test('refuses a port that is taken', async () => {
    const { port } = new URL(coordinator.url);
    const { code, stdout, stderr } = await muster('serve', '--port', port, '--data-dir', 'other');
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is taken`);
  });

  test('refuses a store that another coordinator holds', async () => {
    const { code, stderr } = await muster('serve', '--port', '0');
    expect(code).toBe(5);
    expect(stderr).toContain('Another coordinator');
  });

  test('refuses a store that is something else, and leaves it alone', async () => {
    writeFileSync(join(folder, 'notes.db'), 'my notes');
    const { code, stderr } = await muster('serve', '--port', '0', '--store', 'sqlite:notes.db');
    expect(code).toBe(5);
    expect(stderr).toContain('notes.db');
    expect(readFileSync(join(folder, 'notes.db'), 'utf8')).toBe('my notes');
  });

  test('refuses other machines', async () => {
    const { code, stderr } = await muster('serve', '--host', '0.0.0.0', '--data-dir', 'other');
    expect(code).toBe(5);
    expect(stderr).toContain('this machine only');
  });

  test('keeps its jobs, starts a crashed worker again, and ends with 0', async () => {
    const own = mkdtempSync(join(tmpdir(), 'muster-serve-'));
    const options = { folder: own };
    writeFileSync(join(own, 'square.js'), 'export default (n) => n * n;\n');
    const first = await serveCli([], options);
    const args = ['submit', 'square.js', '--range', '0:3', '--url', first.url];
    const id = (await runCli(args, options)).stdout.trim();
    expect(await first.stop()).toBe(0);

    writeFileSync(join(own, 'muster.config.json'), '{"workerName": "lab"}');
    const second = await serveCli(['--workers', '1'], options);
    const follow = ['results', id, '--follow', '--url', second.url];
    expect(linesOf((await runCli(follow, options)).stdout)).toHaveLength(3);
    const lock = join(own, '.muster', 'workers', 'worker-1', 'lock');
    const { pid } = JSON.parse(readFileSync(lock, 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    const again = ['submit', 'square.js', '--range', '0:3', '--follow', '--url', second.url];
    expect((await runCli(again, options)).code).toBe(0);
    const workers = await runCli(['workers', '--json', '--url', second.url], options);
    expect(JSON.parse(workers.stdout)).toMatchObject([{ name: 'lab-1' }]);
    expect(await second.stop()).toBe(0);
    expect(existsSync(lock)).toBe(false);
    rmSync(own, { recursive: true });
  });

  test('takes its workers along when it is killed', async () => {
    const own = mkdtempSync(join(tmpdir(), 'muster-killed-'));
    const killed = await serveCli(['--workers', '1'], { folder: own });
    const lock = join(own, '.muster', 'workers', 'worker-1', 'lock');
    await until(() => existsSync(lock));
    killed.child.kill('SIGKILL');
    await until(() => !existsSync(lock));
    expect(killed.child.signalCode).toBe('SIGKILL');
    rmSync(own, { recursive: true });
  });

  test('does not start a deregistered worker again', async () => {
    const own = mkdtempSync(join(tmpdir(), 'muster-deregistered-'));
    const options = { folder: own };
    const { url, said, stop } = await serveCli(['--workers', '1'], options);
    const list = async () =>
      JSON.parse((await runCli(['workers', '--json', '--url', url], options)).stdout) as {
        id: string;
      }[];
    let workers = await list();
    while (workers.length === 0) workers = await list();
    await fetch(`${url}/api/workers/${workers[0]?.id}`, { method: 'DELETE' });
    await until(() => said().includes('worker 1 has left and is not started again'));
    expect(await list()).toEqual([]);
    expect(await stop()).toBe(0);
    rmSync(own, { recursive: true });
  });

  test('ends with 6 when the disk refuses a commit', async () => {
    const own = mkdtempSync(join(tmpdir(), 'muster-full-'));
    const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
    // Files may not grow beyond so many blocks of 512 bytes: a full disk, for this process alone.
    const command = `ulimit -f 1400; exec "${process.execPath}" "${main}" serve --port 0`;
    const child = promisify(execFile)('sh', ['-c', command], { cwd: own });
    const [line] = (await once(createInterface({ input: child.child.stdout! }), 'line')) as [
      string,
    ];
    const { url } = JSON.parse(line) as { url: string };
    const source = `export default () => 1; // ${'x'.repeat(900_000)}`;
    const body = { program: { kind: 'javascript', source }, inputs: [1] };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/jobs`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ code: 'storage_failed' });
    await expect(child).rejects.toMatchObject({
      code: 6,
      stderr: expect.stringContaining('What it acknowledged is safe.') as string,
    });
    rmSync(own, { recursive: true });
  });
});

describe('worker', () => {
  test('leaves with 0 when it is told to, and takes its folder with it', async () => {
    const child = startCli(['worker', coordinator.url, '--name', 'guest', '--label', 'gpu=yes'], {
      folder,
    });
    const end = endOf(child);
    await once(createInterface({ input: child.stderr! }), 'line');
    const list = JSON.parse((await muster('workers', '--json')).stdout) as { name: string }[];
    expect(list.find(({ name }) => name === 'guest')).toMatchObject({ labels: { gpu: 'yes' } });
    child.kill('SIGTERM');
    expect((await end).code).toBe(0);
    expect(existsSync(join(folder, '.muster', 'worker', 'lock'))).toBe(false);
  });

  test('works on when nobody reads its log any more', async () => {
    const child = startCli(['worker', coordinator.url, '--name', 'unread'], { folder });
    const lists = async (word: string) => {
      for (;;) {
        const { stdout } = await muster('workers', '--json');
        const found = (JSON.parse(stdout) as { name: string; status: string }[]).find(
          ({ name, status }) => name === 'unread' && status === word,
        );
        if (found !== undefined) return;
      }
    };
    await lists('online');
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect((await muster('drain', 'unread')).code).toBe(0);
    await lists('draining');
    expect((await muster('resume', 'unread')).code).toBe(0);
    await lists('online');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('refuses what is no address', async () => {
    const { code, stderr } = await muster('worker', 'here');
    expect(code).toBe(2);
    expect(stderr).toContain('"here" is no address of a coordinator');
  });
});

describe('start', () => {
  test('--once runs the sample job, leaves the chart, and no process', async () => {
    const own = mkdtempSync(join(tmpdir(), 'muster-start-'));
    // Whoever has it, the port that nobody named is taken.
    const taken = createServer();
    await new Promise<void>((resolve) => {
      taken.once('listening', resolve).once('error', () => resolve());
      taken.listen(8000, '127.0.0.1');
    });
    const { code, stdout, stderr } = await runCli(['start', '--once'], { folder: own });
    taken.close();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('port 8000 is taken by another program; a free one does as well');
    expect(stdout).toContain('S&P 500, 10 years ahead');
    expect(stdout).toContain(`chart: ${join('.muster', 'market-risk.svg')}`);
    expect(readFileSync(join(own, '.muster', 'market-risk.svg'), 'utf8')).toMatch(/^<svg /);
    const locks = readdirSync(join(own, '.muster', 'workers')).filter((name) =>
      existsSync(join(own, '.muster', 'workers', name, 'lock')),
    );
    expect(locks).toEqual([]);
    rmSync(own, { recursive: true });
  });

  test('refuses a port that was named and is taken', async () => {
    const { port } = new URL(coordinator.url);
    const { code, stderr } = await runCli(
      ['start', '--once', '--port', port, '--data-dir', 'other'],
      { folder },
    );
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining(`Port ${port} on 127.0.0.1 is taken by another program.`),
    ]);
  });
});

test('--version and help need no coordinator', async () => {
  const version = await muster('--version');
  expect(version).toMatchObject({ code: 0, stderr: '' });
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+(\+g[0-9a-f]{7})?\n$/);
  const help = await muster('help', 'submit');
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toContain('Usage: muster submit [options] <program>');
});
