import { expect, test } from 'vitest';
import { moveLine, moveReport } from './move-text.ts';

test('the line of a move says which table it is at, and how fast it goes', () => {
  const at = { table: 'tasks', place: 5, tables: 23, rows: 120_000 };
  expect(moveLine({ ...at, phase: 'copying' }, 2_000)).toBe(
    'moving tasks, table 6 of 23  120 000 rows  60 000 rows/s',
  );
  expect(moveLine({ ...at, phase: 'comparing', rows: 1 }, 100)).toBe(
    'comparing tasks, table 6 of 23  1 row',
  );
  expect(moveLine({ ...at, phase: 'looking', table: null, place: 0 }, 9_000)).toBe(
    'looking for damage …  120 000 values',
  );
});

test('at its end it says what was moved now, what before, and that both sides are the same', () => {
  const report = {
    rows: 1_500,
    bytes: 2_500_000,
    resumedRows: 500,
    isResumed: true,
    copyMs: 4_000,
    compareMs: 1_200,
    tables: [{ table: 'jobs', rows: 1_500, checksum: 'ab' }],
  };
  expect(moveReport(report)).toEqual([
    'moved: 1 000 rows in 4.0 s (250 rows/s). 500 rows were there already.',
    'compared: 1 table, 1 500 rows, 2.5 MB; the same on both sides (1.2 s).',
  ]);
  expect(moveReport({ ...report, resumedRows: 0, rows: 0, copyMs: 0 })[0]).toBe(
    'moved: 0 rows in 0 ms (0 rows/s).',
  );
});
