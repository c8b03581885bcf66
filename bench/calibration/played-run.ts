// A run in the lab.

import { normalQuantile } from '../../src/lab/chance/normal.ts';
import { streamOf } from '../../src/lab/chance/stream.ts';
import { simulate } from '../../src/lab/simulation.ts';
import type { Contender } from './contenders.ts';
import { devices } from './devices.ts';
import type { LearnedCluster } from './learned.ts';
import type { Mix } from './mixes.ts';
import { compared, scenarioOf } from './scenario-of.ts';

export interface PlayedRun {
  readonly makespanSeconds: number;
  /** Of the job that is compared, completed, by place of the device. */
  readonly tasks: readonly number[];
}

/** How much the speed of a device differs from run to run: the deviation, as a share (docs/internals/calibration.md). */
const speedSpread = 0.02;
const plays = 9;

/**
 * The mean makespan of several plays whose devices differ a little, as they do from run to run; the tasks are those with
 * the devices as they are given. Where sizes differ it is chance who is free when one of the last large tasks comes: a
 * single play says as little of it as a single run.
 */
export async function playVaried(
  contender: Contender,
  mix: Mix,
  cluster: LearnedCluster,
  seed: number,
): Promise<PlayedRun> {
  const { tasks } = await playRun(contender, mix, cluster, seed);
  let sum = 0;
  for (let play = 1; play <= plays; play++) {
    const chance = streamOf(seed, 'play', String(play));
    const speeds = cluster.speeds.map(
      (speed) => speed * (1 + speedSpread * normalQuantile(chance.next())),
    );
    sum += (await playRun(contender, mix, { ...cluster, speeds }, seed)).makespanSeconds;
  }
  return { makespanSeconds: sum / plays, tasks };
}

export async function playRun(
  contender: Contender,
  mix: Mix,
  cluster: LearnedCluster,
  seed: number,
): Promise<PlayedRun> {
  const { plan, played } = await simulate({
    scenario: scenarioOf(contender, mix, cluster),
    seed,
    contender: { name: contender.name, algorithm: contender.algorithm },
    version: 'calibration',
  });
  const place = plan.jobs.findIndex(({ name }) => name === compared.job);
  const { endedAt, plan: job } = played.jobs[place]!;
  if (endedAt === null) throw new Error('The job did not end in the lab.');
  const completed = played.attempts.filter(
    (attempt) => attempt.job === place && attempt.outcome === 'completed',
  );
  return {
    makespanSeconds: (endedAt - job.atMs) / 1000,
    tasks: devices.map((_, device) => completed.filter((each) => each.device === device).length),
  };
}
