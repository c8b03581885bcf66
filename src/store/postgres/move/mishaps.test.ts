// A move from what somebody left behind who was killed, from a file of an older version, over a server that is
// restarted, and one whose end is in the log of its file only.

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { kill, readUntil, run } from '../../conformance/doomed-process.ts';
import { fillRichly, readRichly } from '../../conformance/rich-store.ts';
import { expectWhole, newestPrinted } from '../../conformance/whole-commits.ts';
import { applicationId } from '../../sqlite/file/inspect.ts';
import { openSqliteStore } from '../../sqlite/open.ts';
import { fingerprint, makeDirectory } from '../../sqlite/testing/directory.ts';
import type { Store } from '../../store.ts';
import { openPostgresStore } from '../open.ts';
import { moveStore } from '../testing/moves.ts';
import { makeSchema } from '../testing/schemas.ts';
import { inSchema, makeServer } from '../testing/server.ts';

test('what a killed coordinator has acknowledged is moved, also from the log of its file, which stays', async () => {
  const directory = await makeDirectory();
  const file = join(directory, 'muster.db');
  const schema = place();
  const child = run(join(import.meta.dirname, '../../sqlite/testing/write.ts'), file);
  const text = await readUntil(child, 30);
  await kill(child);
  const before = await contentOf(directory);
  expect(before).toHaveLength(2);
  await moveStore(file, schema);
  expect(await contentOf(directory)).toEqual(before);
  await using(await openPostgresStore(schema), async (store) => {
    expect(await expectWhole(store)).toBeGreaterThanOrEqual(newestPrinted(text()));
  });
});

test('what a killed coordinator has acknowledged in PostgreSQL is moved to a file', async () => {
  const directory = await makeDirectory();
  const schema = place();
  const child = run(join(import.meta.dirname, '../testing/write.ts'), schema);
  const text = await readUntil(child, 30);
  await kill(child);
  const file = join(directory, 'muster.db');
  await moveStore(schema, file);
  await using(openSqliteStore(file), async (store) => {
    expect(await expectWhole(store)).toBeGreaterThanOrEqual(newestPrinted(text()));
  });
});

test('jobs of an older version have all options afterwards, and values without hashes are moved', async () => {
  const file = join(await makeDirectory(), 'muster.db');
  await using(openSqliteStore(file), fillRichly);
  const db = new DatabaseSync(file);
  const later = ['retainMs', 'notify', 'keepOutput', 'liveOutput', 'memoryMb', 'hold'];
  db.exec(`update jobs set spec = json_remove(spec, ${later.map((name) => `'$.${name}'`).join()})
    where key in (4, 5)`);
  db.exec(`update meta set hashed_from = 99; update tasks set hash = null; update inputs set hash = null;
    update attempts set hash = null, account = null; update blob_chunks set hash = null;
    update tasks set energy_joules = null, account = null;
    update tasks set others = json_remove(others, '$[0].runBeforeMs') where others is not null`);
  db.close();
  const schema = place();
  await moveStore(file, schema);
  const expected = await using(openSqliteStore(file), readRichly);
  expect(await using(await openPostgresStore(schema), readRichly)).toEqual(expected);
  const back = join(await makeDirectory(), 'back.db');
  await moveStore(schema, back);
  expect(await using(openSqliteStore(back), readRichly)).toEqual(expected);
});

test('a restart of the server is a pause in a move, on either side', async () => {
  const server = await makeServer({ fsync: true });
  onTestFinished(() => server.remove());
  const directory = await makeDirectory();
  const file = join(directory, 'muster.db');
  const expected = await using(openSqliteStore(file), async (store) => {
    await fillRichly(store);
    return readRichly(store);
  });
  const schema = inSchema(server.url, 'moved');
  let restarts: Promise<void>[] = [];
  const restartAt = (tables: readonly string[]) => {
    const left = new Set(tables);
    restarts = [];
    return ({ table }: { readonly table: string | null }) => {
      if (left.delete(String(table))) restarts.push(server.kill().then(() => server.start()));
    };
  };
  const bounds = { rows: 200, bytes: 300_000 };
  const there = await moveStore(file, schema, { bounds, tell: restartAt(['tasks']) });
  await Promise.all(restarts);
  expect(restarts).toHaveLength(1);
  expect(there.isResumed).toBe(false);
  const back = join(directory, 'back.db');
  await moveStore(schema, back, { bounds, tell: restartAt(['inputs']) });
  await Promise.all(restarts);
  expect(restarts).toHaveLength(1);
  expect(await using(openSqliteStore(back), readRichly)).toEqual(expected);
});

test('a file whose move has ended is a database, though only its log says so yet', async () => {
  const directory = await makeDirectory();
  const file = join(directory, 'muster.db');
  const expected = await using(openSqliteStore(file), async (store) => {
    await fillRichly(store);
    return readRichly(store);
  });
  const next = join(directory, 'next.db');
  const stop = new Error('stopped');
  const tell = ({ phase }: { readonly phase: string }) => {
    if (phase === 'comparing') throw stop;
  };
  await expect(moveStore(file, next, { tell })).rejects.toBe(stop);
  const db = new DatabaseSync(next);
  db.exec(`pragma journal_mode = wal; begin immediate; drop table moving;
    pragma application_id = ${applicationId}; commit`);
  // What a process leaves that is killed here.
  const left = join(directory, 'left');
  mkdirSync(left);
  for (const suffix of ['', '-wal']) copyFileSync(next + suffix, join(left, `next.db${suffix}`));
  db.close();
  const killed = join(left, 'next.db');
  await expect(moveStore(file, killed)).rejects.toThrow('There is a database at');
  expect(await using(openSqliteStore(killed), readRichly)).toEqual(expected);
});

/** The address of a schema of its own. */
function place(): string {
  const { address, remove } = makeSchema();
  onTestFinished(remove);
  return address;
}

/** Of the file and of its log; the others beside it have no data. */
async function contentOf(directory: string): Promise<readonly string[]> {
  return (await fingerprint(directory)).filter((line) => /^muster\.db(-wal)? /.test(line));
}

async function using<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
