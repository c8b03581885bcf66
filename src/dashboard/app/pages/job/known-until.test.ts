import { expect, test } from 'vitest';
import { knownUntil } from './known-until.ts';

const read = { atMs: 1_000, changes: 3 };

test('as long as nothing changes what was read is so until the coordinator was heard last', () => {
  expect(knownUntil(0, read, { changes: 3, saidMs: 8_500, nowMs: 9_000 })).toBe(8_500);
});

test('once something has changed it is known until it was read, or until nothing had changed last', () => {
  const told = { changes: 4, saidMs: 8_500, nowMs: 9_000 };
  expect(knownUntil(0, read, told)).toBe(1_000);
  expect(knownUntil(7_000, read, told)).toBe(7_000);
});

test('it is never ahead of the clock, and before anything is read nothing is known', () => {
  const told = { changes: 4, saidMs: 8_500, nowMs: 5_000 };
  expect(knownUntil(9_000, read, told)).toBe(5_000);
  expect(knownUntil(Number.NEGATIVE_INFINITY, null, told)).toBe(Number.NEGATIVE_INFINITY);
});
