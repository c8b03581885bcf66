import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAddress, removeAddress, writeAddress } from './access-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-access-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const url = 'http://127.0.0.1:8000';

test('the address of a coordinator is there until it ends', () => {
  expect(writeAddress(folder, url)).toBeUndefined();
  expect(readAddress(folder)).toBe(url);
  removeAddress(folder, 'http://127.0.0.1:9000');
  expect(readAddress(folder)).toBe(url);
  removeAddress(folder, url);
  expect(readAddress(folder)).toBeUndefined();
});

test('a second coordinator on a data folder leaves it to the first, and takes it when that is gone', () => {
  const file = join(folder, 'access', 'address');
  writeAddress(folder, url);
  const [, , started] = readFileSync(file, 'utf8').split('\n');
  const first = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    rmSync(join(folder, 'access'), { recursive: true });
    mkdirSync(join(folder, 'access'));
    writeFileSync(file, `${url}\n${first.pid}\n${startOf(first.pid!, started!)}\n`);
    const second = 'http://127.0.0.1:9000';
    expect(writeAddress(folder, second)).toBe(url);
    for (const each of [second, url]) removeAddress(folder, each);
    expect(readAddress(folder)).toBe(url);
    writeFileSync(file, `${url}\n${first.pid}\n0\n`);
    expect(writeAddress(folder, second)).toBeUndefined();
    expect(readAddress(folder)).toBe(second);
  } finally {
    first.kill('SIGKILL');
  }
});

/** As the file has it for this process: not at all where the system does not tell. */
function startOf(pid: number, ofThis: string): string {
  if (ofThis === '') return '';
  const state = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return state.slice(state.lastIndexOf(')') + 2).split(' ')[19]!;
}
