import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deadChild } from '../../../test/support/dead-child.ts';
import { StateDirectory, StateDirectoryError } from './state-directory.ts';

const url = 'http://127.0.0.1:8000';
const identity = { workerId: 'w1', workerToken: 'secret' };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-state-'));
});

afterEach(() => {
  chmodSync(root, 0o700);
  rmSync(root, { recursive: true, force: true });
});

test('keeps an identity for each coordinator', () => {
  const directory = StateDirectory.open(join(root, 'a', 'b'));
  expect(directory.readIdentity(url)).toBeNull();
  directory.saveIdentity(url, identity);
  directory.saveIdentity('https://other:8000', { workerId: 'w2', workerToken: 'x' });
  expect(directory.readIdentity(url)).toEqual(identity);
  directory.forgetIdentity(url);
  expect(directory.readIdentity(url)).toBeNull();
  expect(directory.readIdentity('https://other:8000')?.workerId).toBe('w2');
});

test('takes a damaged identity for none', () => {
  const directory = StateDirectory.open(root);
  directory.saveIdentity(url, identity);
  const file = readdirSync(root).find((name) => name.startsWith('identity'))!;
  for (const text of ['', '{"worker_id":', '[]', '{"worker_id":1,"worker_token":"x"}']) {
    writeFileSync(join(root, file), text);
    expect(directory.readIdentity(url)).toBeNull();
  }
});

test('is refused to a second worker, and free after the first has closed', () => {
  const first = StateDirectory.open(root);
  expect(() => StateDirectory.open(root)).toThrow(
    new RegExp(`in use by the worker with process id ${process.pid}.*name another directory`),
  );
  first.close();
  StateDirectory.open(root).close();
  expect(readdirSync(root)).toEqual([]);
});

test('is taken over from a process that was killed', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(join(root, 'lock'), JSON.stringify({ pid, started: null }));
  const directory = StateDirectory.open(root);
  directory.close();
  expect(existsSync(join(root, 'lock'))).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'is taken over from a process that was killed, and whose parent has not noticed',
  async () => {
    const { pid, started, parent } = await deadChild();
    writeFileSync(join(root, 'lock'), JSON.stringify({ pid, started }));
    expect(() => StateDirectory.open(root).close()).not.toThrow();
    parent.kill('SIGKILL');
  },
);

test('is taken over when another process has got the id since', () => {
  writeFileSync(join(root, 'lock'), JSON.stringify({ pid: process.pid, started: '1' }));
  if (process.platform === 'linux') StateDirectory.open(root).close();
  else expect(() => StateDirectory.open(root)).toThrow(StateDirectoryError);
});

test('is taken over when the lock is damaged', () => {
  writeFileSync(join(root, 'lock'), 'garbage');
  expect(() => StateDirectory.open(root).close()).not.toThrow();
});

test('says so when it cannot be written', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => StateDirectory.open(join(root, 'file', 'state'))).toThrow(
    /The state directory .* cannot be written: ENOTDIR/,
  );
});
