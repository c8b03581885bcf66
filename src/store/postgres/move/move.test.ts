// A database is moved from a file to PostgreSQL and back, and everything is there.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { kill, readUntil, run } from '../../conformance/doomed-process.ts';
import { steps } from '../../conformance/arbitrary-steps.ts';
import { ask, Writer } from '../../conformance/equality.ts';
import { addHidden, fillRichly, readRichly } from '../../conformance/rich-store.ts';
import { createMemoryStore } from '../../memory/memory-store.ts';
import { openSqliteStore } from '../../sqlite/open.ts';
import { makeDirectory } from '../../sqlite/testing/directory.ts';
import type { Store } from '../../store.ts';
import { openPostgresStore } from '../open.ts';
import { moveStore } from '../testing/moves.ts';
import { makeSchema } from '../testing/schemas.ts';

test('a database is the same to the last byte after a move to PostgreSQL and back', async () => {
  const { file, schema, fileNamed } = await places();
  await using(openSqliteStore(file), fillRichly);
  const report = await moveStore(file, schema.address);
  expect(report).toMatchObject({ isResumed: false, resumedRows: 0 });
  expect(report.tables.every(({ rows }) => rows > 0)).toBe(true);
  const back = fileNamed('back.db');
  const again = await moveStore(schema.address, back);
  expect(again.tables).toEqual(report.tables);
  const [before, after] = [dumpOf(file), dumpOf(back)];
  for (const [name, rows] of before) expect([name, after.get(name)]).toEqual([name, rows]);
  expect(after.size).toBe(before.size);
});

test('every answer is the same on each side, and what nobody can see is left out', async () => {
  const { file, schema, fileNamed } = await places();
  const expected = await using(openSqliteStore(file), async (store) => {
    await fillRichly(store);
    await addHidden(store);
    return readRichly(store);
  });
  await moveStore(file, schema.address);
  expect(await schema.ask('select count(*)::int as n from staged')).toEqual([{ n: 0 }]);
  expect(await schema.ask('select count(*)::int as n from jobs where key = 11')).toEqual([
    { n: 0 },
  ]);
  expect(
    await schema.ask('select count(*)::int as n from inputs where job_key in (8, 9, 11)'),
  ).toEqual([{ n: 0 }]);
  expect(await schema.ask('select count(*)::int as n from blobs where sha256 is null')).toEqual([
    { n: 0 },
  ]);
  expect(await using(await openPostgresStore(schema.address), readRichly)).toEqual(expected);
  const back = fileNamed('back.db');
  await moveStore(schema.address, back);
  expect(await using(openSqliteStore(back), readRichly)).toEqual(expected);
});

test('what came by a move is worked on as ever: new jobs, new blobs, a sweep', async () => {
  const { file, schema } = await places();
  await using(openSqliteStore(file), fillRichly);
  await moveStore(file, schema.address);
  await using(await openPostgresStore(schema.address), async (store) => {
    const { sequence } = await store.load();
    expect(sequence).toBe(78);
    expect(await store.reserveJobKeys(1)).toBe(7);
    const bytes = Uint8Array.of(1, 2, 3);
    await store.putBlob('new', bytes, 1);
    expect(await store.readBlob('new')).toEqual(bytes);
    await addHidden(store);
    while (await store.sweep(1_000));
    expect(await store.findJob('job-11')).toBeUndefined();
  });
});

test('a database of PostgreSQL is moved to another schema as well, with tasks in dispatches', async () => {
  const { file, schema } = await places();
  const { schema: other } = await places();
  await using(openSqliteStore(file), fillRichly);
  await moveStore(file, schema.address);
  const expected = await using(await openPostgresStore(schema.address), async (store) => {
    await addHidden(store);
    return readRichly(store);
  });
  expect(await schema.ask('select count(*)::int as n from dispatches')).toEqual([{ n: 1 }]);
  await moveStore(schema.address, other.address);
  expect(await other.ask('select count(*)::int as n from dispatches')).toEqual([{ n: 0 }]);
  expect(await using(await openPostgresStore(other.address), readRichly)).toEqual(expected);
});

test.each([
  ['to PostgreSQL', [3, 9, 15, 9]],
  ['to a file', [2, 9, 15, 9]],
] as const)('a move %s that is killed again and again goes on where it was', async (_to, kills) => {
  const { file, schema, fileNamed } = await places();
  const expected = await using(openSqliteStore(file), async (store) => {
    await fillRichly(store);
    await addHidden(store);
    return readRichly(store);
  });
  const isBack = _to === 'to a file';
  if (isBack) await moveStore(file, schema.address);
  const [from, to] = isBack ? [schema.address, fileNamed('back.db')] : [file, schema.address];
  const reached: string[] = [];
  for (const lines of kills) {
    const child = run(script, JSON.stringify({ from, to, rows: 150 }));
    const text = await readUntil(child, lines);
    await kill(child);
    reached.push(text().trim().split('\n').at(-1)!);
    await expect(open(to)).rejects.toMatchObject({
      code: 'store_half_moved',
      message: expect.stringContaining('Go on with it: muster migrate-store ') as string,
    });
  }
  const report = await moveStore(from, to);
  expect(report).toMatchObject({ isResumed: true });
  expect(report.resumedRows).toBeGreaterThan(0);
  expect(report.rows).toBe(report.tables.reduce((sum, { rows }) => sum + rows, 0));
  expect(await using(await open(to), readRichly)).toEqual(expected);
  expect(new Set(reached).size).toBeGreaterThan(1);
});

test('a move that is broken off amid the comparison compares again', async () => {
  const { file, schema } = await places();
  await using(openSqliteStore(file), fillRichly);
  const stop = new Error('stopped');
  const broken = moveStore(file, schema.address, {
    tell: ({ phase, place }) => {
      if (phase === 'comparing' && place === 5) throw stop;
    },
  });
  await expect(broken).rejects.toBe(stop);
  const phases = new Set<string>();
  const report = await moveStore(file, schema.address, { tell: ({ phase }) => phases.add(phase) });
  expect([...phases]).toEqual(['comparing']);
  expect(report.resumedRows).toBe(report.rows);
});

test('after any sequence of writes a moved database answers as before', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const { file, schema, fileNamed } = await places();
      const memory = createMemoryStore();
      const sqlite = openSqliteStore(file);
      const writer = new Writer([memory, sqlite]);
      for (const step of sequence) await writer.write(step);
      await sqlite.close();
      await moveStore(file, schema.address, { bounds: { rows: 3, bytes: 9_000 } });
      const back = fileNamed('back.db');
      await moveStore(schema.address, back, { bounds: { rows: 2, bytes: 9_000 } });
      const expected = [await ask(memory, writer), await memory.load()];
      for (const place of [schema.address, back]) {
        const answers = await using(await open(place), async (store) => [
          await ask(store, writer),
          await store.load(),
        ]);
        expect(answers).toEqual(expected);
      }
      await schema.remove();
    }),
    { numRuns: Number(process.env['MUSTER_TEST_RUNS'] ?? 8) },
  );
}, 600_000);

const script = join(import.meta.dirname, '..', 'testing', 'move-slowly.ts');

async function places() {
  const directory = await makeDirectory();
  const schema = makeSchema();
  onTestFinished(schema.remove);
  const fileNamed = (name: string) => join(directory, name);
  return { file: fileNamed('muster.db'), schema, fileNamed };
}

async function using<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function open(place: string): Promise<Store> {
  return place.startsWith('postgres:')
    ? openPostgresStore(place, { standstillMs: 0 })
    : openSqliteStore(place);
}

/** Programs have numbers in the order in which they came. */
const otherwise: Readonly<Record<string, string>> = {
  programs: 'select sha256, json from programs',
  job_programs: `select job_key, job_programs.hash, sha256 from job_programs
    join programs on programs.key = program_key`,
};

/** All rows of all tables as they lie in a file. */
function dumpOf(path: string): ReadonlyMap<string, readonly string[]> {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = db
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .map(({ name }) => String(name));
  const dump = new Map(
    tables.map((name) => {
      const rows = db.prepare(otherwise[name] ?? `select * from ${name}`).all();
      return [name, rows.map((row) => JSON.stringify(row)).toSorted()] as const;
    }),
  );
  db.close();
  return dump;
}
