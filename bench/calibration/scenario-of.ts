// The scenario of a run: the cluster as it was measured before the job that is compared came, and the very jobs that
// it was given, at the times at which they came.

import { drawPlan } from '../../src/lab/scenario/draw-plan.ts';
import { parseScenario } from '../../src/lab/scenario/read-scenario.ts';
import type { Scenario } from '../../src/lab/scenario/scenario.ts';
import type { Contender } from './contenders.ts';
import { deviceLabel, devices } from './devices.ts';
import type { Mix } from './mixes.ts';

/** By place of the device where there are several. */
export interface MeasuredCluster {
  /** Work seconds a second; 1 is one core of this machine with nothing that slows it down. */
  readonly speeds: readonly number[];
  /** To begin a task, with payloads like those of the mix. */
  readonly startMs: readonly number[];
  readonly latencyMs: number;
  readonly commitMs: number;
}

/** What the device was like while a job ran. */
export interface DeviceDuring {
  readonly speed: number;
  /** From the end of a task to the beginning of the next, on average; null for one that had a single task. */
  readonly betweenMs: number | null;
}

/**
 * The cluster as it was during the job, as far as that is known (null: the device had no task). No prediction: what is
 * played with it tells how much of an error comes from devices that were not as they had been measured.
 */
export function inHindsight(
  before: MeasuredCluster,
  during: readonly (DeviceDuring | null)[],
): MeasuredCluster {
  const wayMs = before.latencyMs + before.commitMs;
  return {
    ...before,
    speeds: before.speeds.map((speed, place) => during[place]?.speed ?? speed),
    startMs: before.startMs.map((startMs, place) => {
      const betweenMs = during[place]?.betweenMs ?? null;
      return betweenMs === null ? startMs : Math.max(0, betweenMs - wayMs);
    }),
  };
}

/** Seconds from the first job to those that come later. */
export interface Moments {
  readonly warmUp: number;
  readonly compared: number;
}

/** The job that is compared. */
export const compared = 'compared';
/** A task of next to nothing, which starts the sandboxes, and one that takes long enough to tell the speed. */
export const rouse = { job: 'rouse', workSeconds: 0.001 } as const;
export const warmUp = { job: 'warm-up', workSeconds: 0.4 } as const;

/** What `serve` takes when nothing else is asked for. */
const heartbeatSeconds = 5;

export function scenarioOf(
  { algorithm, weights }: Contender,
  mix: Mix,
  cluster: MeasuredCluster,
  moments: Moments,
): Scenario {
  const each = ({ job, workSeconds }: typeof rouse | typeof warmUp, at: number) =>
    devices.map(({ name }) => ({
      job: `${job} ${name}`,
      arrivals: { at_seconds: [at] },
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
      ...each(rouse, 0),
      ...each(warmUp, moments.warmUp),
      {
        job: compared,
        arrivals: { at_seconds: [moments.compared] },
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
  const scenario = scenarioOf(anyContender, mix, anyCluster, { warmUp: 1, compared: 2 });
  const { jobs } = drawPlan(scenario, seed);
  return [...jobs.find(({ name }) => name === compared)!.workSeconds];
}
