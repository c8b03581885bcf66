// Looking for who is to be told costs the same, however many wait for a host that is busy.

import { expect, test } from 'vitest';
import { NotificationTable } from './tables/notification-table.ts';
import { listeningToNewFile, planOf } from './testing/listening.ts';

test('of what is due no more than some is read in order, and hosts are found in an index', async () => {
  const { db, listening, asked } = await listeningToNewFile();
  expect(new NotificationTable(listening).largestId()).toBe(0);
  const searched = asked
    .filter((sql) => sql.includes('json_each'))
    .map((sql) => [
      /limit 1000\b/.test(sql),
      planOf(db, sql).filter((detail) =>
        /^(SEARCH|SCAN) (notifications|due|n|o|hosts)\b/.test(detail),
      ),
    ]);
  const first = (when: string) => [
    true,
    [
      `SEARCH notifications USING COVERING INDEX notifications_due (next_at${when}?)`,
      'SCAN due',
      'SEARCH n USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  ];
  const ofHosts = (when: string) => [
    false,
    [
      'SEARCH notifications USING COVERING INDEX notifications_by_host',
      'SCAN hosts',
      'SEARCH notifications USING COVERING INDEX notifications_by_host (host>?)',
      'SCAN hosts',
      'SEARCH n USING INTEGER PRIMARY KEY (rowid=?)',
      `SEARCH o USING INDEX notifications_by_host (host=? AND next_at${when}?)`,
    ],
  ];
  expect(searched).toEqual([first('<'), ofHosts('<'), first('>'), ofHosts('>')]);
  db.close();
});
