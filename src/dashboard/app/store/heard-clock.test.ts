import { expect, test } from 'vitest';
import { HeardClock } from './heard-clock.ts';

const day = 86_400_000;

/** One that guessed right at its own 0, and has heard so. */
function clockAt(nowMs: number): HeardClock {
  const clock = new HeardClock(nowMs, 0);
  clock.hear(nowMs, 0);
  return clock;
}

test('a guess that is near stays; the way of a message says nothing', () => {
  const clock = new HeardClock(1_000_000, 0);
  expect(clock.hear(999_100, 0)).toEqual({ lateMs: 0, wrongMs: 0 });
  expect(clock.at(5_000)).toBe(1_005_000);
});

test.each([-day, day, 3650 * day])('a guess that is wrong by %d ms is corrected', (error) => {
  const clock = new HeardClock(1e12 + error, 50);
  expect(clock.hear(1e12, 50)).toEqual({ lateMs: 0, wrongMs: Math.abs(error) });
  expect(clock.at(1_050)).toBe(1e12 + 1_000);
});

test('what was held on the way is late, and the clock stays', () => {
  const clock = clockAt(1_000_000);
  const late = [1, 10, 20, 29].map((s) => clock.hear(1_000_000 + s * 1_000, 30_000).lateMs);
  expect(late).toEqual([29_000, 20_000, 10_000, 0]);
  expect(clock.at(30_000)).toBe(1_030_000);
});

test('what is always late stays late', () => {
  const clock = clockAt(0);
  for (let s = 41; s < 600; s++) {
    expect(clock.hear((s - 40) * 1_000, s * 1_000)).toEqual({ lateMs: 40_000, wrongMs: 0 });
  }
});

test('a clock that is set back is followed, since no message goes back', () => {
  const clock = clockAt(10 * day);
  expect(clock.hear(10 * day - 3_599_000, 1_000)).toEqual({ lateMs: 0, wrongMs: 3_600_000 });
  expect(clock.hear(10 * day - 3_598_000, 2_000)).toEqual({ lateMs: 0, wrongMs: 0 });
});

test('one that is set forward, or went on while this machine slept, is followed', () => {
  const clock = clockAt(0);
  expect(clock.hear(3_601_000, 1_000)).toEqual({ lateMs: 0, wrongMs: 3_600_000 });
  expect(clock.at(2_000)).toBe(3_602_000);
});

test('a first message that was held is made good by the next that was not', () => {
  const clock = new HeardClock(0, 0);
  clock.hear(-25_000, 0);
  expect(clock.hear(1_000, 1_000).wrongMs).toBe(25_000);
  expect(clock.at(1_000)).toBe(1_000);
});

test('two clocks that drift apart for days are never late', () => {
  const clock = clockAt(0);
  // One second in ten thousand, for a day.
  for (let ms = 1_000; ms < day; ms += 10_000) {
    expect(clock.hear(ms * 0.999_9, ms).lateMs).toBeLessThan(2_100);
  }
});
