// The cells of a job's map are counted in an index: a job may have millions of rows, with their results.

import { expect, test } from 'vitest';
import { makeTables } from './tables/tables.ts';
import { listeningToNewFile, planOf } from './testing/listening.ts';
import { ValueGuard } from './tables/value-hash.ts';

test('no row of a task is read to count those that have not completed', async () => {
  const { db, listening, asked } = await listeningToNewFile();
  const table = makeTables(listening, new ValueGuard(0)).tasks;
  const cells = { from: 0, to: 100, width: 10 };
  const none = Array.from({ length: 10 }, () => 0);
  for (const status of ['pending', 'assigned', 'failed', 'cancelled'] as const) {
    expect(table.countCells(1, status, cells)).toEqual(none);
  }
  const plans = asked
    .filter((sql) => /where status = \d and key >= \? and key < \?/.test(sql))
    .flatMap((sql) => planOf(db, sql));
  const open = 'SEARCH tasks USING COVERING INDEX tasks_unfinished (status=? AND key>? AND key<?)';
  const cancelled = 'SEARCH tasks USING COVERING INDEX tasks_cancelled (key>? AND key<?)';
  expect(plans).toEqual([open, open, open, open, open, open, cancelled, cancelled]);
  db.close();
});
