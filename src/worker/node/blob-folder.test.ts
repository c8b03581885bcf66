import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BlobFolder } from './blob-folder.ts';

let parent: string;
let path: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'muster-blob-folder-'));
  path = join(parent, 'blobs');
});
afterEach(() => rmSync(parent, { recursive: true }));

const bytesOf = (text: string) => new TextEncoder().encode(text);
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function opened(): Promise<BlobFolder> {
  const folder = new BlobFolder(path);
  await folder.list();
  return folder;
}

test('a blob is a file that can be read, and is there at the next start', async () => {
  const before = await opened();
  const put = await before.put(hashOf('one'), bytesOf('one'));
  expect(put).toEqual({ path: join(path, hashOf('one')), sizeBytes: 3 });
  expect(readFileSync(join(path, hashOf('one')), 'utf8')).toBe('one');
  const after = new BlobFolder(path);
  expect(await after.list()).toEqual([{ sha256: hashOf('one'), sizeBytes: 3 }]);
  expect(await after.find(hashOf('one'))).toEqual(put);
  expect(await after.find(hashOf('two'))).toBeUndefined();
});

test('a file from before that is not what its name says is removed, and counts as not there', async () => {
  await (await opened()).put(hashOf('one'), bytesOf('one'));
  const file = join(path, hashOf('one'));
  chmodSync(file, 0o600);
  writeFileSync(file, 'oneself');
  const folder = await opened();
  expect(await folder.find(hashOf('one'))).toBeUndefined();
  expect(existsSync(file)).toBe(false);
});

test('a file that somebody has removed meanwhile is not there', async () => {
  const folder = await opened();
  await folder.put(hashOf('one'), bytesOf('one'));
  rmSync(join(path, hashOf('one')), { force: true });
  expect(await folder.find(hashOf('one'))).toBeUndefined();
});

test('files are listed in the order of their last use, and what was left half-written goes', async () => {
  const folder = await opened();
  for (const text of ['one', 'two']) await folder.put(hashOf(text), bytesOf(text));
  for (const text of ['one', 'two'])
    utimesSync(join(path, hashOf(text)), 1, text === 'one' ? 5 : 4);
  await folder.find(hashOf('two'));
  writeFileSync(join(path, `${hashOf('three')}.77.new`), 'thr');
  expect((await new BlobFolder(path).list()).map(({ sha256 }) => sha256)).toEqual([
    hashOf('one'),
    hashOf('two'),
  ]);
  expect(readdirSync(path)).toHaveLength(2);
});

test('what is dropped is gone at once', async () => {
  const folder = await opened();
  await folder.put(hashOf('one'), bytesOf('one'));
  folder.drop(hashOf('one'));
  expect(readdirSync(path)).toEqual([]);
  folder.drop(hashOf('one'));
});

test('a disk that refuses is told in a sentence, and leaves nothing half-written', async () => {
  const folder = await opened();
  rmSync(path, { recursive: true });
  await expect(folder.put(hashOf('one'), bytesOf('one'))).rejects.toThrow(
    'A file of the job cannot be kept on this device: ENOENT',
  );
});
