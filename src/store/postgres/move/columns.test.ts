// Every column of both kinds of database is moved, follows from what is, or belongs to its place. Whoever adds one says
// here which of the three it is.

import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { movedTables } from '../../move/moved-tables.ts';
import { migrate as migrateFile } from '../../sqlite/file/migrate.ts';
import { storedTables as storedInFile } from '../../sqlite/move/stored-tables.ts';
import { openPostgresStore } from '../open.ts';
import { makeSchema } from '../testing/schemas.ts';
import { storedTables as storedOnServer } from './stored-tables.ts';

/** Of a file: tables that are not moved as such, and why not. */
const restOfFile: Readonly<Record<string, readonly string[]>> = {
  // Facts of the whole; `hashed_from` is that of a new file.
  meta: [
    'config',
    'generation',
    'hashed_from',
    'id',
    'last_commit_at',
    'next_checkpoint_id',
    'next_job_key',
    'next_recovery_id',
    'next_worker_key',
    'sequence',
    'totals',
  ],
  // Become tasks with rows of their own.
  dispatches: ['assigned_at', 'hash', 'key', 'tasks', 'tokens', 'worker_id'],
  // Nobody sees what is staged.
  staged: ['dropped', 'job_key'],
  // Are made anew.
  work_sums: ['begins_at', 'part', 'span_ms', 'works'],
  owner_bytes: ['bytes', 'owner'],
};

/** Numbers that SQLite gives. */
const givenInFile: Readonly<Record<string, readonly string[]>> = { programs: ['key'] };

/** Of a server. */
const restOfServer: Readonly<Record<string, readonly string[]>> = {
  migrations: ['name', 'version'],
  // Facts of the whole; the secret is that of a place.
  meta: ['config', 'generation', 'next_job_key', 'one', 'secret'],
  commits: [
    'at',
    'batch',
    'next_checkpoint_id',
    'next_recovery_id',
    'next_worker_key',
    'sequence',
    'term',
    'totals',
  ],
  // Who works there, and who has led.
  coordinators: ['id', 'may_lead', 'seen_at', 'url', 'version', 'workers'],
  terms: ['coordinator', 'ended', 'epoch', 'member', 'since', 'term', 'url'],
  // Become tasks with rows of their own.
  dispatches: [
    'assigned_at',
    'job_key',
    'last_index',
    'task_index',
    'tasks',
    'tokens',
    'worker_id',
  ],
  // Nobody sees what is staged.
  staged: ['dropped', 'job_key', 'member'],
  // Are made anew.
  work_sums: [
    'begins_at',
    'busy_ms',
    'completed',
    'completed_ms',
    'draft',
    'energy_joules',
    'failed',
    'retried',
    'span_ms',
    'wasted_ms',
    'worker_ids',
  ],
  // Of who writes a blob that has no name yet.
  blobs: ['member'],
};

test('every column of a file is known to the move', () => {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  migrateFile(db);
  const names = db
    .prepare(
      `select t.name as "table", c.name as "column" from sqlite_schema t, pragma_table_info(t.name) c
        where t.type = 'table'`,
    )
    .all();
  const known = new Map(
    [...storedInFile(db)].map(([name, { writes }]) => [
      name,
      [...Object.keys(writes), ...(givenInFile[name] ?? [])],
    ]),
  );
  expect(byTable(names)).toEqual(sorted({ ...Object.fromEntries(known), ...restOfFile }));
});

test('every column of a server is known to the move, with its type', async () => {
  const schema = makeSchema();
  onTestFinished(schema.remove);
  await (await openPostgresStore(schema.address)).close();
  const found = await schema.ask(
    `select table_name as "table", column_name as "column", data_type as type
      from information_schema.columns where table_schema = current_schema()`,
  );
  const known = new Map(movedTables.map(({ name, columns }) => [name, columns]));
  for (const [name, columns] of Object.entries(restOfServer)) {
    known.set(name, [...(known.get(name) ?? []), ...columns]);
  }
  expect(byTable(found)).toEqual(sorted(Object.fromEntries(known)));

  const typeOf = new Map(
    found.map(({ table, column, type }) => [`${String(table)}.${String(column)}`, type]),
  );
  for (const { table, types } of storedOnServer.values()) {
    const names = table.columns.map((column) => `${table.name}.${column}`);
    expect(names.map((name) => [name, typeOf.get(name)])).toEqual(
      names.map((name, i) => [name, types[i]]),
    );
  }
});

test('each moved table has a place on both sides', () => {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  migrateFile(db);
  const names = movedTables.map(({ name }) => name).toSorted();
  expect([...storedInFile(db).keys()].toSorted()).toEqual(names);
  expect([...storedOnServer.keys()].toSorted()).toEqual(names);
});

function byTable(rows: readonly Readonly<Record<string, unknown>>[]): unknown {
  const tables = Map.groupBy(rows, ({ table }) => String(table));
  const columns = [...tables].map(([name, ofTable]) => [
    name,
    ofTable.map(({ column }) => String(column)),
  ]);
  return sorted(Object.fromEntries(columns) as Record<string, readonly string[]>);
}

function sorted(tables: Readonly<Record<string, readonly string[]>>): unknown {
  return Object.fromEntries(
    Object.entries(tables).map(([name, columns]) => [name, columns.toSorted()]),
  );
}
