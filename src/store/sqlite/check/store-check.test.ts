// What a check of a database finds, and where.

import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { taskKey } from '../../../core/task-key.ts';
import { batch, completedRow, jobRow, startAt, taskRow } from '../../conformance/rows.ts';
import { openForReading } from '../file/inspect.ts';
import { firstLight } from '../file/migrations/0001-first-light.ts';
import { openSqliteStore } from '../open.ts';
import { fingerprint, makeDirectory } from '../testing/directory.ts';
import { blob, change, endedJobFile } from '../testing/ended-job.ts';
import { BackgroundCheck } from './background-check.ts';
import { type CheckReport, StoreCheck } from './store-check.ts';

/** 11 tasks, 2 attempts, 10 inputs, a program, 2 chunks. */
const values = 26;

test('a whole database has no damage, and is left as it was', async () => {
  const path = await endedJobFile();
  const before = await fingerprint(join(path, '..'));
  expect(checkFile(path)).toEqual({ values, unverified: 0, damaged: 0, sentences: [] });
  expect(await fingerprint(join(path, '..'))).toEqual(before);
});

test('every damaged value is named', async () => {
  const path = await endedJobFile();
  change(
    path,
    `update tasks set result = '1' where key = ${taskKey(1, 3)};
    update tasks set error_message = 'M' where key = ${taskKey(1, 8)};
    update attempts set error_type = 'E' where attempt = 2;
    update inputs set json = '1' where key = ${taskKey(2, 7)};
    update programs set json = '{}';
    update blob_chunks set bytes = x'00' where key % 65536 = 1`,
  );
  const { sentences, ...counts } = checkFile(path);
  expect(counts).toEqual({ values, unverified: 0, damaged: 6 });
  expect(sentences).toEqual([
    'The stored error of attempt 2 of task job-1.8 is damaged.',
    expect.stringContaining(`The stored blob ${blob.sha256} is damaged.`),
    expect.stringContaining('The stored input of task job-2.7 is damaged.'),
    expect.stringContaining('The stored program of job job-2 is damaged.'),
    expect.stringContaining('What is stored of task job-1.3 is damaged.'),
    expect.stringContaining('What is stored of task job-1.8 is damaged.'),
  ]);
});

test('tasks that were given out together are checked as one value', async () => {
  const path = await endedJobFile();
  const store = openSqliteStore(path);
  const tasks = [1, 2, 4, 5].map((index) => taskRow(2, index, { runBeforeMs: 0 }));
  await store.commit(batch({ sequence: 2, tasks }), startAt);
  await store.close();
  expect(checkFile(path)).toMatchObject({ values: values + 1, damaged: 0 });
  change(path, "update dispatches set worker_id = 'worker-2'");
  expect(checkFile(path).sentences).toEqual([
    'What is stored of the tasks of job job-2 is damaged. Restore a backup of the database.',
  ]);
});

test.each([
  ['the first', '0'],
  ['one in the middle', '4'],
  ['the last', '9'],
])('a task that is missing from a job that has ended is found: %s', async (_, index) => {
  const path = await endedJobFile();
  change(path, `delete from tasks where key = ${taskKey(1, 0)} + ${index}`);
  expect(checkFile(path).sentences).toContain(
    'What is stored of the tasks of job job-1 is damaged. Restore a backup of the database.',
  );
});

test('what nobody can see any more is not told', async () => {
  const path = await endedJobFile();
  change(path, "update tasks set result = '1'; update jobs set generation = 0");
  expect(checkFile(path)).toMatchObject({ damaged: 0 });
});

test('values of before are counted as unverified, whatever the version of the file', async () => {
  const path = await endedJobFile();
  change(path, 'update meta set hashed_from = 9; update inputs set hash = null');
  expect(checkFile(path)).toMatchObject({ values, unverified: 10, damaged: 0 });
  const old = join(await makeDirectory(), 'muster.db');
  change(old, `${firstLight}; insert into inputs values (${taskKey(1, 0)}, '1')`);
  expect(checkFile(old)).toMatchObject({ values: 1, unverified: 1, damaged: 0 });
});

test('pages that cannot be read are told, and the rest is looked at', async () => {
  const path = await endedJobFile();
  const store = openSqliteStore(path);
  const long = (index: number) => completedRow(3, index, `"${'x'.repeat(2_000)}"`);
  const jobs = [jobRow(3, { taskCount: 2_000 }, { status: 'running' })];
  const tasks = Array.from({ length: 2_000 }, (_, index) => long(index));
  await store.commit(batch({ sequence: 2, jobs, tasks }), startAt);
  await store.close();
  const bytes = await readFile(path);
  // A leaf of the table in the middle of the file, without its header.
  const page = bytes.indexOf('x'.repeat(1_900), bytes.length >> 1);
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(16, 0xff), 0, 16, Math.floor(page / 4096) * 4096);
  await file.close();
  const { damaged, sentences, values: looked } = checkFile(path);
  expect(damaged).toBeGreaterThan(0);
  expect(sentences[0]).toMatch(
    /^Pages of the table tasks cannot be read behind index \d+ of job job-3\.$/,
  );
  expect(looked).toBeGreaterThan(values + 900);
});

test('beside a store that writes, the check runs in a thread, and reports', async () => {
  const path = await endedJobFile();
  change(path, `update tasks set result = '1' where key = ${taskKey(1, 3)}`);
  const store = openSqliteStore(path);
  const { promise, resolve, reject } = Promise.withResolvers<CheckReport>();
  const background = new BackgroundCheck(path, { onReport: resolve, onError: reject, delayMs: 0 });
  const report = await promise;
  expect(report).toMatchObject({ values, unverified: 0, damaged: 1 });
  expect(report.sentences[0]).toContain('job-1.3');
  await background.stop();
  await store.close();
});

test('a check that is stopped ends at once, and a file that is gone is an error', async () => {
  const path = await endedJobFile();
  const never = () => expect.unreachable();
  const stopped = new BackgroundCheck(path, {
    onReport: never,
    onError: never,
    delayMs: 3_600_000,
  });
  await stopped.stop();
  const missing = join(await makeDirectory(), 'none.db');
  const { promise, resolve } = Promise.withResolvers<Error>();
  const failing = new BackgroundCheck(missing, { onReport: never, onError: resolve, delayMs: 0 });
  expect((await promise).message).toContain('unable to open');
  await failing.stop();
});

function checkFile(path: string): CheckReport {
  const reading = openForReading(path);
  try {
    const check = new StoreCheck(reading.db);
    while (check.step());
    return check.report;
  } finally {
    reading.close();
  }
}
