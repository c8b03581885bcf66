// A run in the lab.

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
