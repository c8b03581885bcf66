// However long a table is, a page of it costs what the page has.

import { expect, test } from 'vitest';
import { movedTables } from '../../move/moved-tables.ts';
import { listeningToNewFile, planOf } from '../testing/listening.ts';
import { PageReader } from './page-reader.ts';

test.each(movedTables)('$name is gone through along a key, and never sorted', async (table) => {
  const { db, listening, asked } = await listeningToNewFile();
  const reader = new PageReader(listening);
  expect(reader.read(table, null, { rows: 10, bytes: 10 }).rows).toEqual([]);
  const pages = asked.filter((sql) => sql.includes('order by'));
  expect(pages.length).toBeGreaterThanOrEqual(2);
  for (const sql of pages) {
    const [first = '', ...rest] = planOf(db, sql);
    expect(first).toMatch(sql.includes(') > (') ? /^SEARCH / : /^(SEARCH|SCAN) /);
    expect(rest.join('\n')).not.toMatch(/TEMP B-TREE/);
    for (const step of rest.filter((each) => each.startsWith('SCAN'))) {
      // The one row of facts.
      expect(step).toBe('SCAN meta');
    }
  }
  db.close();
});
