import { expect, test } from 'vitest';
import type { AttemptOfHistory } from '../../../../protocol/evaluation.ts';
import { endedBefore, spreadOf, timesByWorker } from './spread.ts';

const attempt = (worker: string, seconds: number, more: Partial<AttemptOfHistory> = {}) =>
  ({
    worker_id: worker,
    status: 'completed',
    started_at: new Date(1_000_000).toISOString(),
    ended_at: new Date(1_000_000 + 1000 * seconds).toISOString(),
    ...more,
  }) as AttemptOfHistory;

test('the middle and the edges are values that were measured', () => {
  const hundred = Array.from({ length: 100 }, (_, place) => 100 - place);
  expect(spreadOf(hundred)).toMatchObject({ n: 100, median: 50.5, p5: 5, p95: 95 });
  expect(spreadOf([3])).toMatchObject({ n: 1, median: 3, p5: 3, p95: 3, dots: [3] });
  expect(spreadOf([])).toBe(null);
});

test('of many the dots are an even choice that has the shortest and the longest', () => {
  const { dots } = spreadOf(Array.from({ length: 1_000 }, (_, place) => place))!;
  expect(dots).toHaveLength(24);
  expect([dots[0], dots.at(-1)]).toEqual([0, 999]);
  expect(dots).toEqual(dots.toSorted((a, b) => a - b));
});

test('only what was completed has a time, from its start', () => {
  const times = timesByWorker([
    attempt('a', 2),
    attempt('b', 5),
    attempt('a', 3),
    attempt('a', 9, { status: 'failed' }),
    attempt('b', 9, { status: 'running', ended_at: null }),
    attempt('b', 9, { started_at: null }),
  ]);
  expect([...times]).toEqual([
    ['a', [2, 3]],
    ['b', [5]],
  ]);
});

test('of what was live before the end of a time only that counts which had ended by then', () => {
  const until = new Date(1_010_000).toISOString();
  const attempts = [
    attempt('a', 9.999),
    attempt('a', 10),
    attempt('b', 0, { status: 'running', ended_at: null }),
  ];
  const history = { kept_since: until, left_out: 0, attempts };
  expect(endedBefore(history, until).attempts).toEqual([attempts[0]]);
  expect(endedBefore(history, undefined)).toBe(history);
});
