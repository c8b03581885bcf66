import { expect, test } from 'vitest';
import { refusalLines } from './refusals.ts';

test('tells who refuses one job after another, why, and when it is asked again', () => {
  const until = '2026-01-01T00:00:32.000Z';
  const now = Date.parse('2026-01-01T00:00:00.000Z');
  const refusing = { offers: 6, until, reason: 'battery at 7 %' };
  const workers = [
    { id: 'a', name: 'phone', refusing },
    { id: 'b', name: 'desk' },
    { id: 'c', name: null, refusing: { ...refusing, reason: null } },
  ];
  expect(refusalLines(workers, now)).toEqual([
    'phone refuses tasks of one job after another (the last: battery at 7 %), is asked again in 32 s',
    'c refuses tasks of one job after another, is asked again in 32 s',
  ]);
  expect(refusalLines(workers.slice(2), now + 60_000)).toEqual([
    'c refuses tasks of one job after another, is asked again now',
  ]);
});
