import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BlobContent } from '../executor.ts';
import { ChildFolder } from './child-folder.ts';

function stage() {
  const path = mkdtempSync(join(tmpdir(), 'muster-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const blob = join(path, 'blob');
  writeFileSync(blob, 'in a file');
  const folder = new ChildFolder(join(path, 'child'));
  const content = (sha256: string): BlobContent =>
    sha256 === 'f' ? { path: blob, sizeBytes: 9 } : { bytes: Uint8Array.of(104, 105) };
  const lend = (jobId: string, ...hashes: string[]) =>
    folder.lend(jobId, new Map(hashes.map((sha256) => [sha256, content(sha256)])));
  const read = (name: string | Uint8Array) =>
    readFileSync(join(folder.path, name as string), 'utf8');
  return { folder, blob, lend, read, files: () => readdirSync(folder.path) };
}

test('has what a job names: a link to a file, and what is in memory as a file', () => {
  const { lend, read, blob } = stage();
  const lent = lend('a', 'f', 'm');
  expect(lent.map(([sha256, name]) => [sha256, read(name)])).toEqual([
    ['f', 'in a file'],
    ['m', 'hi'],
  ]);
  expect(statSync(blob).nlink).toBe(2);
});

test('keeps a blob for as long as one of its jobs is there', () => {
  const { folder, lend, files, blob } = stage();
  const [first] = lend('a', 'f', 'm');
  expect(lend('b', 'f')).toEqual([first]);
  folder.takeBack('a');
  expect(files()).toEqual([first![1]]);
  folder.takeBack('b');
  folder.takeBack('b');
  expect(files()).toEqual([]);
  expect(readFileSync(blob, 'utf8')).toBe('in a file');
});

test('a blob that cannot be put there leaves nothing of its job behind', () => {
  const { folder, lend, files } = stage();
  const gone = new Map<string, BlobContent>([
    ['m', { bytes: Uint8Array.of(1) }],
    ['g', { path: join(folder.path, 'nowhere'), sizeBytes: 1 }],
  ]);
  expect(() => folder.lend('a', gone)).toThrow('ENOENT');
  expect(files()).toEqual([]);
  expect(lend('a', 'm')).toHaveLength(1);
});

test.runIf(process.platform !== 'win32')('is for nobody else, and goes with its child', () => {
  const { folder, lend } = stage();
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  lend('a', 'f');
  folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});
