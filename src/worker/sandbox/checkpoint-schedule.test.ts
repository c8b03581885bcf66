import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CheckpointCost, CheckpointSchedule, intervalMsOf } from './checkpoint-schedule.ts';

const halfAnHourMs = 1_800_000;

describe('the interval is sqrt(2 · cost · mean time between losses)', () => {
  test.each([
    // sqrt(2 · 10 ms · 1 800 000 ms) = 6000 ms
    [10, halfAnHourMs, 6_000],
    [100, halfAnHourMs, 18_973.67],
    [1_000, halfAnHourMs, 60_000],
    [90, 20 * 60_000, 14_696.94],
    // At least 5 s, at most 300 s.
    [0, halfAnHourMs, 5_000],
    [6.9, halfAnHourMs, 5_000],
    [25_000, halfAnHourMs, 300_000],
    [100_000, halfAnHourMs, 300_000],
  ])('of %d ms and %d ms it is %d ms', (costMs, meanTimeMs, expected) => {
    expect(intervalMsOf(costMs, meanTimeMs)).toBeCloseTo(expected, 1);
  });
});

describe('a checkpoint by the rule', () => {
  test('is due after five seconds as long as nothing is known of its cost', () => {
    const schedule = new CheckpointSchedule(new CheckpointCost(null, halfAnHourMs), 1_000);
    expect([5_999, 6_000].map((now) => schedule.isDue(now))).toEqual([false, true]);
  });

  test('is due after the interval that follows from its cost, once that is measured', () => {
    const cost = new CheckpointCost(null, halfAnHourMs);
    const schedule = new CheckpointSchedule(cost, 0);
    cost.noteWritten(4);
    cost.notePacked(6);
    schedule.taken(5_000, 5_004);
    expect([10_999, 11_000].map((now) => schedule.isDue(now))).toEqual([false, true]);
  });

  test('smooths what it measures, by three tenths of the newest', () => {
    const cost = new CheckpointCost(null, halfAnHourMs);
    cost.noteWritten(10);
    cost.noteWritten(20);
    cost.notePacked(1);
    expect(cost.totalMs).toBeCloseTo(14, 9);
  });

  test('waits until it takes no more than a twentieth of the run time', () => {
    const cost = new CheckpointCost(null, halfAnHourMs);
    cost.noteWritten(400);
    const schedule = new CheckpointSchedule(cost, 0);
    schedule.taken(5_000, 5_400);
    schedule.charge(800);
    // 1200 ms were spent and 400 ms are expected: 5 % of 32 s.
    const dueMs = 5_000 + intervalMsOf(400, halfAnHourMs);
    expect(dueMs).toBeGreaterThan(32_000);
    cost.meanTimeBetweenLossesMs = 1_000;
    schedule.taken(5_400, 5_400);
    expect([10_400, 31_999, 32_000].map((now) => schedule.isDue(now))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('is never due when it would make that share larger, whatever it costs', () => {
    const costs = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(costs, (each) => {
        const cost = new CheckpointCost(null, 1);
        const schedule = new CheckpointSchedule(cost, 0);
        let now = 0;
        let spent = 0;
        let largestShare = 0;
        for (const ms of each) {
          while (!schedule.isDue(now)) now += 100;
          largestShare = Math.max(largestShare, (spent + cost.totalMs) / now);
          cost.noteWritten(ms);
          schedule.taken(now, now + ms);
          spent += ms;
          now += ms;
        }
        expect(largestShare).toBeLessThanOrEqual(0.05 + 1e-12);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a checkpoint at the job's own interval", () => {
  test('is due exactly then, however much it costs', () => {
    const cost = new CheckpointCost(50, halfAnHourMs);
    const schedule = new CheckpointSchedule(cost, 100);
    cost.noteWritten(40);
    expect([149, 150].map((now) => schedule.isDue(now))).toEqual([false, true]);
    schedule.taken(150, 190);
    expect([199, 200].map((now) => schedule.isDue(now))).toEqual([false, true]);
  });

  test('keeps the beat when an offer comes late', () => {
    const schedule = new CheckpointSchedule(new CheckpointCost(50, halfAnHourMs), 0);
    schedule.taken(70, 71);
    expect([99, 100].map((now) => schedule.isDue(now))).toEqual([false, true]);
  });

  test('begins a new beat when whole intervals went by without an offer, or one was ordered', () => {
    const late = new CheckpointSchedule(new CheckpointCost(50, halfAnHourMs), 0);
    late.taken(180, 181);
    expect([229, 230].map((now) => late.isDue(now))).toEqual([false, true]);
    const early = new CheckpointSchedule(new CheckpointCost(50, halfAnHourMs), 0);
    early.taken(20, 21);
    expect([69, 70].map((now) => early.isDue(now))).toEqual([false, true]);
  });
});
