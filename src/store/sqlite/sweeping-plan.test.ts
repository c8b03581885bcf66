// What sweeping costs: rows of a job are found by indexes, and where there are none nothing is deleted.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { batch, completedRow, jobRow, payload, startAt, workRow } from '../conformance/rows.ts';
import { openSqliteStore } from './open.ts';
import { Sweeping } from './sweeping.ts';
import { BlobTable } from './tables/blob-table.ts';
import { ProgramTable } from './tables/program-table.ts';
import { ValueGuard } from './tables/value-hash.ts';
import { makeDirectory } from './testing/directory.ts';
import { listeningTo, planOf } from './testing/listening.ts';

/** A file with so many deleted jobs of ten tasks. */
async function fileToSweep(jobs: number): Promise<DatabaseSync> {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  const keys = Array.from({ length: jobs }, (_, i) => i + 1);
  const indices = Array.from({ length: 10 }, (_, i) => i);
  await store.commit(
    batch({
      jobs: keys.map((key) => jobRow(key)),
      payloads: keys.map((key) => payload(key, 1)),
      tasks: keys.flatMap((key) => indices.map((index) => completedRow(key, index))),
      work: keys.flatMap((key) => indices.map((i) => workRow(key, `worker-${i}`))),
    }),
    startAt,
  );
  await store.commit(batch({ sequence: 2, deletedJobs: keys }), startAt);
  await store.close();
  return new DatabaseSync(path);
}

function sweepingOf(db: DatabaseSync) {
  const { listening, asked, ran } = listeningTo(db);
  const guard = new ValueGuard(1);
  const programs = new ProgramTable(db, guard);
  return { sweeping: new Sweeping(listening, new BlobTable(db, guard), programs), asked, ran };
}

test('what a job has is found by an index in every table', async () => {
  const db = await fileToSweep(1);
  const steps = sweepingOf(db).asked.flatMap((sql) => planOf(db, sql));
  // Of submissions that arrive there are few.
  expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual(['SCAN staged']);
  db.close();
});

test('a job of ten tasks takes a deletion from each table in which it has rows', async () => {
  const db = await fileToSweep(30);
  const { sweeping, ran } = sweepingOf(db);
  while (sweeping.run(1, 2_000));
  expect(db.prepare('select count(*) n from work').get()).toEqual({ n: 0 });
  const deletions = new Map<string, number>();
  for (const sql of ran) {
    const table = /delete from (\w+)/.exec(sql)![1]!;
    deletions.set(table, (deletions.get(table) ?? 0) + 1);
  }
  expect(Object.fromEntries(deletions)).toEqual({
    tasks: 30,
    inputs: 30,
    work: 30,
    work_seconds: 30,
    task_priorities: 30,
    jobs: 30,
    workers: 1,
  });
  db.close();
});
