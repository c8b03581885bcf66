// Ways out of the interpreter: none of them gets anywhere from the child, and each gets out where there is no wall.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RandomBytes } from '../../src/worker/sandbox-python/random-bytes.ts';
import type { WalkReport } from '../fixtures/python-walk.ts';
import { PythonChild } from '../support/python-child.ts';

const ways = readFileSync(new URL('../fixtures/python-escapes.py', import.meta.url), 'utf8');
const names = [...ways.matchAll(/^@way\((?:"(\w+)")?\)\ndef (\w+)/gm)].map(
  ([, where = 'pyodide', name = '']) => [name, where] as const,
);
const namesOf = (where: string) => names.flatMap(([name, each]) => (each === where ? [name] : []));
/** What makes a request and cannot tell of an answer. */
const onlyAsks = new Set(['load_package']);
const run = promisify(execFile);
/** How often a way may ask again after a turn of the event loop. */
const turnsMost = 3;

const folder = mkdtempSync(join(tmpdir(), 'muster-secret-'));
const secretFile = join(folder, 'secret.txt');
const asked: string[] = [];
let server: Server;
/** A cold start computes for seconds, on a machine that may have other things to do. */
const startsAtMostMs = 300_000;
let child: PythonChild;

beforeAll(async () => {
  writeFileSync(secretFile, 'the secret of the host that runs all of this');
  server = createServer((request, response) => {
    asked.push(request.url!);
    response.end('reached');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  child = await PythonChild.start();
  await child.makeImage();
  await load();
}, startsAtMostMs);

afterAll(async () => {
  await child.close();
  server.close();
  rmSync(folder, { recursive: true });
});

function programFor(where: string): string {
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}/${where}/`;
  const constants = { SECRET: secretFile, BASE: base, RANDOM_OF_TASK: randomOf('escape-0') };
  const lines = Object.entries(constants).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}`,
  );
  return [...lines, `PID = ${process.pid}`, ways].join('\n');
}

/** The first random bytes of a task. */
function randomOf(taskId: string): string {
  const random = new RandomBytes();
  const bytes = Buffer.alloc(8);
  random.restart(taskId);
  random.drawInto(bytes);
  return bytes.toString('hex');
}

async function load(): Promise<void> {
  await child.load({ jobId: 'escape', program: programFor('confined') });
}

/** What the child says of one call; an interpreter that was broken by it is replaced. */
async function said(input: object): Promise<string> {
  const order = { jobId: 'escape', taskId: 'escape-0', inputJson: JSON.stringify(input) };
  const { step } = await child.run({ ...order, stopAfterMs: 20_000 });
  if (step.type === 'result')
    return 'json' in step.value ? (JSON.parse(step.value.json) as string) : 'bytes';
  if (step.type === 'broken') await load();
  return '';
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)!;
}

describe('a task in Python', () => {
  test.each(names)('does not get out by %s', async (name) => {
    let got = await said({ name });
    for (let turns = 0; got === '' && turns < turnsMost; turns++) got = await said({ again: name });
    expect(got).toBe('');
    expect(asked.filter((path) => path.startsWith('/confined/'))).toEqual([]);
  });

  test('reaches nothing of the host, and nothing that the host reaches and that can be changed', async () => {
    const report = (await child.ask({ do: 'walk' })) as WalkReport;
    expect(report.found).toEqual([]);
    expect(report.loose).toEqual([]);
    expect(report.reached).toBeGreaterThan(20_000);
  });

  test('can do its work after all of this', async () => {
    const { step } = await child.try('def run(input, task): return sum(range(10))');
    expect(step).toEqual({ type: 'result', value: { json: '45' } });
  });
});

describe('without walls', () => {
  const env = { ...process.env, MUSTER_SECRET: 'from the environment', TZ: 'Asia/Tokyo' };
  const options = { env, timeout: 60_000, maxBuffer: 1 << 26 };
  const unconfined = fileURLToPath(new URL('../fixtures/python-unconfined.ts', import.meta.url));

  test('all ways out of the published interpreter are open', async () => {
    const order = JSON.stringify({ program: programFor('open'), names: namesOf('pyodide') });
    const { stdout } = await run(process.execPath, [unconfined, order], options);
    const got = JSON.parse(lastLine(stdout)) as object;
    expect(closedOf(got)).toEqual([]);
    expect(Object.keys(got)).toHaveLength(namesOf('pyodide').length);
    expect(asked).toContain('/open/load_package-1.0-py3-none-any.whl');
  });

  test('the same walk finds the host, and what of it can be changed', async () => {
    const order = JSON.stringify({ program: '', names: [], walks: true });
    const { stdout } = await run(process.execPath, [unconfined, order], options);
    const { found, loose } = JSON.parse(lastLine(stdout)) as WalkReport;
    const things = found.map((each) => each.split(':', 1)[0]);
    expect(things).toEqual(expect.arrayContaining(['globalThis', 'fetch', 'Function', 'eval']));
    expect(loose.length).toBeGreaterThan(100);
  });

  test('all others are open in the Python of a machine that has one', async (context) => {
    const python = await nativePython();
    if (python === null) return context.skip('there is no python3 on this machine');
    const asks = `
import json
got = {}
for name in ${JSON.stringify(namesOf('native'))}:
    try: got[name] = attempt(name)
    except Exception as error: got[name] = ""
print(json.dumps(got))
`;
    const { stdout } = await run(python, ['-c', programFor('native') + asks], options);
    expect(closedOf(JSON.parse(lastLine(stdout)) as object)).toEqual([]);
  });
});

async function nativePython(): Promise<string | null> {
  try {
    await run('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']);
    return 'python3';
  } catch {
    return null;
  }
}

/** What got nowhere. */
function closedOf(got: object): readonly string[] {
  const entries = Object.entries(got) as [string, string][];
  return entries.flatMap(([name, value]) => (value === '' && !onlyAsks.has(name) ? [name] : []));
}
