import { describe, expect, test } from 'vitest';
import type { ExecutorOutcome } from '../executor.ts';
import { DoneTally, readTally } from './done-tally.ts';

const noon = new Date(2026, 5, 15, 12, 0).getTime();
const hourMs = 3_600_000;
const result: ExecutorOutcome = {
  type: 'result',
  key: 'a#1',
  valueJson: '1',
  runMs: 10,
  cpuSeconds: 2,
};
const failure: ExecutorOutcome = {
  type: 'failure',
  key: 'a#1',
  errorType: 'Error',
  errorMessage: 'no',
  retryable: true,
  runMs: 1,
  cpuSeconds: 1,
};

describe('a tally', () => {
  test('counts what was done and what failed, with its energy', () => {
    const tally = new DoneTally(null, noon);
    tally.ended(result, 2, noon);
    tally.ended(failure, 2, noon);
    tally.ended({ type: 'stopped', key: 'a#1', reason: 'leaving' }, 2, noon);
    tally.moved(100, noon);
    const done = { tasks: 1, failed: 1, helpedMs: 0, bytes: 100, energyJoules: 6 };
    expect(tally.today(noon)).toEqual(done);
    expect(tally.session).toEqual(done);
    expect(tally.recent).toEqual(['done', 'failed']);
    expect(tally.doneEver).toBe(1);
  });

  test('knows no energy of a device whose watts nobody knows', () => {
    const tally = new DoneTally(null, noon);
    tally.ended(result, null, noon);
    expect(tally.session.energyJoules).toBeNull();
  });

  test('counts the time in which something ran, and not the sleep of the device', () => {
    const tally = new DoneTally(null, noon);
    tally.look(true, noon);
    tally.look(true, noon + 500);
    tally.look(false, noon + 1_000);
    tally.look(true, noon + 1_500);
    tally.look(true, noon + 8 * hourMs);
    expect(tally.session.helpedMs).toBe(500 + 500 + 5_000);
  });

  test('begins anew at midnight, and goes on within a day after the page was closed', () => {
    const first = new DoneTally(null, noon);
    first.ended(result, null, noon);
    const kept = readTally(structuredClone(first.kept(noon)));
    const second = new DoneTally(kept, noon + hourMs);
    second.ended(result, null, noon + hourMs);
    expect(second.today(noon + hourMs).tasks).toBe(2);
    expect(second.session.tasks).toBe(1);
    expect(second.today(noon + 13 * hourMs).tasks).toBe(0);
    expect(new DoneTally(second.kept(noon + hourMs), noon + 30 * hourMs)).toMatchObject({
      doneEver: 2,
    });
    expect(new DoneTally(kept, noon + 30 * hourMs).today(noon + 30 * hourMs).tasks).toBe(0);
  });

  test('remembers the last sixty outcomes', () => {
    const tally = new DoneTally(null, noon);
    tally.ended(failure, null, noon);
    for (let i = 0; i < 60; i++) tally.ended(result, null, noon);
    expect(tally.recent).toEqual(Array(60).fill('done'));
  });
});

test.each([null, 'x', { day: 1 }, { day: '', doneEver: -1 }, { day: '', doneEver: 1 }])(
  'a record that is damaged is none: %j',
  (value) => {
    expect(readTally(value)).toBeNull();
  },
);

test('a damaged day does not cost the count of ever', () => {
  const kept = { day: '2026-6-15', today: { tasks: 'x' }, doneEver: 7 };
  expect(new DoneTally(readTally(kept), noon).doneEver).toBe(7);
});
