import { expect, test } from 'vitest';
import { bucketRates } from './bucket-rates.ts';

test('the bucket that is not over has the rate of what has passed of it, or none yet', () => {
  const point = (at: number) => ({
    at: new Date(at).toISOString(),
    tasks_completed: 30,
    tasks_failed: 0,
    throughput: 3,
  });
  const history = { bucket_seconds: 10, points: [point(0), point(10_000)] };
  const rates = (countedUntilMs: number) => bucketRates({ ...history, countedUntilMs });
  expect(rates(15_000)).toEqual([3, 6]);
  expect(rates(30_000)).toEqual([3, 3]);
  expect(rates(10_200)).toEqual([3, null]);
});
