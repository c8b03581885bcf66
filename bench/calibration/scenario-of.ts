// The scenario of a run: the cluster as it was measured, and the very jobs that it was given.

import { drawPlan } from '../../src/lab/scenario/draw-plan.ts';
import { parseScenario } from '../../src/lab/scenario/read-scenario.ts';
import type { Scenario } from '../../src/lab/scenario/scenario.ts';
import type { Contender } from './contenders.ts';
import { deviceLabel, devices } from './devices.ts';
import type { LearnedCluster } from './learned.ts';
import type { Mix } from './mixes.ts';

/** The job that is compared. It comes when nothing is left of those before it. */
export const compared = { job: 'compared', atSeconds: 60 } as const;
/** A task of next to nothing, which starts the sandboxes, and some by which schedulers learn how fast each device is. */
export const rouse = { job: 'rouse', atSeconds: 0, tasks: 1, workSeconds: 0.001 } as const;
export const warmUp = { job: 'warm-up', atSeconds: 10, tasks: 2, workSeconds: 0.1 } as const;

/** What `serve` takes when nothing else is asked for. */
const heartbeatSeconds = 5;

export function scenarioOf(
  { algorithm, weights }: Contender,
  mix: Mix,
  cluster: LearnedCluster,
): Scenario {
  const each = ({ job, atSeconds, tasks, workSeconds }: typeof rouse | typeof warmUp) =>
    devices.map(({ name }) => ({
      job: `${job} ${name}`,
      arrivals: { at_seconds: [atSeconds] },
      tasks,
      work_seconds: workSeconds,
      requirements: { labels: { [deviceLabel]: name } },
    }));
  const definition = {
    scenario: `calibration-${mix.id}`,
    about: `A cluster of throttled workers, as it was measured: ${mix.about}.`,
    algorithm,
    weights,
    heartbeat_seconds: heartbeatSeconds,
    commit_ms: cluster.commitMs,
    devices: devices.map(({ name }, place) => ({
      class: name,
      count: 1,
      speed: cluster.speeds[place]!,
      start_ms: cluster.startMs[place]!,
      latency_ms: cluster.latencyMs,
      labels: { [deviceLabel]: name },
    })),
    jobs: [
      ...each(rouse),
      ...each(warmUp),
      {
        job: compared.job,
        arrivals: { at_seconds: [compared.atSeconds] },
        tasks: mix.tasks,
        work_seconds: mix.workSeconds,
        input_kb: mix.payloadKb,
        result_kb: mix.payloadKb,
      },
    ],
  };
  return parseScenario(JSON.stringify(definition), definition.scenario, '.');
}

/** By index: the work of the tasks of the job that is compared. Follows from mix and seed alone. */
export function sizesOf(mix: Mix, seed: number): readonly number[] {
  const anyCluster = {
    speeds: devices.map(() => 1),
    startMs: devices.map(() => 0),
    latencyMs: 1,
    commitMs: 1,
  };
  const anyContender: Contender = { name: 'any', algorithm: 'fifo', weights: {} };
  const { jobs } = drawPlan(scenarioOf(anyContender, mix, anyCluster), seed);
  return [...jobs.find(({ name }) => name === compared.job)!.workSeconds];
}
