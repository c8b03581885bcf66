// When the loop waits for the disk itself.

import { expect, test } from 'vitest';
import { DiskPace } from './disk-pace.ts';

/** Asks as often as a sync is beside the loop. */
function besideTheLoop(pace: DiskPace): number {
  let syncs = 0;
  while (!pace.isQuick()) syncs++;
  return syncs;
}

test('a disk is quick until it was slow, and is tried again after 256 syncs', () => {
  const pace = new DiskPace();
  for (let syncs = 0; syncs < 100; syncs++) {
    expect(pace.isQuick()).toBe(true);
    pace.took(0.2);
  }
  pace.took(30);
  expect(besideTheLoop(pace)).toBe(256);
  pace.took(30);
  expect(besideTheLoop(pace)).toBe(256);
});

test('one that is quick again is soon taken for quick', () => {
  const pace = new DiskPace();
  pace.took(9);
  let tries = 0;
  for (; besideTheLoop(pace) > 0; tries++) pace.took(0.2);
  expect(tries).toBeLessThanOrEqual(3);
});

test('a sync of some milliseconds among quick ones changes nothing', () => {
  const pace = new DiskPace();
  for (let syncs = 0; syncs < 50; syncs++) {
    pace.took(syncs % 10 === 9 ? 4 : 0.2);
    expect(pace.isQuick()).toBe(true);
  }
});
