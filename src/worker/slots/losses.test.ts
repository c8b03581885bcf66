import { expect, test } from 'vitest';
import { Losses } from './losses.ts';

const minutes = 60_000;

test('assumes one loss in half an hour before anything is known', () => {
  expect(new Losses(1_000).meanTimeMs(1_000)).toBe(30 * minutes);
});

test('counts the time seen without a loss, and the losses', () => {
  const losses = new Losses(0);
  expect(losses.meanTimeMs(90 * minutes)).toBe(120 * minutes);
  losses.note();
  losses.note();
  expect(losses.meanTimeMs(90 * minutes)).toBe(40 * minutes);
});

test('counts losses from before it began', () => {
  expect(new Losses(0, 1).meanTimeMs(0)).toBe(15 * minutes);
});
