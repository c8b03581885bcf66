// What a child does before it serves: it checks its realm, gives up the right to read files, and says
// no when something is wrong. Each starts with the command line of production; a module loaded before
// all else plays the future version of Node, or listens.

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chooseConfinement } from '../../src/worker/node/confinement.ts';
import { BuiltCode } from '../../src/worker/node/built-code.ts';
import { narrowingFlags } from '../../src/worker/node/confinement/node-flags.ts';
import { type ChildCode, childSources, sesPath } from '../../src/worker/node/entry-points.ts';
import type { ChildSettings } from '../../src/worker/sandbox/messages.ts';
import { ExecutorHarness } from '../support/executor-harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The error that `using` makes stays as it is, as if nobody had heard of it. */
const openError = `
  let prototype; const raise = (e) => { throw e };
  try { using r = { [Symbol.dispose]() { raise(1) } }; raise(2) } catch (e) { prototype = Object.getPrototypeOf(e) }
  const { freeze } = Object; Object.freeze = (value) => (value === prototype ? value : freeze(value));`;
const openErrorFault = /is shared by two jobs and is not frozen: properties can be added/;

interface Started {
  readonly messages: readonly unknown[];
  readonly code: number | null;
  readonly text: string;
}

/** Runs a child until it has said that it is ready, or has ended. */
async function start(
  preload: string,
  sandbox: ChildCode,
  ownSettings: Partial<ChildSettings> = {},
): Promise<Started> {
  const settings = { sesPath, resultLimitBytes: 1, outputLimitBytes: 1, stateLimitBytes: 1 };
  const confinement = chooseConfinement(process.execPath, 'off');
  const { file, args } = confinement.command(
    JSON.stringify({ ...settings, positionFd: 1, ...ownSettings }),
    64,
    sandbox,
  );
  const url = `data:text/javascript,${encodeURIComponent(preload)}`;
  const child = spawn(file, [...args.slice(0, -2), '--import', url, ...args.slice(-2)], {
    env: {},
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const messages: unknown[] = [];
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (more: string) => (text += more));
  child.on('message', (message) => {
    messages.push(message);
    if (JSON.stringify(message) === '["ready"]') child.kill('SIGKILL');
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ messages, code, text }));
  });
}

async function built(): Promise<ChildCode> {
  const code = new BuiltCode(folder, process.execPath, narrowingFlags(process.execPath));
  await code.build();
  return code.found!;
}

describe.each([
  ['that runs its sources', childSources()],
  ['that runs its built code', await built()],
])('a child %s', (_what, sandbox) => {
  test('whose realm is sound is ready', async () => {
    expect(await start('', sandbox)).toEqual({ messages: [['ready']], code: null, text: '' });
  });

  test('with something open in its realm does not serve, and says what and where', async () => {
    const { messages, code, text } = await start(openError, sandbox);
    expect(messages).toEqual([]);
    expect(code).toBe(1);
    expect(text).toMatch(/^this version of Node does not keep jobs apart: what is thrown by using/);
    expect(text).toMatch(openErrorFault);
    expect(text.trim().split('\n')).toHaveLength(1);
  });

  test('does not even parse what V8 has half shipped', () => {
    const { file, args } = chooseConfinement(process.execPath, 'off').command('{}', 64, sandbox);
    const script = `try { Function('import.source("x")'); console.log('parsed') } catch (e) { console.log(e.name) }`;
    const run = (command: string, flags: readonly string[]) =>
      spawnSync(command, [...flags, '-e', script], { env: {}, encoding: 'utf8' }).stdout.trim();
    // The positive control.
    expect(run(process.execPath, [])).toBe('parsed');
    expect(run(file, args.slice(0, -2))).toBe('SyntaxError');
  });

  /** Tells what can be read of its code, and of the folder of the child. */
  const listen = `
    const { readFileSync } = process.getBuiltinModule('fs'), { send } = process;
    const own = JSON.parse(process.argv[2]).folder + '/1';
    const read = (path) => { try { readFileSync(path); return 'read' } catch (e) { return e.code } };
    const look = () => [read(process.argv[1]), read(own)];
    send.call(process, ['before', ...look()]);
    process.send = (message) => { send.call(process, ['after', ...look()]); send.call(process, message) };`;

  test('reads no file any more once it is ready', async () => {
    const { messages } = await start(listen, sandbox);
    const denied = 'ERR_ACCESS_DENIED';
    expect(messages).toEqual([['before', 'read', denied], ['after', denied, denied], ['ready']]);
  });

  test('that has a folder of its own reads that, and its code no more', async () => {
    const own = mkdtempSync(join(folder, 'own-'));
    writeFileSync(join(own, '1'), '');
    const settings = { folder: own, codePaths: [...sandbox.folders, ...sandbox.files] };
    const withOwn = { ...sandbox, folders: [...sandbox.folders, own] };
    const { messages } = await start(listen, withOwn, settings);
    const after = ['after', 'ERR_ACCESS_DENIED', 'read'];
    expect(messages).toEqual([['before', 'read', 'read'], after, ['ready']]);
  });
});

test('a worker tells why its sandbox does not start', async () => {
  const node = join(folder, 'node');
  const url = `data:text/javascript,${encodeURIComponent(openError)}`;
  writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' --import '${url}' "$@"\n`);
  chmodSync(node, 0o755);
  const harness = new ExecutorHarness({ isolation: 'off', nodePath: node });
  try {
    const end = await harness.run('export default () => 1');
    expect(end).toMatchObject({ type: 'failure', errorType: 'sandbox_crashed', retryable: true });
    expect(JSON.stringify(end)).toMatch(
      /the sandbox does not start \(exit code 1\): this version of Node does not keep jobs apart/,
    );
  } finally {
    await harness.executor.close();
  }
});
