import { expect, test } from 'vitest';
import { OutputPace } from './output-pace.ts';

function told(pace: OutputPace, times: readonly number[]): number {
  return times.filter((now) => pace.mayTell(now)).length;
}

test('as many as in a second may be told at once, and then as many a second', () => {
  const pace = new OutputPace(10);
  expect(told(pace, Array<number>(50).fill(5))).toBe(10);
  expect(told(pace, [50, 60, 70, 80])).toBe(0);
  expect(told(pace, [205, 206, 207])).toBe(2);
  expect(told(pace, Array<number>(50).fill(60_000))).toBe(10);
});
