import { expect, test } from 'vitest';
import type { MovedRow } from './moved-tables.ts';
import { TableSum, textOf } from './table-sum.ts';

test('rows give the same sum in any order, and each of them counts', () => {
  const rows: MovedRow[] = [
    [1, 'a'],
    [2, null],
    [2, null],
    [3, Uint8Array.of(1)],
  ];
  const whole = sumOf(rows);
  expect(sumOf(rows.toReversed())).toEqual(whole);
  for (const place of rows.keys()) expect(sumOf(rows.toSpliced(place, 1))).not.toEqual(whole);
  expect(sumOf([])).toEqual({ rows: 0, checksum: '0'.repeat(64) });
});

test('what differs has another text: the type of a cell, a fraction, bytes, an end of a cell', () => {
  const rows: MovedRow[] = [
    [null, null],
    ['null', null],
    [0, null],
    ['0', null],
    [false, null],
    ['', null],
    [0.1 + 0.2, null],
    [0.3, null],
    [Infinity, null],
    [-Infinity, null],
    [Uint8Array.of(), null],
    [Uint8Array.of(0), null],
    ['a', 'b'],
    ['ab', ''],
    ['\0', null],
    ['\u0001', null],
  ];
  expect(new Set(rows.map(textOf)).size).toBe(rows.length);
});

test('a zero is a zero, with or without a sign', () => {
  expect(textOf([-0])).toBe(textOf([0]));
});

function sumOf(rows: readonly MovedRow[]) {
  const sum = new TableSum();
  for (const row of rows) sum.add(row);
  return { rows: sum.rows, checksum: sum.checksum };
}
