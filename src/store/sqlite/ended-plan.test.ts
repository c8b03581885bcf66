// Jobs that have ended are read in pages, in the order of an index: for evaluation, and for what is kept for so
// long only.

import { expect, test } from 'vitest';
import { JobTable } from './tables/job-table.ts';
import { listeningToNewFile, planOf } from './testing/listening.ts';

test('no page of ended jobs costs more than its rows, however many there are', async () => {
  const { db, listening, asked } = await listeningToNewFile();
  const table = new JobTable(listening);
  expect(table.listEnded(1, { since: null, owner: undefined }, undefined, 9)).toEqual([]);
  expect(table.listExpiring(1, ['own', 'others', 'all'], 9)).toEqual([]);
  const plans = asked
    .filter((sql) => /indexed by jobs_(ended|expiring|kept)/.test(sql))
    .map((sql) => [/limit \?\d*$/.test(sql), ...planOf(db, sql)]);
  // No sorting, which would have to read all of them first.
  expect(plans).toEqual([
    // Of the admin alone: who owns a job is not in that index.
    [
      true,
      'SEARCH jobs USING INDEX jobs_ended (generation=? AND completed_at>? AND completed_at<?)',
    ],
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
