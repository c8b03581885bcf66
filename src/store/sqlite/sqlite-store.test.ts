import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { storeCases } from '../conformance/store.cases.ts';
import {
  attemptRow,
  batch,
  completedRow,
  failedRow,
  idempotencyRow,
  blobOf,
  jobRow,
  newCheckpoint,
  payload,
  recoveryRow,
  taskRow,
  startAt,
  workerRow,
  workRow,
} from '../conformance/rows.ts';
import { visit } from '../conformance/visiting.ts';
import { openSqliteStore } from './open.ts';
import { makeDirectory } from './testing/directory.ts';

storeCases('sqlite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-store-'));
  const path = join(directory, 'state', 'muster.db');
  return {
    open: async () => openSqliteStore(path),
    programs: async () => {
      const db = new DatabaseSync(path, { readOnly: true });
      const rows = db.prepare('select json from programs order by json').all();
      db.close();
      return rows.map(({ json }) => json as string);
    },
    remove: () => rm(directory, { recursive: true }),
  };
});

test('lets others have their turn while thousands of names are looked for', async () => {
  const store = openSqliteStore(':memory:');
  const jobs = new Set(Array.from({ length: 50_000 }, (_, i) => `none-${i}`));
  let isOver = false;
  const othersTurn = new Promise<boolean>((resolve) => setImmediate(() => resolve(!isOver)));
  const found = visit(store, { jobs }).finally(() => (isOver = true));
  expect(await othersTurn).toBe(true);
  expect((await found).jobs).toEqual([]);
  await store.close();
});

test('keeps nothing of `:memory:`', async () => {
  for (let run = 0; run < 2; run++) {
    const store = openSqliteStore(':memory:');
    expect((await store.load()).jobs).toEqual([]);
    await store.commit(batch({ jobs: [jobRow(1)] }), startAt);
    expect((await store.load()).jobs).toHaveLength(1);
    await store.close();
  }
});

test('a batch with a row that cannot be stored writes nothing, and the next one is whole', async () => {
  const store = openSqliteStore(':memory:');
  const twin = jobRow(2, { id: 'job-1' });
  const write = store.commit(batch({ jobs: [jobRow(1), twin] }), startAt);
  await expect(write).rejects.toThrow('UNIQUE constraint failed: jobs.id');
  expect((await store.load()).jobs).toEqual([]);
  await store.commit(batch({ jobs: [jobRow(3)], tasks: [completedRow(3, 0)] }), startAt);
  expect((await store.load()).jobs).toEqual([jobRow(3)]);
  await store.close();
});

test('sweeping leaves no row behind', async () => {
  const together = [3, 4, 5, 6].map((index) => taskRow(1, index, { runBeforeMs: 0 }));
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  const rows = batch({
    jobs: [jobRow(1, { taskPriorities: Int16Array.of(1) })],
    tasks: [completedRow(1, 1), failedRow(1, 2), ...together],
    attempts: [attemptRow(1, 2, 1), attemptRow(1, 2, 2)],
    workers: [workerRow(1)],
    recoveries: [recoveryRow(1, 1), recoveryRow(2, 1)],
    checkpoints: [newCheckpoint(1, 1), newCheckpoint(2, 1), newCheckpoint(3, 1, {}, null)],
    blobReferences: [{ jobKey: 1, sha256: 'aa' }],
    idempotencyKeys: [idempotencyRow('a', 1)],
    work: [workRow(1, 'worker-1'), workRow(1, 'worker-2')],
    payloads: [payload(1, 10)],
  });
  await store.commit(rows, startAt);
  while (await store.keepSums(startAt + 90_000_000));
  const { sha256, bytes } = blobOf(3 * 256 * 1024 + 1);
  await store.putBlob(sha256, bytes, startAt);
  await store.ownBlob(sha256, 'ann');
  await store.stageInputs(2, 0, ['1', '2'], [sha256]);
  await store.dropStaged(2);
  await store.commit(batch({ sequence: 2, generation: 2 }), startAt);
  let calls = 0;
  while (await store.sweep(4)) calls++;
  expect(calls).toBeGreaterThan(3);
  await store.close();
  const db = new DatabaseSync(path, { readOnly: true });
  const all = db.prepare("select name from sqlite_schema where type = 'table' and name != 'meta'");
  const tables = all.all().map((row) => row.name as string);
  expect(tables).toHaveLength(27);
  for (const table of tables) {
    expect([table, db.prepare(`select count(*) n from ${table}`).get()?.n]).toEqual([table, 0]);
  }
  db.close();
});

/** A store, and another program that has begun to write to its file. */
async function lockedFile(patienceMs: number) {
  const path = join(await makeDirectory(), 'muster.db');
  let waits = 0;
  const onWaiting = () => void waits++;
  const store = openSqliteStore(path, { patienceMs, onWaiting });
  await store.load();
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  return { store, other, waits: () => waits };
}

test('waits for another program that writes, and lets everything else go on meanwhile', async () => {
  const { store, other, waits } = await lockedFile(30_000);
  const write = store.commit(batch({ jobs: [jobRow(1)] }), startAt);
  expect(await store.findJob('job-1')).toBeUndefined();
  expect(waits()).toBe(1);
  other.exec('rollback');
  await write;
  expect(await store.findJob('job-1')).toBeDefined();
  other.close();
  await store.close();
});

test('gives up when the other program does not end', async () => {
  const { store, other } = await lockedFile(0);
  const write = store.commit(batch({ jobs: [jobRow(1)] }), startAt);
  await expect(write).rejects.toMatchObject({ code: 'store_locked' });
  other.close();
  await store.close();
});

test('a log that stays large because another program reads is told, again when it has doubled', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const told: number[] = [];
  const logWatch = { lookEveryMs: 0, largeBytes: 100_000 };
  const store = openSqliteStore(path, { onLargeLog: (bytes) => told.push(bytes), logWatch });
  let sequence = 0;
  const write = async (commits: number) => {
    for (let i = 0; i < commits; i++) {
      const tasks = [completedRow(1, 0, `"${'x'.repeat(10_000)}"`)];
      await store.commit(batch({ sequence: ++sequence, jobs: [jobRow(1)], tasks }), startAt);
    }
  };
  const other = new DatabaseSync(path, { readOnly: true });
  other.exec('begin; select * from meta');
  await write(60);
  other.close();
  expect(told.length).toBeGreaterThan(1);
  expect(told[0]).toBeGreaterThan(100_000);
  told.reduce((before, bytes) => {
    expect(bytes).toBeGreaterThanOrEqual(2 * before);
    return bytes;
  }, 0);
  await store.close();
});
