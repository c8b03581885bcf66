// Jobs are looked up by handles in indexes, however many there are.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqliteStore } from './open.ts';
import { JobTable } from './tables/job-table.ts';
import { makeDirectory } from './testing/directory.ts';
import { listeningTo, planOf } from './testing/listening.ts';

test('no handle makes the store read all jobs', async () => {
  const path = join(await makeDirectory(), 'jobs.db');
  await openSqliteStore(path).close();
  const db = new DatabaseSync(path);
  const { listening, asked } = listeningTo(db);
  const table = new JobTable(listening);
  expect(table.listMeant(1, 'pi', 9)).toEqual([]);
  const plans = asked
    .filter((sql) => /substr\(id|id >=|name = /.test(sql))
    .map((sql) => planOf(db, sql));
  expect(plans).toEqual([
    ['SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 (id>? AND id<?)'],
    ['SEARCH jobs USING INDEX jobs_by_end (<expr>=?)'],
    ['SEARCH jobs USING COVERING INDEX jobs_by_name (generation=? AND name=?)'],
  ]);
  db.close();
});
