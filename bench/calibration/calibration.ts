// What a calibration has found: runs side by side, and what they come to.

import type { PlayedRun } from './played-run.ts';
import type { RealRun } from './real-run.ts';

export interface ComparedRun {
  readonly mix: string;
  readonly contender: string;
  /** Number of the repetition, from 1; the seed in the lab. */
  readonly seed: number;
  readonly real: RealRun;
  readonly simulated: PlayedRun;
  /** Played once more with the devices as they were during the job. */
  readonly inHindsight: PlayedRun;
}

/** Of all repetitions of a mix under an algorithm. Makespans in seconds. */
export interface Row {
  readonly mix: string;
  readonly contender: string;
  readonly runs: number;
  readonly realMean: number;
  readonly realLeast: number;
  readonly realMost: number;
  readonly simulatedMean: number;
  /** Simulated over real, of the means, less 1. */
  readonly error: number;
  /** The same of the pair that is farthest off. */
  readonly worst: number;
  /** The error of the means with the devices as they were during the jobs. */
  readonly errorInHindsight: number;
}

/** In the order in which mixes and contenders come first. */
export function rowsOf(runs: readonly ComparedRun[]): readonly Row[] {
  const groups = Map.groupBy(runs, ({ mix, contender }) => `${mix} ${contender}`);
  return [...groups.values()].map(rowOf);
}

function rowOf(runs: readonly ComparedRun[]): Row {
  const real = runs.map((run) => run.real.makespanSeconds);
  const simulated = runs.map((run) => run.simulated.makespanSeconds);
  const hindsight = runs.map((run) => run.inHindsight.makespanSeconds);
  const errors = runs.map((_, i) => simulated[i]! / real[i]! - 1);
  const { mix, contender } = runs[0]!;
  return {
    mix,
    contender,
    runs: runs.length,
    realMean: meanOf(real),
    realLeast: Math.min(...real),
    realMost: Math.max(...real),
    simulatedMean: meanOf(simulated),
    error: meanOf(simulated) / meanOf(real) - 1,
    errorInHindsight: meanOf(hindsight) / meanOf(real) - 1,
    worst: errors.reduce((worst, error) => (Math.abs(error) > Math.abs(worst) ? error : worst)),
  };
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
