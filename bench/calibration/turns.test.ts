import { describe, expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Plays turns in which every window ends `lateMs` too late; returns what each device had of the time. */
function sharesHad(shares: readonly number[], turnMs: number, count: number, lateMs = 0): number[] {
  const turns = new Turns(shares, turnMs, 0);
  const had = shares.map(() => 0);
  let now = 0;
  for (let i = 0; i < count; i++) {
    for (const lane of shares.keys()) {
      const windowMs = turns.windowMs(lane);
      if (windowMs <= 0) continue;
      turns.ran(lane, windowMs + lateMs);
      had[lane]! += windowMs + lateMs;
      now += windowMs + lateMs;
    }
    now = Math.max(now, turns.next(now));
  }
  return had.map((ms) => ms / now);
}

describe('turns', () => {
  test('each device has its share of every turn', () => {
    const turns = new Turns([0.3, 0.1], 20, 1000);
    expect([turns.windowMs(0), turns.windowMs(1)]).toEqual([6, 2]);
    turns.ran(0, 6);
    turns.ran(1, 2);
    expect(turns.next(1008)).toBe(1020);
    expect([turns.windowMs(0), turns.windowMs(1)]).toEqual([6, 2]);
  });

  test('a window that was too long is made good in the next turn', () => {
    const turns = new Turns([0.3], 20, 0);
    turns.ran(0, 7);
    turns.next(8);
    expect(turns.windowMs(0)).toBeCloseTo(5, 9);
  });

  test('shares hold in the long run, however late windows end', () => {
    for (const lateMs of [0, 0.1, 1.5]) {
      const [fast, slow] = sharesHad([0.25, 0.11], 10, 2000, lateMs);
      expect(fast).toBeCloseTo(0.25, 2);
      expect(slow).toBeCloseTo(0.11, 2);
    }
  });

  test('when a turn took longer than it should, shares are of the time that it took', () => {
    const turns = new Turns([0.5], 20, 0);
    turns.ran(0, 10);
    turns.next(40);
    expect(turns.windowMs(0)).toBeCloseTo(20, 9);
  });

  test('a device is not charged for the time in which the machine was away', () => {
    const turns = new Turns([0.5, 0.1], 20, 0);
    turns.ran(0, 3_600_000);
    expect(turns.windowMs(0)).toBeCloseTo(-20, 9);
  });

  test('a window that is due and long is charged as a whole', () => {
    const turns = new Turns([0.5], 20, 0);
    turns.ran(0, 10);
    turns.next(200);
    turns.ran(0, turns.windowMs(0));
    expect(turns.windowMs(0)).toBeCloseTo(0, 9);
  });

  test('a machine that was away is not made up for', () => {
    const turns = new Turns([0.5], 20, 0);
    turns.ran(0, 10);
    turns.next(3_600_000);
    expect(turns.windowMs(0)).toBeCloseTo(100, 9);
  });

  test.each([[[0.6, 0.5]], [[0.5, 0]], [[-0.1]], [[Number.NaN]]])(
    'shares that no core has are refused: %j',
    (shares) => {
      expect(() => new Turns(shares, 20, 0)).toThrow(/above 0, and 1 together at most/);
    },
  );
});
