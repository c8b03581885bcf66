// What is not moved, and what is said then.

import { randomUUID } from 'node:crypto';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { batch, completedRow, jobRow, payload, startAt } from '../../conformance/rows.ts';
import { openSqliteStore } from '../../sqlite/open.ts';
import { fingerprint, makeDirectory } from '../../sqlite/testing/directory.ts';
import type { Store } from '../../store.ts';
import { inspectDatabase } from '../inspect.ts';
import { joinPostgres, openPostgresStore } from '../open.ts';
import { moveStore } from '../testing/moves.ts';
import { makeSchema } from '../testing/schemas.ts';

test('a source on which a coordinator works is not moved', async () => {
  const { file, schema, fileNamed } = await filled();
  const onFile = openSqliteStore(file);
  await expect(moveStore(file, schema.address)).rejects.toMatchObject({
    code: 'store_locked',
    message: expect.stringContaining('Another coordinator') as string,
  });
  await onFile.close();
  await moveStore(file, schema.address);
  const onServer = await openPostgresStore(schema.address);
  const back = fileNamed('back.db');
  await expect(moveStore(schema.address, back, { standstillMs: 3_000 })).rejects.toMatchObject({
    code: 'store_locked',
    message: expect.stringContaining('Another coordinator works on the database') as string,
  });
  await onServer.close();
  expect(existsSync(back)).toBe(false);
});

test('nothing is moved to where a coordinator works, though it has nothing yet', async () => {
  const { file, schema } = await filled();
  const other = await openPostgresStore(schema.address);
  await expect(moveStore(file, schema.address, { standstillMs: 3_000 })).rejects.toMatchObject({
    code: 'store_locked',
  });
  await other.close();
  await moveStore(file, schema.address);
});

test('what is at the target already stays as it is', async () => {
  const { file, schema, fileNamed } = await filled();
  const taken = fileNamed('taken.db');
  await fill(openSqliteStore(taken), 9);
  await expect(moveStore(file, taken)).rejects.toMatchObject({
    code: 'store_occupied',
    message: `There is a database at ${taken} already. Name a file that is not there yet.`,
  });
  const foreign = fileNamed('letter.txt');
  writeFileSync(foreign, 'Dear Ann');
  await expect(moveStore(file, foreign)).rejects.toMatchObject({ code: 'store_damaged' });

  const { schema: older } = await filled();
  await (await openPostgresStore(older.address)).close();
  await older.ask('delete from migrations');
  await expect(moveStore(file, older.address)).rejects.toMatchObject({ code: 'store_occupied' });
  expect(await older.ask('select version from migrations')).toEqual([]);

  await fill(await openPostgresStore(schema.address), 9);
  await expect(moveStore(file, schema.address)).rejects.toMatchObject({
    code: 'store_occupied',
    message: expect.stringContaining('holds something already') as string,
  });
  const store = await openPostgresStore(schema.address);
  expect((await store.listJobs({}, null, 9)).map(({ spec }) => spec.id)).toEqual(['job-9']);
  await store.close();
});

test('a part of one move is not gone on with from elsewhere, nor from a source that has changed', async () => {
  const { file, schema, fileNamed } = await filled();
  const other = fileNamed('other.db');
  await fill(openSqliteStore(other), 2);
  await beginMove(file, schema.address);
  await expect(moveStore(other, schema.address)).rejects.toMatchObject({
    code: 'store_occupied',
    message: expect.stringContaining(`what is moved there from sqlite:${file}, not from`) as string,
  });
  await fill(openSqliteStore(file), 3, 2);
  await expect(moveStore(file, schema.address)).rejects.toMatchObject({
    code: 'store_occupied',
    message: expect.stringContaining('has changed since its move to') as string,
  });
});

test('a part of a move is no database: for no coordinator, no move, no check', async () => {
  const { file, schema, fileNamed } = await filled();
  await beginMove(file, schema.address);
  const half = { code: 'store_half_moved' };
  await expect(openPostgresStore(schema.address)).rejects.toMatchObject(half);
  await expect(inspectDatabase(schema.address)).rejects.toMatchObject(half);
  const next = fileNamed('next.db');
  await expect(moveStore(schema.address, next)).rejects.toMatchObject(half);
  await beginMove(file, next);
  await expect(moveStore(next, fileNamed('last.db'))).rejects.toMatchObject({
    ...half,
    message:
      `sqlite:${next} holds only a part of what is moved there from sqlite:${file}. ` +
      `Go on with it: muster migrate-store sqlite:${file} sqlite:${next}`,
  });
  expect(() => openSqliteStore(next)).toThrow('Go on with it');
});

test('a coordinator that was there before a move began does not take over what it has left', async () => {
  const { file, schema } = await filled();
  const membership = await joinPostgres(schema.address);
  onTestFinished(() => membership.close());
  await beginMove(file, schema.address);
  const { position } = await membership.look();
  const self = { id: randomUUID(), url: 'http://127.0.0.1:1' };
  const half = { code: 'store_half_moved' };
  await expect(membership.takeOver(position, self)).rejects.toMatchObject(half);
  await expect(joinPostgres(schema.address)).rejects.toMatchObject(half);
  await moveStore(file, schema.address);
  const { store } = await membership.takeOver((await membership.look()).position, self);
  expect(await store.findJob('job-1')).toBeDefined();
  await store.close();
});

test('a part that another version has begun is left to that one', async () => {
  const { file, schema, fileNamed } = await filled();
  const next = fileNamed('next.db');
  await beginMove(file, next);
  change(next, 'pragma user_version = 3');
  await expect(moveStore(file, next)).rejects.toThrow('Another version of Muster has begun');
  await beginMove(file, schema.address);
  await schema.ask("insert into migrations values (99, 'of tomorrow')");
  await expect(moveStore(file, schema.address)).rejects.toThrow(
    'Another version of Muster has begun',
  );
});

test('a source of another version has to be started once, or is too new', async () => {
  const { file, schema, fileNamed } = await filled();
  await moveStore(file, schema.address);
  const [{ user_version: newest }] = change(file, 'pragma user_version') as [
    { user_version: number },
  ];
  change(file, `pragma user_version = ${newest - 1}`);
  const elsewhere = fileNamed('elsewhere.db');
  await expect(moveStore(file, elsewhere)).rejects.toMatchObject({
    code: 'store_outdated',
    message: expect.stringContaining('Start the coordinator on it once') as string,
  });
  change(file, 'pragma user_version = 999');
  await expect(moveStore(file, elsewhere)).rejects.toMatchObject({ code: 'store_newer' });

  await schema.ask("insert into migrations values (99, 'of tomorrow')");
  await expect(moveStore(schema.address, elsewhere)).rejects.toMatchObject({ code: 'store_newer' });
  await schema.ask('delete from migrations');
  await expect(moveStore(schema.address, elsewhere)).rejects.toMatchObject({
    code: 'store_outdated',
  });
  expect(existsSync(elsewhere)).toBe(false);
});

test('where there is no database there is nothing to move', async () => {
  const { schema, fileNamed } = await filled();
  const nothing = fileNamed('nothing.db');
  await expect(moveStore(nothing, schema.address)).rejects.toThrow(
    `There is no database at ${nothing}.`,
  );
  await expect(moveStore(schema.address, nothing)).rejects.toThrow(
    'There is no database of Muster at',
  );
  expect(existsSync(nothing)).toBe(false);
});

test('a database is not moved onto itself, by whatever name', async () => {
  const { file, schema, fileNamed } = await filled();
  const alias = fileNamed('alias.db');
  symlinkSync(file, alias);
  for (const name of [file, alias]) {
    await expect(moveStore(file, name)).rejects.toThrow(`sqlite:${name} is the same database`);
  }
  await (await openPostgresStore(schema.address)).close();
  const alike = `${schema.address}&application_name=other`;
  await expect(moveStore(schema.address, alike)).rejects.toThrow('is the same database by another');
});

test('a damaged source is not moved: where there are no hashes nobody would know it', async () => {
  const { file, schema } = await filled();
  change(file, `update tasks set result = '"changed"'`);
  await expect(moveStore(file, schema.address)).rejects.toMatchObject({
    code: 'value_damaged',
    message: expect.stringContaining('is damaged; nothing was moved.') as string,
  });
  await (await openPostgresStore(schema.address)).close();
});

test('the source stays as it is, byte for byte', async () => {
  const { file, schema, directory } = await filled();
  const before = await fingerprint(directory);
  await moveStore(file, schema.address);
  expect(await fingerprint(directory)).toEqual(before);
});

test('what is not the same on both sides is told, and no coordinator starts on it', async () => {
  const { file, schema } = await filled();
  await beginMove(file, schema.address, 'comparing');
  await schema.ask(`update tasks set result_json = '"changed"'`);
  await expect(moveStore(file, schema.address)).rejects.toMatchObject({
    code: 'value_damaged',
    message: expect.stringMatching(
      /^The table tasks is not the same in .* the same number of rows \(1\), and not the same in them/,
    ) as string,
  });
  await schema.ask('delete from tasks');
  await expect(moveStore(file, schema.address)).rejects.toThrow(
    '1 rows in the one, 0 in the other',
  );
  await expect(openPostgresStore(schema.address)).rejects.toMatchObject({
    code: 'store_half_moved',
  });
});

async function filled() {
  const directory = await makeDirectory();
  const schema = makeSchema();
  onTestFinished(schema.remove);
  const fileNamed = (name: string) => join(directory, name);
  const file = fileNamed('muster.db');
  await fill(openSqliteStore(file), 1);
  return { file, schema, fileNamed, directory };
}

async function fill(store: Store, key: number, sequence = 1): Promise<void> {
  const rows = {
    jobs: [jobRow(key, { taskCount: 3 }, { status: 'running', completed: 1 })],
    payloads: [payload(key, 3)],
    tasks: [completedRow(key, 0)],
  };
  await store.commit(batch({ sequence, ...rows }), startAt + sequence);
  await store.close();
}

/** Breaks it off with the first batch, or when all is there. */
async function beginMove(
  from: string,
  to: string,
  until: 'copying' | 'comparing' = 'copying',
): Promise<void> {
  const stop = new Error('stopped');
  const moved = moveStore(from, to, {
    tell: ({ phase }) => {
      if (phase === until) throw stop;
    },
  });
  await expect(moved).rejects.toBe(stop);
}

/** Rows of a statement on a file that nobody has open. */
function change(path: string, text: string): readonly unknown[] {
  const db = new DatabaseSync(path);
  const rows = db.prepare(text).all();
  db.close();
  return rows;
}
