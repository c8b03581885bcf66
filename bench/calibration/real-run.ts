// One run of the real cluster, from its start to its end.

import type { Contender } from './contenders.ts';
import { devices } from './devices.ts';
import type { MeasuredRun } from './measured.ts';
import type { Mix } from './mixes.ts';
import { rouse, sizesOf, warmUp } from './scenario-of.ts';
import { duringOf } from './speeds.ts';
import { type DoneJob, ThrottledCluster } from './throttled-cluster.ts';

export interface RealRunOptions {
  readonly contender: Contender;
  readonly mix: Mix;
  readonly seed: number;
  readonly turnsPerSecond: number;
  readonly halt: AbortSignal;
}

export async function runReal(options: RealRunOptions): Promise<MeasuredRun> {
  const { contender, mix, seed, turnsPerSecond, halt } = options;
  const cluster = await ThrottledCluster.start(contender, halt);
  const turnsOf = (workSeconds: number) => Math.round(workSeconds * turnsPerSecond);
  const onEach = ({ job, tasks, workSeconds }: typeof rouse | typeof warmUp) =>
    cluster.run(
      devices.map(({ name }) => ({
        name: `${job} ${name}`,
        turns: Array.from({ length: tasks }, () => turnsOf(workSeconds)),
        payloadKb: 0,
        device: name,
      })),
    );
  try {
    await onEach(rouse);
    await cluster.rest();
    await cluster.throttle();
    await onEach(warmUp);
    const sizes = sizesOf(mix, seed);
    const work = { name: mix.id, turns: sizes.map(turnsOf), payloadKb: mix.payloadKb };
    const [job] = await cluster.run([work]);
    const names = { mix: mix.id, contender: contender.name, seed };
    return { ...names, ...(await outcomeOf(cluster, job!, sizes)) };
  } finally {
    await cluster.close();
  }
}

async function outcomeOf(
  { client }: ThrottledCluster,
  { id, attempts }: DoneJob,
  sizes: readonly number[],
): Promise<Pick<MeasuredRun, 'makespanSeconds' | 'tasks' | 'during'>> {
  const { job_execution_time_seconds: time } = await client.evaluation.metrics({ jobId: id });
  if (time.mean === null) throw new Error('The evaluation does not know of the job.');
  const byDevice = devices.map(({ name }) =>
    attempts.filter(({ worker_name }) => worker_name === name),
  );
  return {
    makespanSeconds: time.mean,
    tasks: byDevice.map(({ length }) => length),
    during: byDevice.map((its) => duringOf(its, sizes)),
  };
}
