// One run of the real cluster, from its start to its end.

import type { ExportedAttempt } from '../../src/client/index.ts';
import type { Contender } from './contenders.ts';
import { devices } from './devices.ts';
import type { Mix } from './mixes.ts';
import type { Probe } from './probe.ts';
import {
  type DeviceDuring,
  type MeasuredCluster,
  type Moments,
  rouse,
  warmUp,
} from './scenario-of.ts';
import { cycleSecondsOf, speedOf } from './speeds.ts';
import { type DoneJob, ThrottledCluster } from './throttled-cluster.ts';

export interface RealRun {
  readonly cluster: MeasuredCluster;
  readonly moments: Moments;
  /** As the evaluation says: from the submission to the end of the job. */
  readonly makespanSeconds: number;
  /** Completed, by place of the device. */
  readonly tasks: readonly number[];
  /** By place of the device; null for one that had no task. */
  readonly during: readonly (DeviceDuring | null)[];
}

export interface RealRunOptions {
  readonly contender: Contender;
  readonly mix: Mix;
  readonly sizes: readonly number[];
  readonly probe: Probe;
  readonly halt: AbortSignal;
}

export async function runReal(options: RealRunOptions): Promise<RealRun> {
  const { contender, mix, sizes, probe, halt } = options;
  const cluster = await ThrottledCluster.start(contender, halt);
  const turnsOf = (workSeconds: number) => Math.round(workSeconds * probe.turnsPerSecond);
  const onEach = ({ job, workSeconds }: typeof rouse | typeof warmUp) =>
    cluster.run(
      devices.map(({ name }) => ({
        name: `${job} ${name}`,
        turns: [turnsOf(workSeconds)],
        payloadKb: 0,
        device: name,
      })),
    );
  try {
    const roused = await onEach(rouse);
    await cluster.rest();
    await cluster.throttle();
    const warm = await onEach(warmUp);
    const turns = sizes.map(turnsOf);
    const [job] = await cluster.run([{ name: mix.id, turns, payloadKb: mix.payloadKb }]);
    const began = submittedAt(roused);
    return {
      cluster: {
        speeds: warm.map((each) => speedOf(each, warmUp.workSeconds)),
        startMs: probe.startMs.get(mix.payloadKb) ?? devices.map(() => 0),
        latencyMs: probe.latencyMs,
        commitMs: probe.commitMs,
      },
      moments: {
        warmUp: (submittedAt(warm) - began) / 1000,
        compared: (job!.submittedAt - began) / 1000,
      },
      ...(await outcomeOf(cluster, job!, sizes)),
    };
  } finally {
    await cluster.close();
  }
}

function submittedAt(jobs: readonly DoneJob[]): number {
  return Math.min(...jobs.map((job) => job.submittedAt));
}

async function outcomeOf(
  { client }: ThrottledCluster,
  { id, attempts }: DoneJob,
  sizes: readonly number[],
): Promise<Pick<RealRun, 'makespanSeconds' | 'tasks' | 'during'>> {
  const { job_execution_time_seconds: time } = await client.evaluation.metrics({ jobId: id });
  if (time.mean === null) throw new Error('The evaluation does not know of the job.');
  const byDevice = devices.map(({ name }) =>
    attempts.filter(({ worker_name }) => worker_name === name),
  );
  return {
    makespanSeconds: time.mean,
    tasks: byDevice.map(({ length }) => length),
    during: byDevice.map((its) => (its.length === 0 ? null : duringOf(its, sizes))),
  };
}

function duringOf(attempts: readonly ExportedAttempt[], sizes: readonly number[]): DeviceDuring {
  const work = attempts.reduce((sum, { index }) => sum + sizes[index]!, 0);
  const ran = attempts.reduce((sum, { ran_seconds }) => sum + (ran_seconds ?? 0), 0);
  const speed = work / ran;
  if (attempts.length === 1) return { speed, betweenMs: null };
  const meanRan = (ran - attempts[0]!.ran_seconds!) / (attempts.length - 1);
  return { speed, betweenMs: 1000 * (cycleSecondsOf({ attempts }) - meanRan) };
}
