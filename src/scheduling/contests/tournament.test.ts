// What the tournament keeps up to date is what a comparison of all rows gives.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestRow } from './best-row.ts';
import { makeWorker } from '../testing/made-cluster.ts';
import { Tournament } from './tournament.ts';

/** Ties, near ties that do not chain, and plain differences. */
const score = fc
  .tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 4 }))
  .map(([whole, near]) => whole + near * 4e-13);

const step = fc.record({
  type: fc.constantFrom('take', 'take', 'take', 'leave', 'enter'),
  row: fc.nat({ max: 20 }),
  score,
});

test('names the row that a comparison of all rows names, after any sequence of changes', () => {
  fc.assert(
    fc.property(
      fc.array(score, { minLength: 1, maxLength: 21 }),
      fc.array(step, { maxLength: 40 }),
      (given, steps) => {
        const scores = Float64Array.from(given);
        const workers = given.map((_, row) => makeWorker(`w${row}`));
        const eligible = new Uint8Array(given.length).fill(1);
        const tournament = new Tournament();
        tournament.begin(scores, eligible, workers);
        for (const { type, row: any, score: next } of steps) {
          const row = any % given.length;
          if (type === 'take') {
            workers[row]!.activeTasks++;
            scores[row] = next;
            tournament.replay(row);
          } else if (type === 'leave') {
            expect(tournament.leave(row)).toBe(eligible[row] === 1);
            eligible[row] = 0;
          } else if (eligible[row] === 0) {
            eligible[row] = 1;
            tournament.enter(row);
          }
          expect(tournament.best()).toBe(bestRow(scores, eligible, workers));
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('has nobody to name among no rows', () => {
  const tournament = new Tournament();
  tournament.begin(new Float64Array(0), new Uint8Array(0), []);
  expect(tournament.best()).toBe(-1);
  expect(tournament.leave(0)).toBe(false);
});
