import { expect, test } from 'vitest';
import { LogPace } from './log-pace.ts';

test('a worker writes a bounded amount, says so once, and goes on later', () => {
  const pace = new LogPace();
  const at = (nowMs: number, lines: number) =>
    Array.from({ length: lines }, (_, i) => pace.take(`${i}`, nowMs)).flat();
  expect(at(0, 1000)).toEqual([
    ...Array.from({ length: 200 }, (_, i) => `${i}`),
    'More is not written for some seconds: it is too much at once.',
  ]);
  expect(at(9_999, 10)).toEqual([]);
  expect(at(10_000, 2)).toEqual(['0', '1']);
});

test('of a long line its beginning is written', () => {
  expect(new LogPace().take('x'.repeat(1e6), 0)).toEqual([`${'x'.repeat(4_000)}…`]);
});
