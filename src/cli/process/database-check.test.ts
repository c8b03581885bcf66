import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { change } from '../../store/sqlite/testing/ended-job.ts';
import { batch, completedRow, jobRow, startAt } from '../../store/conformance/rows.ts';
import { DatabaseCheck } from './database-check.ts';

test.each([
  ['nothing', 'select 1', 0, ['1 value, none is damaged']],
  ['a damaged result', "update tasks set result = '7'", 1, ['1 damaged', 'job-1.0 is damaged']],
])(
  'a check that finds %s tells the log, and whoever asks for health',
  async (_, sql, damaged, words) => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-check-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'muster.db');
    const store = openSqliteStore(path);
    await store.commit(batch({ jobs: [jobRow(1)], tasks: [completedRow(1, 0)] }), startAt);
    change(path, sql);
    const lines: string[] = [];
    const told = Promise.withResolvers<void>();
    const write = (line: string) => {
      lines.push(line);
      if (lines.length === words.length) told.resolve();
    };
    const check = new DatabaseCheck(path, pino({ level: 'info' }, { write }), 0);
    expect(check.health).toBeUndefined();
    await told.promise;
    expect(lines).toEqual(words.map((word) => expect.stringContaining(word)));
    expect(check.health).toEqual({
      checked_at: expect.stringMatching(/^20\d\d-/),
      values: 1,
      unverified: 0,
      damaged,
    });
    await check.stop();
    await store.close();
  },
);

test('a database in memory is not checked', async () => {
  const check = new DatabaseCheck(undefined, pino({ level: 'silent' }), 0);
  expect(check.health).toBeUndefined();
  await check.stop();
});
