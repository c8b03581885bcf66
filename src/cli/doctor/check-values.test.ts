import { open } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { taskKey } from '../../core/task-key.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { change, endedJobFile } from '../../store/sqlite/testing/ended-job.ts';
import { checkValues } from './check-values.ts';

test('a whole database is well', async () => {
  expect(checkValues(await endedJobFile())).toMatchObject([
    { check: 'store structure', status: 'ok' },
    { check: 'store values', status: 'ok', finding: '26 values looked at, none is damaged' },
  ]);
});

test('damaged values are named one by one, also while a coordinator has the file', async () => {
  const path = await endedJobFile();
  change(path, `update tasks set result = '1' where key in (${taskKey(1, 3)}, ${taskKey(1, 5)})`);
  const store = openSqliteStore(path);
  const findings = checkValues(path);
  await store.close();
  expect(findings).toMatchObject([
    { check: 'store structure', status: 'ok' },
    { check: 'store values', status: 'problem', finding: '26 values looked at, 2 damaged' },
    { check: 'store value', finding: expect.stringContaining('task job-1.3 is damaged') },
    { check: 'store value', finding: expect.stringContaining('task job-1.5 is damaged') },
  ]);
});

test('a damaged structure is a problem', async () => {
  const path = await endedJobFile();
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  // The header of the last page.
  await file.write(Buffer.alloc(8, 0xff), 0, 8, size - 4096);
  await file.close();
  expect(checkValues(path)[0]).toMatchObject({ check: 'store structure', status: 'problem' });
});

test('values without a hash are a warning', async () => {
  const path = await endedJobFile();
  change(path, 'update meta set hashed_from = 9; update inputs set hash = null');
  expect(checkValues(path)[1]).toMatchObject({
    status: 'warning',
    finding: '26 values looked at, none is damaged as far as can be seen: 10 of them have no hash',
  });
});

test('a file that is no database is a problem, and a missing file gives no finding', async () => {
  const path = await endedJobFile();
  change(path, 'drop table meta');
  expect(checkValues(path)).toMatchObject([{ status: 'problem' }]);
  expect(checkValues(`${path}-none`)).toEqual([]);
});
