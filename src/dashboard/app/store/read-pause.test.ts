import { expect, test } from 'vitest';
import { pauseAfter } from './read-pause.ts';

test('what is short is read at once, what is long less often, and never too seldom', () => {
  expect(pauseAfter(0)).toBe(0);
  expect(pauseAfter(100)).toBeLessThan(1_000);
  expect(pauseAfter(2_000)).toBeGreaterThan(pauseAfter(1_000));
  expect(pauseAfter(1_000_000)).toBe(10_000);
});
