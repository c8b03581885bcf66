// When a job will have ended, from completions at known moments.

import { describe, expect, test } from 'vitest';
import { bucketCount, bucketMs, CompletionRing } from './completion-ring.ts';
import { bucketOf, estimated, type Past, ratePerSecond } from './estimate.ts';

const began = 1_000_000_000;

/** `counts`: tasks that completed in each bucket from the beginning on. */
function past(counts: readonly number[], until: number): Past {
  const ring = new CompletionRing(bucketOf(began));
  counts.forEach((count, place) => {
    for (let i = 0; i < count; i++) ring.add(bucketOf(began) + place);
  });
  return { ring, from: began, until: began + until };
}

const minute = 60_000;
const perMinute = (...counts: number[]) =>
  counts.flatMap((count) => Array.from({ length: 12 }, () => count));

describe('the end of a job', () => {
  test('is what is left by the rate of the last minutes, between its fastest and its slowest', () => {
    // 60, 120 and 180 tasks in a minute each: 2 a second.
    const eta = estimated(240, past(perMinute(5, 10, 15), 3 * minute));
    // The minutes are divided into quarters of the time.
    expect(eta).toEqual({
      seconds: 120,
      low: 80,
      high: 240,
      method:
        'From the 360 tasks that completed in the last 3 minutes; low and high from its fastest and slowest 45 seconds.',
      reason: null,
    });
  });

  test('is told by minutes where there were four of them, and by the last five', () => {
    const eta = estimated(600, past(perMinute(100, 100, 5, 10, 10, 10, 15), 7 * minute));
    expect(eta).toMatchObject({ low: 200, seconds: 300, high: 600 });
    expect(eta.method).toMatch(/600 tasks .* 5 minutes; .* slowest minute\.$/);
  });

  test('is not farther away for a minute in which nothing completed than the slowest other says', () => {
    const eta = estimated(300, past(perMinute(10, 0, 10, 10, 10), 5 * minute));
    expect(eta).toMatchObject({ low: 150, seconds: 188, high: 188 });
  });

  test('is told after a few seconds, too', () => {
    const eta = estimated(100, past([40, 40], 10_000));
    expect(eta).toMatchObject({ low: 13, seconds: 13, high: 13 });
    expect(eta.method).toContain('the last 10 seconds');
  });

  test.each([
    ['5 minutes', 10 * minute],
    ['2 minutes', 2 * minute],
    ['30 seconds', 30_000],
    ['1 second', 100],
  ])('cannot be told when nothing has completed in the last %s', (span, until) => {
    expect(estimated(5, past([], until))).toMatchObject({
      seconds: null,
      low: null,
      high: null,
      reason: `None of its tasks has completed in the last ${span}.`,
    });
  });
});

describe('the rate', () => {
  test('is of the last minute, or of the time since the beginning', () => {
    expect(ratePerSecond(past(perMinute(100, 10), 2 * minute))).toBe(2);
    expect(ratePerSecond(past([30], 3_000))).toBe(10);
    expect(ratePerSecond(past([30], 5 * minute))).toBe(0);
  });

  test('of less than a second is chance', () => {
    expect(ratePerSecond(past([30], 999))).toBeNull();
  });
});

describe('the ring', () => {
  test('forgets what is older than it is long, however far apart things happen', () => {
    const ring = new CompletionRing(7);
    ring.add(7);
    ring.add(7 + bucketCount - 1);
    expect(ring.sum(0, 1000)).toBe(2);
    ring.add(7 + bucketCount);
    expect(ring.sum(0, 1000)).toBe(2);
    ring.add(7 + 50 * bucketCount);
    expect(ring.sum(0, 100_000)).toBe(1);
    expect((bucketCount - 1) * bucketMs).toBe(5 * minute);
  });

  test('takes what a clock that stands still tells late as the newest', () => {
    const ring = new CompletionRing(7);
    ring.add(6);
    expect(ring.sum(7, 7)).toBe(1);
  });
});
