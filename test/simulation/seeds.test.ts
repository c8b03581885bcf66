// Three hundred simulations, each with its own faults. A failure prints its seed and the story of
// the task; `npm run simulate -- --seed N` plays it again, step by step.

import { describe, expect, it } from 'vitest';
import { addCounts, neverSeen, noCounts } from '../../src/simulator/coverage.ts';
import { simulate } from '../../src/simulator/simulation.ts';

const seeds = 300;
const perTest = 100;

describe('a simulated cluster under faults, then healed', () => {
  for (let first = 1; first <= seeds; first += perTest) {
    it(`keeps every promise with seeds ${first} to ${first + perTest - 1}`, async () => {
      let steps = 0;
      let answersRead = 0;
      const counts = noCounts();
      for (let seed = first; seed < first + perTest; seed++) {
        const report = await simulate({ seed });
        steps += report.steps;
        answersRead += report.answersRead;
        addCounts(counts, report.counts);
      }
      // A world in which nothing happens proves nothing.
      expect(steps).toBeGreaterThan(perTest * 100);
      expect(answersRead).toBeGreaterThan(perTest * 10);
      expect(neverSeen(counts)).toEqual([]);
    });
  }

  it('plays a seed the same way every time', async () => {
    const play = async () => {
      const lines: string[] = [];
      const report = await simulate({ seed: 7, onLine: (line) => lines.push(line) });
      return { lines, report };
    };
    const [first, second] = [await play(), await play()];
    expect(first.lines.length).toBeGreaterThan(10);
    expect(second).toEqual(first);
  });
});
