// Jobs are looked up by handles in indexes, however many there are.

import { expect, test } from 'vitest';
import { JobTable } from './tables/job-table.ts';
import { listeningToNewFile, planOf } from './testing/listening.ts';

test('no handle makes the store read all jobs', async () => {
  const { db, listening, asked } = await listeningToNewFile();
  const table = new JobTable(listening);
  expect(table.listMeant(1, 'pi', 9)).toEqual([]);
  const plans = asked
    .filter((sql) => /substr\(id|id >=|name = /.test(sql) && !/owner (=|is null)/.test(sql))
    .map((sql) => planOf(db, sql));
  expect(plans).toEqual([
    ['SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 (id>? AND id<?)'],
    ['SEARCH jobs USING INDEX jobs_by_end (<expr>=?)'],
    ['SEARCH jobs USING COVERING INDEX jobs_by_name (generation=? AND name=?)'],
  ]);
  db.close();
});
