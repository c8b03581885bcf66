// The process ends, or the disk does.

import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { TaskRow } from '../rows.ts';
import { kill, readUntil, run } from '../conformance/doomed-process.ts';
import { expectWhole, newestPrinted } from '../conformance/whole-commits.ts';
import { batch, blobOf, completedRow, jobRow, startAt, taskRow } from '../conformance/rows.ts';
import { openSqliteStore } from './open.ts';
import { makeDirectory } from './testing/directory.ts';

test('another process that has the database open keeps this one out until it is killed', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const child = run(script('hold.ts'), path);
  await once(child.stdout!, 'data');
  const who =
    process.platform === 'linux'
      ? [` (process ${child.pid})`, ` (\`kill ${child.pid}\`)`]
      : ['', ''];
  expect(() => openSqliteStore(path)).toThrow(
    `Another coordinator${who[0]} has ${path} open. ` +
      `Use that one, end it${who[1]}, or choose another data folder.`,
  );
  await kill(child);
  await openSqliteStore(path).close();
});

// "`kill -9` of the coordinator at any moment loses nothing that was acknowledged."
test('a process that is killed amid its commits loses nothing that was acknowledged', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  let known = 0;
  for (let life = 1; life <= 5; life++) {
    const child = run(script('write.ts'), path);
    const text = await readUntil(child, life * 17);
    await kill(child);
    const store = openSqliteStore(path);
    const sequence = await expectWhole(store);
    await store.close();
    expect(sequence).toBeGreaterThanOrEqual(newestPrinted(text()));
    expect(sequence).toBeGreaterThan(known);
    known = sequence;
  }
  const db = new DatabaseSync(path, { readOnly: true });
  expect(db.prepare('select count(*) n from dispatches').get()?.n).toBe(1);
  expect(db.prepare('select count(*) n from blobs').get()?.n).toBe(1);
  expect(db.prepare('select count(*) n from blob_chunks').get()?.n).toBe(2);
  db.close();
}, 30_000);

test('a blob that a crash left in halves is not there, and is swept', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  const { sha256, bytes } = blobOf(1_000_000);
  const draft = store.beginBlob();
  await draft.append(bytes);
  await store.close();
  await expect(draft.finish(sha256, startAt)).rejects.toMatchObject({ code: 'store_closed' });
  const reopened = openSqliteStore(path);
  expect(await reopened.findBlob(sha256)).toBeUndefined();
  const count = () => {
    const db = new DatabaseSync(path, { readOnly: true });
    const rows = db.prepare('select count(*) n from blob_chunks').get()?.n;
    db.close();
    return rows;
  };
  expect(count()).toBe(3);
  while (await reopened.sweep(1_000));
  expect(count()).toBe(0);
  await reopened.putBlob(sha256, bytes, startAt);
  expect(await reopened.readBlob(sha256)).toEqual(bytes);
  await reopened.close();
});

test('a commit that finds no space is undone, says so, and leaves a database that works', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path, { maxPages: 200 });
  await store.commit(batch({ jobs: [jobRow(1)] }), startAt);
  const large = JSON.stringify('x'.repeat(300_000));
  const tasks = [0, 1, 2].map((index) => completedRow(1, index, large));
  const jobs = [jobRow(1, {}, { status: 'running', completed: 3 })];
  const write = store.commit(batch({ sequence: 2, jobs, tasks }), startAt);
  await expect(write).rejects.toMatchObject({
    name: 'StoreFault',
    code: 'store_full',
    message: `The disk is full: no space is left for the database ${path}.`,
  });
  expect(await store.listTasks(1, 0, 9)).toEqual([]);
  expect((await store.load()).jobs).toEqual([jobRow(1)]);
  await store.close();
  const reopened = openSqliteStore(path);
  expect((await reopened.load()).sequence).toBe(1);
  await reopened.commit(batch({ sequence: 2, jobs, tasks }), startAt);
  expect(await reopened.listTasks(1, 0, 9)).toHaveLength(3);
  await reopened.close();
});

test('tasks that were given out together are as before a commit that finds no space', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path, { maxPages: 200 });
  const given = [0, 1, 2, 3].map((index) => taskRow(1, index, { runBeforeMs: 0 }));
  const jobs = [jobRow(1, {}, { status: 'running', cursors: [4] })];
  await store.commit(batch({ jobs, tasks: given }), startAt);
  const next = [4, 5, 6, 7].map((index) => taskRow(1, index, { runBeforeMs: 0 }));
  const large = completedRow(1, 0, JSON.stringify('x'.repeat(900_000)));
  const write = (tasks: readonly TaskRow[]) => store.commit(batch({ sequence: 2, tasks }), startAt);
  await expect(write([...next, large])).rejects.toMatchObject({ code: 'store_full' });
  expect(await store.listTasks(1, 0, 9)).toEqual(given);
  const done = given.map(({ index }) => completedRow(1, index));
  await write([...next, ...done]);
  expect((await store.load()).tasks.map(({ row }) => row)).toEqual(next);
  expect(await store.listResults(1, 0, 9, 1e6)).toEqual(done);
  await store.close();
});

test('a blob that finds no space is not there, and gives back what it took', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path, { maxPages: 300 });
  await store.commit(batch({ jobs: [jobRow(1)] }), startAt);
  const large = blobOf(2_000_000);
  for (let times = 0; times < 3; times++) {
    await expect(store.putBlob(large.sha256, large.bytes, startAt)).rejects.toMatchObject({
      code: 'store_full',
    });
    while (await store.sweep(1_000));
  }
  expect(await store.findBlob(large.sha256)).toBeUndefined();
  const small = blobOf(600_000);
  await store.putBlob(small.sha256, small.bytes, startAt);
  await store.commit(batch({ sequence: 2, tasks: [completedRow(1, 0)] }), startAt);
  expect(await store.readBlob(small.sha256)).toEqual(small.bytes);
  await store.close();
});

function script(name: string): string {
  return join(import.meta.dirname, 'testing', name);
}
