// Jobs that have ended are read in pages, in the order of an index: for evaluation, and for what is kept for so
// long only.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqliteStore } from './open.ts';
import { JobTable } from './tables/job-table.ts';
import { makeDirectory } from './testing/directory.ts';
import { listeningTo, planOf } from './testing/listening.ts';

test('no page of ended jobs costs more than its rows, however many there are', async () => {
  const path = join(await makeDirectory(), 'jobs.db');
  await openSqliteStore(path).close();
  const db = new DatabaseSync(path);
  const { listening, asked } = listeningTo(db);
  const table = new JobTable(listening);
  expect(table.listEnded(1, null, undefined, 9)).toEqual([]);
  expect(table.listExpiring(1, ['own', 'others', 'all'], 9)).toEqual([]);
  const plans = asked
    .filter((sql) => /indexed by jobs_(ended|expiring|kept)/.test(sql))
    .map((sql) => [sql.endsWith('limit ?'), ...planOf(db, sql)]);
  // No sorting, which would have to read all of them first.
  expect(plans).toEqual([
    [
      true,
      'SEARCH jobs USING COVERING INDEX jobs_ended (generation=? AND completed_at>? AND completed_at<?)',
    ],
    [true, 'SEARCH jobs USING COVERING INDEX jobs_expiring (generation=? AND expires_at>?)'],
    [true, 'SEARCH jobs USING INDEX jobs_kept (generation=? AND completed_at>?)'],
    [true, 'SEARCH jobs USING COVERING INDEX jobs_ended (generation=? AND completed_at>?)'],
  ]);
  db.close();
});
