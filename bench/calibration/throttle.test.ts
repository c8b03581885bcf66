// Real processes and real signals. Nothing here depends on how fast they are.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { children } from '../processes.ts';
import { end, isEnded, newLaneTable, pidsOf, setPids } from './lane-table.ts';
import { Throttle } from './throttle.ts';

/** As a worker does: it starts a child that leads a group of its own, and says which. */
const parentOfOne = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'process.stdin.on("data", (data) => process.stdout.write(data))'], {
    stdio: ['pipe', 'pipe', 'ignore'], detached: true,
  });
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout);
  process.on('exit', () => child.kill('SIGKILL'));
  process.on('SIGTERM', () => process.exit());
`;

const started: ChildProcess[] = [];

afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

async function startPair(): Promise<{ parent: ChildProcess; answers: AsyncIterator<string> }> {
  const parent = spawn(process.execPath, ['-e', parentOfOne], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(parent);
  const answers = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
  parent.stdin.write('are you there?\n');
  expect((await answers.next()).value).toBe('are you there?');
  return { parent, answers };
}

function stateOf(pid: number): string {
  return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).trim();
}

test('children of a worker are stopped between their windows, the worker itself never, and all go on at the end', async () => {
  const { parent, answers } = await startPair();
  const [child] = children().get(parent.pid!) ?? [];
  const throttle = await Throttle.start([{ pid: parent.pid!, share: 0.01 }], 100);
  try {
    await expect.poll(() => stateOf(child!)).toMatch(/^T/);
    expect(stateOf(parent.pid!)).not.toMatch(/^T/);
    // It still has its windows: what it is asked is answered in one of them.
    parent.stdin!.write('and now?\n');
    expect((await answers.next()).value).toBe('and now?');
  } finally {
    await throttle.end();
  }
  expect(stateOf(child!)).not.toMatch(/^T/);
  parent.stdin!.write('go on\n');
  expect((await answers.next()).value).toBe('go on');
});

test('who started whom is known', async () => {
  const { parent } = await startPair();
  expect(children().get(process.pid)).toContain(parent.pid);
  expect(children().get(parent.pid!)).toHaveLength(1);
});

test('each device has its processes in the table, and a list that became shorter is', () => {
  const table = newLaneTable(2);
  setPids(table, 0, [11, 12, 13]);
  setPids(table, 1, [21]);
  setPids(table, 0, [12]);
  expect([pidsOf(table, 0), pidsOf(table, 1)]).toEqual([[12], [21]]);
  // More than there is room for are left out, and do not run into those of the next device.
  setPids(
    table,
    0,
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  expect(pidsOf(table, 0)).toHaveLength(15);
  expect(pidsOf(table, 1)).toEqual([21]);
  expect(isEnded(table)).toBe(false);
  end(table);
  expect(isEnded(table)).toBe(true);
});
