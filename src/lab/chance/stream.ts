// Chance in the lab. Every purpose has a stream of its own, named by what it is for: the sizes of a job, the
// churn of a device. So what one algorithm draws more often than another shifts nothing else, and runs with the
// same seed meet the same devices, arrivals and sizes whatever the algorithm (common random numbers).

import { SeededRandom } from '../../worker/sandbox/seeded-random.ts';

/** A source of numbers uniform in [0, 1). */
export interface Stream {
  next(): number;
}

/** The same for the same seed and names. */
export function streamOf(seed: number, ...names: readonly (string | number)[]): Stream {
  return SeededRandom.fromText([seed, ...names].join('/'));
}
