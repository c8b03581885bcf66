// The account of the weighted turns against one that is kept in whole numbers, worker by worker and
// task by task.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeWorker } from '../testing/made-cluster.ts';
import type { Contest } from '../scheduler.ts';
import { WeightedTurns } from './weighted-turns.ts';

const weights = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

test('the turns of 5, 1 and 1 are spread', () => {
  const rows = pick(startTurns([5, 1, 1]), Uint8Array.of(1, 1, 1), 7);
  expect(rows).toEqual([0, 0, 0, 1, 2, 0, 0]);
});

test('every full cycle of whole weights holds the shares exactly, over many passes', () => {
  fc.assert(
    fc.property(weights, fc.integer({ min: 1, max: 7 }), (given, perPass) => {
      const cycle = sum(given);
      const turns = startTurns(given);
      const all = new Uint8Array(given.length).fill(1);
      const rows: number[] = [];
      const credits = new Float64Array(given.length);
      while (rows.length < 5 * cycle) {
        rows.push(...pick(turns, all, Math.min(perPass, 5 * cycle - rows.length)));
        turns.settle(credits);
        turns.begin(turns.workers, Float64Array.from(given), credits);
      }
      for (let from = 0; from < rows.length; from += cycle) {
        expect(counts(rows.slice(from, from + cycle), given.length)).toEqual(given);
      }
      expect([...credits]).toEqual(given.map(() => 0));
    }),
  );
});

test('a hundred thousand passes leave no rounding behind', () => {
  const given = [7, 3, 1];
  const turns = startTurns(given);
  const credits = new Float64Array(3);
  const all = Uint8Array.of(1, 1, 1);
  const rows: number[] = [];
  for (let pass = 0; pass < 110_000; pass++) {
    rows.push(...pick(turns, all, 1));
    turns.settle(credits);
    turns.begin(turns.workers, Float64Array.from(given), credits);
  }
  expect(counts(rows, 3)).toEqual([70_000, 30_000, 10_000]);
  expect([...credits]).toEqual([0, 0, 0]);
});

test('shares converge to weights that are no whole numbers', () => {
  const real = fc.double({ min: 0.01, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(real, { minLength: 1, maxLength: 6 }), (given) => {
      const rows = pick(startTurns(given), new Uint8Array(given.length).fill(1), 2_000);
      counts(rows, given.length).forEach((count, row) => {
        expect(Math.abs(count - (2_000 * given[row]!) / sum(given))).toBeLessThan(given.length);
      });
    }),
    { numRuns: 50 },
  );
});

describe('the account', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('task' as const), contest: fc.nat() }) },
    fc.record({ type: fc.constant('open' as const), mask: fc.integer({ min: 1, max: 63 }) }),
    fc.record({ type: fc.constant('drop' as const), contest: fc.nat(), row: fc.nat() }),
  );

  test('lets every worker of a contest earn its share of each task, and pay for its own', () => {
    fc.assert(
      fc.property(weights, fc.array(step, { maxLength: 60 }), (given, steps) => {
        const turns = startTurns(given);
        const open: { contest: Contest; mask: Uint8Array }[] = [];
        const owed = given.map(() => 0);
        for (const each of steps) {
          if (each.type === 'open') {
            const mask = Uint8Array.from(given, (_, row) => (each.mask >> row) & 1);
            open.push({ contest: turns.open(mask), mask });
            continue;
          }
          const at = open[each.contest % Math.max(1, open.length)];
          if (at === undefined) continue;
          const { contest, mask } = at;
          if (each.type === 'drop') {
            contest.drop(each.row % given.length);
            mask[each.row % given.length] = 0;
            continue;
          }
          const row = contest.best();
          expect(row < 0).toBe(!mask.includes(1));
          if (row < 0) continue;
          expect(mask[row]).toBe(1);
          const total = sum(given.filter((_, other) => mask[other] === 1));
          given.forEach((weight, other) => {
            if (mask[other] === 1) owed[other]! += weight / total;
          });
          owed[row]! -= 1;
          contest.take(row);
          given.forEach((_, other) => expect(turns.creditOf(other)).toBeCloseTo(owed[other]!, 9));
        }
        const credits = new Float64Array(given.length);
        turns.settle(credits);
        credits.forEach((credit, row) => expect(credit).toBeCloseTo(owed[row]!, 9));
      }),
      { numRuns: 200 },
    );
  });

  test('names whoever is owed most for the size of its step', () => {
    fc.assert(
      fc.property(
        weights,
        fc.integer({ min: 1, max: 63 }),
        fc.nat({ max: 20 }),
        (given, bits, n) => {
          const turns = startTurns(given);
          const all = turns.open(new Uint8Array(given.length).fill(1));
          const mask = Uint8Array.from(given, (_, row) => (bits >> row) & 1);
          const some = turns.open(mask);
          for (let task = 0; task < n; task++) {
            const contest = task % 3 === 0 && mask.includes(1) ? some : all;
            const row = contest.best();
            expect(turns.nextOf(contest === some ? mask : mask.slice().fill(1))).toBe(row);
            const due = (other: number) => (0.5 - turns.creditOf(other)) / given[other]!;
            given.forEach((_, other) => {
              if (contest === all || mask[other] === 1) {
                expect(due(row)).toBeLessThan(due(other) + 1e-9);
              }
            });
            contest.take(row);
          }
        },
      ),
    );
  });
});

function startTurns(given: readonly number[]): WeightedTurns {
  const turns = new WeightedTurns();
  const workers = given.map((_, row) => makeWorker(`w${row}`));
  turns.begin(workers, Float64Array.from(given), new Float64Array(given.length));
  return turns;
}

function pick(turns: WeightedTurns, eligible: Uint8Array, tasks: number): number[] {
  const contest = turns.open(eligible);
  return Array.from({ length: tasks }, () => {
    const row = contest.best();
    contest.take(row);
    return row;
  });
}

function counts(rows: readonly number[], length: number): number[] {
  const each = Array.from({ length }, () => 0);
  for (const row of rows) each[row]!++;
  return each;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
