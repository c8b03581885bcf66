// "No input reaches a 500", and none blocks all others: a few fixed seeds of the fuzzer.
// `npm run fuzz:input -- --seeds 100` plays as many as there is time for.

import { expect, test } from 'vitest';
import { fuzzInput } from '../fuzz/input/fuzz-input.ts';
import { startLiveServer } from './support/live-server.ts';

/** Of processor time, the sender's share included; a slice of the coordinator takes some milliseconds. */
const longestTurnMs = 1_500;

test.each([1, 2, 3])('seed %i of fuzzed frames and bodies', async (seed) => {
  const live = await startLiveServer();
  const outcome = await fuzzInput(live.url, seed, 120);
  await live.close();
  expect(outcome.faults).toEqual([]);
  expect(outcome.longestTurnMs).toBeLessThan(longestTurnMs);
  expect(outcome.peakMb).toBeLessThan(2_000);
  // The seeds reach every kind of answer.
  expect(Object.keys(outcome.answers)).toEqual(
    expect.arrayContaining(['201', '422', 'welcome', 'error', 'closed 1008']),
  );
});
