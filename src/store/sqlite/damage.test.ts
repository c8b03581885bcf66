// Values that the disk has changed behind the back of the store are not handed out.

import { hash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { taskKey } from '../../core/task-key.ts';
import type { Store } from '../store.ts';
import {
  attemptRow,
  batch,
  completedRow,
  failedRow,
  startAt,
  taskRow,
} from '../conformance/rows.ts';
import { openSqliteStore } from './open.ts';
import { blob, change, endedJobFile } from './testing/ended-job.ts';

const { sha256 } = blob;
const sha256Of = (text: string) => hash('sha256', text);

let path: string;
let told: string[];

beforeEach(async () => {
  path = await endedJobFile();
  told = [];
});

test('a changed result is told in its place, and the others are given out', async () => {
  const store = reopenAfter(`update tasks set result = '"value x"' where key = ${taskKey(1, 3)}`);
  expect(await summary(store, 1)).toEqual([
    '0 "value 0"',
    '1 "value 1"',
    '2 "value 2"',
    'damaged 3',
    '4 "value 4"',
    '5 "value 5"',
    '6 "value 6"',
    '7 "value 7"',
    '8 x is not a function',
    '9 x is not a function',
  ]);
  await expect(store.findTask(1, 3)).rejects.toMatchObject({
    code: 'value_damaged',
    message:
      'What is stored of task job-1.3 is damaged. Restore a backup of the database, or submit its ' +
      'input again.',
  });
  expect(await store.findTask(1, 2)).toMatchObject({ resultJson: '"value 2"' });
  expect(told).toEqual([expect.stringContaining('job-1.3')]);
  await store.close();
});

test.each([
  ['an error with another message', "error_message = 'y is not a function'", 8],
  ['an error with another type', "error_type = 'RangeError'", 8],
  ['a result that is null', 'result = null', 2],
  ['a result and a hash that are null', 'result = null, hash = null', 2],
  ['a result without its hash', 'hash = null', 2],
  ['a result with another hash', 'hash = hash + 1', 2],
  ['a result of an open task', 'status = 1', 2],
  ['a result that became an error', "status = 3, error_type = 'E', error_message = 'M'", 2],
  ['an error that became a cancellation', 'status = 4', 8],
  ['an error that became a result', "status = 2, result = '1'", 8],
  ['a status that does not exist', 'status = 9', 2],
  ['a list that is none', "avoid = '[\"'", 8],
])('%s is damaged', async (_, assignment, index) => {
  const store = reopenAfter(`update tasks set ${assignment} where key = ${taskKey(1, index)}`);
  const lines = await summary(store, 1);
  expect(lines[index]).toBe(`damaged ${index}`);
  expect(lines.filter((line) => line.startsWith('damaged'))).toHaveLength(1);
  expect(lines).toHaveLength(10);
  await expect(store.findTask(1, index)).rejects.toMatchObject({ code: 'value_damaged' });
  await store.close();
});

test('a result under the key of another task is damaged, and so is the place it left', async () => {
  const store = reopenAfter(
    `delete from tasks where key = ${taskKey(1, 5)};
    update tasks set key = ${taskKey(1, 5)} where key = ${taskKey(1, 4)}`,
  );
  const lines = await summary(store, 1);
  expect(lines.slice(4, 6)).toEqual(['damaged 4', 'damaged 5']);
  await expect(store.findTask(1, 4)).rejects.toMatchObject({ code: 'value_damaged' });
  await expect(store.findTask(1, 5)).rejects.toMatchObject({ code: 'value_damaged' });
  await store.close();
});

test('tasks of a job that has ended do not vanish', async () => {
  const store = reopenAfter(`delete from tasks where key > ${taskKey(1, 6)}`);
  const lines = await summary(store, 1);
  expect(lines.slice(7)).toEqual(['damaged 7', 'damaged 8', 'damaged 9']);
  await expect(store.listTasks(1, 0, 100)).rejects.toMatchObject({ code: 'value_damaged' });
  await expect(store.listTasks(1, 5, 100)).rejects.toMatchObject({ code: 'value_damaged' });
  expect(await store.listTasks(1, 0, 7)).toHaveLength(7);
  expect(await store.listTasks(1, 10, 7)).toEqual([]);
  expect(await store.findTask(1, 10)).toBeUndefined();
  await store.close();
});

test('pages of results go on behind what is damaged', async () => {
  const store = reopenAfter(`delete from tasks where key > ${taskKey(1, 2)}`);
  const seen: number[] = [];
  for (let from = 0; from < 10; ) {
    const page = await store.listResults(1, from, 2, 600);
    expect(page.length).toBeGreaterThan(0);
    seen.push(...page.map(({ index }) => index));
    from = page.at(-1)!.index + 1;
  }
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await store.listResults(1, 10, 2, 600)).toEqual([]);
  await store.close();
});

test('a result of an open job that was changed is damaged', async () => {
  const store = reopenAfter(`update tasks set result = '1' where key = ${taskKey(2, 0)}`);
  expect(await summary(store, 2)).toEqual(['damaged 0']);
  await store.close();
});

test('a changed input, or a missing one, is not handed out', async () => {
  const store = reopenAfter(
    `update inputs set json = '7' where key = ${taskKey(2, 3)};
    delete from inputs where key = ${taskKey(2, 5)}`,
  );
  await expect(store.readInputs(2, [2, 3, 4])).rejects.toMatchObject({
    code: 'value_damaged',
    message: expect.stringContaining('input of task job-2.3 is damaged'),
  });
  await expect(store.readInputs(2, [5])).rejects.toThrow('input');
  expect(await store.readInputs(2, [2, 4])).toHaveLength(2);
  await store.close();
});

test('inputs that have changed places are not handed out', async () => {
  const store = reopenAfter(
    `update inputs set key = 0 where key = ${taskKey(2, 1)};
    update inputs set key = ${taskKey(2, 1)} where key = ${taskKey(2, 2)};
    update inputs set key = ${taskKey(2, 2)} where key = 0`,
  );
  await expect(store.readInputs(2, [1])).rejects.toMatchObject({ code: 'value_damaged' });
  await expect(store.readInputs(2, [2])).rejects.toMatchObject({ code: 'value_damaged' });
  await store.close();
});

test.each([
  ['changed', "update programs set json = json || ' '"],
  [
    'of another job',
    `insert into programs values (9, '${sha256Of('')}', ''); update job_programs set program_key = 9`,
  ],
  ['without its hash', 'update job_programs set hash = null'],
])('a program that is %s is not handed out', async (_, sql) => {
  const store = reopenAfter(sql);
  await expect(store.findProgram(2)).rejects.toMatchObject({
    code: 'value_damaged',
    message: expect.stringContaining('program of job job-2 is damaged'),
  });
  await store.close();
});

test('the error of an attempt that was changed says so in its place', async () => {
  const store = reopenAfter("update attempts set error_message = 'x' where attempt = 1");
  const damaged = {
    attempt: 1,
    errorType: 'store_damaged',
    errorMessage: 'The stored error of attempt 1 of task job-1.8 is damaged.',
  };
  const intact = { attempt: 2, errorType: 'lost', errorMessage: 'The worker was not heard of.' };
  expect(await store.listAttempts(1, 8)).toMatchObject([damaged, intact]);
  expect(await store.listFailures('worker-1', 9)).toMatchObject([intact, damaged]);
  await store.close();
});

test.each([
  ['a changed chunk', 'update blob_chunks set bytes = zeroblob(262144) where key % 2 = 0'],
  ['a chunk that is cut', 'update blob_chunks set bytes = substr(bytes, 1, 9)'],
  ['a chunk that is gone', 'delete from blob_chunks where key % 2 = 0'],
  ['a blob that became shorter', 'update blobs set size_bytes = 270000'],
])('no byte of a blob with %s is handed out', async (_, sql) => {
  const store = reopenAfter(sql);
  await expect(store.readBlob(sha256)).rejects.toMatchObject({
    code: 'value_damaged',
    message: expect.stringContaining(sha256),
  });
  await store.close();
});

test('a damaged blob is not there for those who refer to it, and is whole when it came again', async () => {
  const store = reopenAfter("update blob_chunks set bytes = x'00' where key % 65536 = 1");
  await expect(store.readBlob(sha256)).rejects.toMatchObject({ code: 'value_damaged' });
  expect(await store.touchBlob(sha256, startAt)).toBe(false);
  await store.putBlob(sha256, blob.bytes, startAt);
  expect(Buffer.compare((await store.readBlob(sha256))!, blob.bytes)).toBe(0);
  expect(await store.touchBlob(sha256, startAt)).toBe(true);
  while (await store.sweep(100));
  await store.close();
  const reopened = reopenAfter("delete from blob_chunks where bytes = x'00'");
  expect(Buffer.compare((await reopened.readBlob(sha256))!, blob.bytes)).toBe(0);
  await reopened.close();
});

test('texts come back with their hash, whatever is in them', async () => {
  const store = openSqliteStore(path);
  const odd = { errorType: 'a\0b', errorMessage: 'half a pair \ud83d, € and \u{1f600}' };
  await store.commit(
    batch({
      sequence: 2,
      tasks: [{ ...failedRow(2, 1), ...odd }, completedRow(2, 2, '"\ud83d"')],
      attempts: [attemptRow(2, 1, 1, odd)],
    }),
    startAt,
  );
  expect(await store.findTask(2, 1)).toMatchObject({ errorType: 'a\0b' });
  expect(await store.findTask(2, 2)).toMatchObject({ status: 'completed' });
  expect(await store.listAttempts(2, 1)).toMatchObject([{ errorType: 'a\0b' }]);
  await store.close();
});

test('a result is kept with its hash when its row is written again without it', async () => {
  const store = openSqliteStore(path);
  const again = { ...completedRow(2, 0), resultJson: null, runMs: 1 };
  await store.commit(batch({ sequence: 2, tasks: [again] }), startAt);
  expect(await store.findTask(2, 0)).toMatchObject({ resultJson: '"value"', runMs: 1 });
  const retried = { ...failedRow(1, 8), status: 'pending', errorType: null, errorMessage: null };
  await store.commit(batch({ sequence: 3, tasks: [retried as never] }), startAt);
  await store.commit(batch({ sequence: 4, tasks: [completedRow(1, 8)] }), startAt);
  expect(await store.findTask(1, 8)).toMatchObject({ resultJson: '8' });
  await store.close();
});

test.each([
  ['a token', 'tokens = replace(tokens, \'"token-2-3"\', \'"token-2-X"\')', 'token-2-X'],
  ['the list of tokens', "tokens = 'no list'", ''],
])(
  '%s that is damaged is told, and keeps no task from being there',
  async (_, assignment, token) => {
    await giveOut();
    const store = reopenAfter(`update dispatches set ${assignment}`);
    const { tasks } = await store.load();
    expect(tasks.map(({ row }) => row.index)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(tasks[2]!.row).toMatchObject({ status: 'assigned', workerId: 'worker-1', token });
    expect(told).toEqual([
      'What is stored of the tasks of job job-2 is damaged. Restore a backup of the database.',
    ]);
    await store.close();
  },
);

test.each(["'3000000'", "'[0,2,1]'", "'[0,-1]'", "'{'", "''"])(
  'tasks that were given out together and cannot be told any more, as in %s, are left out and told',
  async (tasks) => {
    await giveOut();
    const store = reopenAfter(`update dispatches set tasks = ${tasks}`);
    expect((await store.load()).tasks).toEqual([]);
    expect(told).toEqual([expect.stringContaining('tasks of job job-2 is damaged')]);
    expect(await store.findTask(2, 0)).toMatchObject({ resultJson: '"value"' });
    await store.close();
  },
);

/** Six tasks of job 2, to one worker. */
async function giveOut(): Promise<void> {
  const indices = [1, 2, 3, 4, 5, 6];
  const tasks = indices.map((index) => taskRow(2, index, { runBeforeMs: 0 }));
  const store = openSqliteStore(path);
  await store.commit(batch({ sequence: 2, tasks }), startAt);
  await store.close();
}

function reopenAfter(sql: string): Store {
  change(path, sql);
  return openSqliteStore(path, { onDamage: (sentence) => told.push(sentence) });
}

async function summary(store: Store, jobKey: number): Promise<readonly string[]> {
  const rows = await store.listResults(jobKey, 0, 100, 2 ** 20);
  return rows.map((row) =>
    'damage' in row ? `damaged ${row.index}` : `${row.index} ${row.resultJson ?? row.errorMessage}`,
  );
}
