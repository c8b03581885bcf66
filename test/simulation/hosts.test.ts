// A hundred worlds of two to four hosts on one database, each with its own faults. `npm run simulate -- --seed N` plays
// one again, step by step.

import { expect, it } from 'vitest';
import { firstSeedOfHosts } from '../../src/simulator/hosts/host-faults.ts';
import {
  addHostCounts,
  hostsNeverSeen,
  noHostCounts,
} from '../../src/simulator/hosts/host-counts.ts';
import { simulate } from '../../src/simulator/simulation.ts';

const seeds = 100;

it(`several hosts on one database keep every promise with ${seeds} seeds`, async () => {
  const counts = noHostCounts();
  for (let seed = firstSeedOfHosts; seed < firstSeedOfHosts + seeds; seed++) {
    const report = await simulate({ seed });
    addHostCounts(counts, report.hosts);
  }
  // A world in which nothing happens proves nothing.
  expect(hostsNeverSeen(counts)).toEqual([]);
  expect(counts.takeovers).toBeGreaterThan(seeds);
});

it('plays a seed of several hosts the same way every time', async () => {
  const play = async () => {
    const lines: string[] = [];
    const report = await simulate({
      seed: firstSeedOfHosts + 1,
      onLine: (line) => lines.push(line),
    });
    return { lines, report };
  };
  const [first, second] = [await play(), await play()];
  expect(first.lines.length).toBeGreaterThan(10);
  expect(second).toEqual(first);
});
