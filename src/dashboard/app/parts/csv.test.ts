import { expect, test } from 'vitest';
import { csvOf } from './csv.ts';

test('fields with commas, quotes and ends of lines are quoted', () => {
  expect(
    csvOf(
      ['name', 'n'],
      [
        ['a, "b"\nc', 1.5],
        ['plain', null],
      ],
    ),
  ).toBe('name,n\r\n"a, ""b""\nc",1.5\r\nplain,\r\n');
});

test.each(['=1+1', '+1', '-1', '@now', '\tx', '\n=1', '\r=1', '＝1+1', '＋1', '－1', '＠x'])(
  'no spreadsheet runs the text %j',
  (text) => {
    expect(csvOf(['x'], [[text]])).toMatch(/^x\r\n"?'/);
  },
);

test('a number below 0 stays a number', () => {
  expect(csvOf(['x'], [[-1]])).toBe('x\r\n-1\r\n');
});
