// The search for weights, where some are better and where none are.

import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../../src/lab/scenario/read-scenario.ts';
import { tune } from '../../../src/lab/tune/tune.ts';

function scenarioOf(devices: object[]) {
  const jobs = [
    { job: 'a', arrivals: { every_seconds: 30, count: 12 }, tasks: 4, work_seconds: 10 },
  ];
  return parseScenario(JSON.stringify({ scenario: 'planted', devices, jobs }), 'planted', '.');
}

/** On one thread: to begin others takes longer than these runs. */
const sizes = {
  candidates: 12,
  searchSeeds: 4,
  heldOutSeeds: 8,
  seed: 1,
  version: 'test',
  threads: 1,
};

describe('tune', () => {
  test('finds weights that were planted: only the load tells which devices are slow', async () => {
    const joins = { joins_after_seconds: { uniform: [0, 5] } };
    const scenario = scenarioOf([
      // Far away, of little memory, and idle: fast.
      { class: 'idle', count: 6, ...joins, latency_ms: 200, ram_mb: 1000, load: 0 },
      // Near, of much memory, and busy with something else.
      { class: 'taken', count: 6, ...joins, latency_ms: 1, ram_mb: 64_000, load: 100, cores: 1 },
    ]);
    const tuning = await tune({
      ...sizes,
      scenario,
      algorithm: 'mabac',
      measure: 'turnaround_seconds_mean',
    });
    expect(tuning.found).toBe(true);
    expect(tuning.held_out.interval![1]).toBeLessThan(0);
    const { weights } = tuning;
    // What misleads has less weight than with equal weights.
    expect(weights.latency + weights.memory).toBeLessThan(0.2);
    expect(tuning.held_out.seeds.some((seed) => seed <= sizes.searchSeeds)).toBe(false);
  });

  test('finds none where devices are equal, and says so', async () => {
    const tuning = await tune({
      ...sizes,
      candidates: 9,
      searchSeeds: 3,
      scenario: scenarioOf([{ class: 'pc', count: 12 }]),
      algorithm: 'edas',
      measure: 'turnaround_seconds_mean',
    });
    expect(tuning.found).toBe(false);
    expect(Math.abs(tuning.held_out.difference!)).toBeLessThan(0.05);
  });

  test('is the same again, on any number of threads', async () => {
    const scenario = scenarioOf([
      { class: 'fast', count: 3, speed: 2 },
      { class: 'slow', count: 6, speed: 0.5 },
    ]);
    const how = {
      ...sizes,
      candidates: 7,
      heldOutSeeds: 3,
      scenario,
      algorithm: 'aras',
      measure: 'turnaround_seconds_mean',
    } as const;
    const [one, other] = [await tune(how), await tune({ ...how, threads: 2 })];
    expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  });
});
