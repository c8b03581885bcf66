import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Deadlines, type Deadline } from './deadlines.ts';

const made = (): Deadline => ({ kind: 'retry', at: 0, position: -1 });

describe('deadlines', () => {
  test('are due at their moment, the earliest first', () => {
    const deadlines = new Deadlines<Deadline>();
    const [late, early] = [made(), made()];
    deadlines.arm(late, 20);
    deadlines.arm(early, 10);
    expect(deadlines.next).toBe(10);
    expect(deadlines.findDue(9)).toBeUndefined();
    expect(deadlines.findDue(10)).toBe(early);
    deadlines.disarm(early);
    expect(deadlines.findDue(19)).toBeUndefined();
    expect(deadlines.findDue(25)).toBe(late);
  });

  test('are never due when there are none', () => {
    const deadlines = new Deadlines<Deadline>();
    expect(deadlines.next).toBe(Infinity);
    deadlines.disarm(made());
    expect(deadlines.size).toBe(0);
  });

  test('keep their order under any arming, moving and disarming', () => {
    const step = fc.record({
      which: fc.integer({ min: 0, max: 9 }),
      at: fc.option(fc.integer({ min: 0, max: 30 }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const deadlines = new Deadlines<Deadline>();
        const all = Array.from({ length: 10 }, made);
        const expected = new Map<Deadline, number>();
        for (const { which, at } of steps) {
          const deadline = all[which]!;
          if (at === null) {
            deadlines.disarm(deadline);
            expected.delete(deadline);
          } else {
            deadlines.arm(deadline, at);
            expected.set(deadline, at);
          }
          expect(deadlines.next).toBe(Math.min(Infinity, ...expected.values()));
          expect(all.map(({ position }) => position >= 0)).toEqual(
            all.map((each) => expected.has(each)),
          );
          deadlines.values().forEach((each, i) => expect(each.position).toBe(i));
        }
        const moments: number[] = [];
        for (let due = deadlines.findDue(99); due !== undefined; due = deadlines.findDue(99)) {
          moments.push(due.at);
          deadlines.disarm(due);
        }
        expect(moments).toEqual([...expected.values()].sort((a, b) => a - b));
      }),
    );
  });
});
