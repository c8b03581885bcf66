// A file that must not be opened is refused with a reason and stays as it is.

import { copyFile, mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { StoreFault, StoreFaultCode } from '../store.ts';
import { batch, completedRow, jobRow, startAt } from '../conformance/rows.ts';
import { openSqliteStore } from './open.ts';
import { fingerprint, makeDirectory } from './testing/directory.ts';

test('a file of a newer version stays as it is', async () => {
  const { directory, path } = await makeDatabase();
  change(path, 'pragma user_version = 999');
  expect(await refuse(directory, path)).toEqual(
    refused('store_newer', path, 'newer version of Muster (schema 999'),
  );
});

test('a newer version that only the log knows of is found, and the log stays as it is', async () => {
  const { directory, path } = await crashImage('pragma user_version = 999');
  const before = await fingerprint(directory);
  expect(before.map((line) => line.split(' ')[0])).toEqual(['muster.db', 'muster.db-wal']);
  expect(await refuse(directory, path)).toEqual(refused('store_newer', path, 'schema 999'));
});

test('what a crash left in the log is read', async () => {
  const { path } = await crashImage('update meta set sequence = 5');
  const store = openSqliteStore(path);
  expect((await store.load()).sequence).toBe(5);
  await store.close();
});

test('a file that is no database is damaged', async () => {
  const directory = await makeDirectory();
  const path = join(directory, 'muster.db');
  await writeFile(path, 'Dear diary, '.repeat(100));
  expect(await refuse(directory, path)).toEqual(
    refused('store_damaged', path, 'not an SQLite database'),
  );
  await writeFile(path, 'short');
  expect(await refuse(directory, path)).toEqual(
    refused('store_damaged', path, 'not an SQLite database'),
  );
});

test('a database of another program is refused', async () => {
  const directory = await makeDirectory();
  const path = join(directory, 'muster.db');
  change(path, 'create table notes (text); pragma user_version = 1');
  expect(await refuse(directory, path)).toEqual(refused('store_damaged', path, 'another program'));
});

test('a file whose end is missing is damaged', async () => {
  const { directory, path } = await makeDatabase();
  await truncate(path, 5 * 4096);
  expect(await refuse(directory, path)).toEqual(refused('store_damaged', path, 'end is missing'));
});

test('a file with overwritten pages is damaged', async () => {
  const { directory, path } = await makeDatabase();
  const file = await open(path, 'r+');
  for (let page = 2; page < 16; page++)
    await file.write(Buffer.alloc(512, 0x5a), 0, 512, page * 4096);
  await file.close();
  expect(await refuse(directory, path)).toEqual(
    refused('store_damaged', path, 'not a usable Muster database'),
  );
});

test('a log without its file is not thrown away', async () => {
  const { directory, path } = await crashImage('update meta set sequence = 5');
  await truncate(path, 0);
  expect(await refuse(directory, path)).toEqual(refused('store_damaged', path, 'the file is not'));
});

test('a path that cannot be made or is a directory is unwritable', async () => {
  const directory = await makeDirectory();
  await writeFile(join(directory, 'file'), '');
  expect(refusal(join(directory, 'file', 'muster.db'))).toMatchObject({ code: 'store_unwritable' });
  await mkdir(join(directory, 'muster.db'));
  expect(refusal(join(directory, 'muster.db'))).toMatchObject({ code: 'store_unwritable' });
});

test('a folder that takes no further file is named, rather than the file', async () => {
  const directory = await makeDirectory();
  await mkdir(join(directory, 'muster.db.lock'));
  expect(refusal(join(directory, 'muster.db'))).toMatchObject({
    code: 'store_unwritable',
    message:
      `Nothing can be written in the folder ${directory} of the database ` +
      '(unable to open database file).',
  });
});

test('an empty file becomes a database, a half-made one is made anew', async () => {
  const directory = await makeDirectory();
  const path = join(directory, 'muster.db');
  await writeFile(path, '');
  await writeFile(`${path}.new`, 'half');
  const store = openSqliteStore(path);
  expect((await store.load()).sequence).toBe(0);
  await store.close();
});

test('a database that is open is locked, under every name it has, until it is closed', async () => {
  const { directory, path } = await makeDatabase();
  const other = join(directory, 'other-name.db');
  await symlink(path, other);
  const store = openSqliteStore(path);
  expect(refusal(path)).toMatchObject({ code: 'store_locked' });
  expect(refusal(other)).toMatchObject({ code: 'store_locked' });
  await store.commit(batch({ sequence: 2 }), startAt);
  await store.close();
  await openSqliteStore(other).close();
});

/** A closed database with a job in it. */
async function makeDatabase(): Promise<{ directory: string; path: string }> {
  const directory = await makeDirectory();
  const path = join(directory, 'muster.db');
  const store = openSqliteStore(path);
  await store.commit(batch({ jobs: [jobRow(1)], tasks: [completedRow(1, 0)] }), startAt);
  await store.close();
  return { directory, path };
}

/** The files as a killed process leaves them, with a last change that is only in the log. */
async function crashImage(sql: string): Promise<{ directory: string; path: string }> {
  const source = await makeDatabase();
  const directory = await makeDirectory();
  const path = join(directory, 'muster.db');
  const db = new DatabaseSync(source.path);
  db.exec(sql);
  for (const suffix of ['', '-wal']) await copyFile(source.path + suffix, path + suffix);
  db.close();
  return { directory, path };
}

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

async function refuse(directory: string, path: string): Promise<unknown> {
  const before = await fingerprint(directory);
  const { code, message } = refusal(path) as StoreFault;
  const after = await fingerprint(directory);
  return { code, message, isUntouched: isDeepStrictEqual(after, before) };
}

function refused(code: StoreFaultCode, path: string, words: string): unknown {
  const pattern = `${RegExp.escape(path)}.*${RegExp.escape(words)}`;
  return { code, message: expect.stringMatching(pattern), isUntouched: true };
}

function refusal(path: string): unknown {
  try {
    void openSqliteStore(path).close();
  } catch (error) {
    return error;
  }
  return undefined;
}
