// What a calibration has found: runs side by side, and what they come to.

import { meanOf } from '../../src/lab/statistics/bootstrap.ts';
import { contenders } from './contenders.ts';
import { inHindsight, learnedFor } from './learned.ts';
import type { Measured, MeasuredRun } from './measured.ts';
import { mixes } from './mixes.ts';
import { type PlayedRun, playRun, playVaried } from './played-run.ts';

export interface ComparedRun {
  readonly real: MeasuredRun;
  /** With devices as all other repetitions have shown them, give or take what they differ from run to run. */
  readonly simulated: PlayedRun;
  /** With devices as they were in this very run. */
  readonly inHindsight: PlayedRun;
}

/** Plays every run that was measured. Throws for a mix or a contender that there is not. */
export async function compareAll(measured: Measured): Promise<readonly ComparedRun[]> {
  const runs: ComparedRun[] = [];
  for (const real of measured.runs) {
    const mix = mixes.find(({ id }) => id === real.mix);
    const contender = contenders.find(({ name }) => name === real.contender);
    if (mix === undefined || contender === undefined) {
      throw new RangeError(`Nobody knows the tasks "${real.mix}" under "${real.contender}".`);
    }
    runs.push({
      real,
      simulated: await playVaried(contender, mix, learnedFor(measured, real), real.seed),
      inHindsight: await playRun(contender, mix, inHindsight(measured, real), real.seed),
    });
  }
  return runs;
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
  /** The same of the run that is farthest off. */
  readonly worst: number;
  /** The error of the means with the devices as they were in the runs. */
  readonly errorInHindsight: number;
}

/** In the order of mixes and contenders. */
export function rowsOf(runs: readonly ComparedRun[]): readonly Row[] {
  const rows: Row[] = [];
  for (const { id } of mixes) {
    for (const { name } of contenders) {
      const own = runs.filter(({ real }) => real.mix === id && real.contender === name);
      if (own.length > 0) rows.push(rowOf(id, name, own));
    }
  }
  return rows;
}

function rowOf(mix: string, contender: string, runs: readonly ComparedRun[]): Row {
  const real = runs.map((run) => run.real.makespanSeconds);
  const simulated = runs.map((run) => run.simulated.makespanSeconds);
  const hindsight = runs.map((run) => run.inHindsight.makespanSeconds);
  const errors = runs.map((_, i) => simulated[i]! / real[i]! - 1);
  return {
    mix,
    contender,
    runs: runs.length,
    realMean: meanOf(real),
    realLeast: Math.min(...real),
    realMost: Math.max(...real),
    simulatedMean: meanOf(simulated),
    error: meanOf(simulated) / meanOf(real) - 1,
    worst: errors.reduce((worst, error) => (Math.abs(error) > Math.abs(worst) ? error : worst)),
    errorInHindsight: meanOf(hindsight) / meanOf(real) - 1,
  };
}
