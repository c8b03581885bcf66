// What time it is in the database, as far as one who asks it now and then can know.

import { expect, test } from 'vitest';
import { DatabaseClock } from './database-clock.ts';

function clockAt(start: number) {
  let steady = start;
  const clock = new DatabaseClock(() => steady);
  return {
    clock,
    pass: (ms: number) => (steady += ms),
    /** Asks, and is answered after so long. */
    hear: (at: number, tripMs: number) => {
      const askedAt = steady;
      steady += tripMs;
      clock.heard(at, askedAt);
    },
  };
}

test('the first answer counts, however slow, and time passes from there', () => {
  const { clock, hear, pass } = clockAt(70);
  hear(1_000_000, 2_000);
  expect(clock.now()).toBe(1_001_000);
  pass(500.75);
  expect(clock.now()).toBe(1_001_500);
});

test('an answer that came fast is better than one that was slow', () => {
  const { clock, hear, pass } = clockAt(0);
  hear(1_000_000, 2_000);
  hear(1_001_900, 20);
  expect(clock.now()).toBe(1_001_910);
  pass(400);
  hear(1_002_310, 1_000);
  expect(clock.now()).toBe(1_003_310);
});

test('a clock of the database that is set is followed', () => {
  const { clock, hear } = clockAt(0);
  hear(1_000_000, 10);
  hear(4_600_000, 10);
  expect(clock.now()).toBe(4_600_005);
});
