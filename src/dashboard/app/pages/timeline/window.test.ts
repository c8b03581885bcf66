import { expect, test } from 'vitest';
import { chosenSpan, readEveryMs, textOfSpan, usualWindow, windowOf } from './window.ts';

test('a span comes back from the address, whole milliseconds', () => {
  const span = { from: 1_777_886_400_000.4, to: 1_777_886_460_000.2 };
  expect(chosenSpan(textOfSpan(span))).toEqual({ from: 1_777_886_400_000, to: 1_777_886_460_001 });
});

test.for([null, '', '5-7', '1777886460000-1777886400000', 'a-b'])('%s is no span', (text) => {
  expect(chosenSpan(text)).toBe(null);
});

test('without a length that is known it is the usual one', () => {
  expect(windowOf('1d').ms).toBe(86_400_000);
  expect(windowOf('2d')).toBe(usualWindow);
});

test('the longer what is seen, the less often it is read', () => {
  expect([60_000, 900_000, 86_400_000].map((ms) => readEveryMs({ from: 0, to: ms }))).toEqual([
    2_000, 6_000, 30_000,
  ]);
});
