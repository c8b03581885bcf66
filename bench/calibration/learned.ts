// The devices of the scenario of a run, as all other repetitions have shown them. Nothing of the repetition that is
// played is in it, so what comes out is a prediction.

import { devices } from './devices.ts';
import type { DeviceDuring, Measured, MeasuredRun } from './measured.ts';
import { type Mix, mixes } from './mixes.ts';

/** By place of the device where there are several. */
export interface LearnedCluster {
  /** Work seconds a second; 1 is one core of this machine with nothing that slows it down. */
  readonly speeds: readonly number[];
  /** To begin a task, with payloads like those of the mix. */
  readonly startMs: readonly number[];
  readonly latencyMs: number;
  readonly commitMs: number;
}

/** Throws when there is no other repetition to learn from. */
export function learnedFor(measured: Measured, { mix, seed }: MeasuredRun): LearnedCluster {
  const others = measured.runs.filter((run) => run.seed !== seed);
  if (others.length === 0)
    throw new RangeError('Only other repetitions tell what devices are like.');
  const payloadKb = payloadOf(mix);
  const alike = others.filter((run) => payloadOf(run.mix) === payloadKb);
  return withDefault(clusterOf(measured, others, alike), {
    speeds: devices.map(({ share }) => share),
    startMs: devices.map(() => 0),
  });
}

/**
 * The cluster as it was in this very run. No prediction: what is played with it tells how much of an error comes from
 * devices that were not as the other repetitions had shown them.
 */
export function inHindsight(measured: Measured, run: MeasuredRun): LearnedCluster {
  return withDefault(clusterOf(measured, [run], [run]), learnedFor(measured, run));
}

/** What no run has told is as it is in `otherwise`. */
function withDefault(
  cluster: LearnedCluster,
  otherwise: Pick<LearnedCluster, 'speeds' | 'startMs'>,
): LearnedCluster {
  const known = (own: readonly number[], others: readonly number[]) =>
    own.map((value, place) => (Number.isNaN(value) ? others[place]! : value));
  return {
    ...cluster,
    speeds: known(cluster.speeds, otherwise.speeds),
    startMs: known(cluster.startMs, otherwise.startMs),
  };
}

/**
 * NaN where no run tells. Of short tasks a good part is what it takes to begin and to end them, which runs longer in a
 * slow device as well: so speed is told by long ones, and of short ones all beyond their work at that speed is taken
 * for the begin.
 */
function clusterOf(
  { latencyMs, commitMs }: Measured,
  all: readonly MeasuredRun[],
  alike: readonly MeasuredRun[],
): LearnedCluster {
  const long = all.filter(({ mix }) => meanSecondsOf(mix) >= longSeconds);
  // What lies between two tasks: the way of the result and of the next task, and then it begins.
  const wayMs = latencyMs + commitMs;
  const speeds = devices.map((_, place) => speedOf(long.length > 0 ? long : all, place));
  return {
    latencyMs,
    commitMs,
    speeds,
    startMs: devices.map((_, place) =>
      Math.max(0, betweenMsOf(alike, place) + beyondMsOf(alike, place, speeds[place]!) - wayMs),
    ),
  };
}

const longSeconds = 0.1;

/** Every second of work counts the same. */
function speedOf(runs: readonly MeasuredRun[], place: number): number {
  return weightedMean(runs, place, ({ during: { speed }, tasks, mix }) => [
    speed,
    tasks * meanSecondsOf(mix),
  ]);
}

function betweenMsOf(runs: readonly MeasuredRun[], place: number): number {
  return weightedMean(runs, place, ({ during: { betweenMs }, tasks }) => [
    betweenMs ?? 0,
    tasks - 1,
  ]);
}

/** By how much short tasks run longer than their work takes at this speed. */
function beyondMsOf(runs: readonly MeasuredRun[], place: number, speed: number): number {
  return weightedMean(runs, place, ({ during, tasks, mix }) => {
    const seconds = meanSecondsOf(mix);
    if (seconds >= longSeconds) return [0, tasks];
    return [1000 * seconds * (1 / during.speed - 1 / speed), tasks];
  });
}

interface Seen {
  readonly mix: string;
  readonly tasks: number;
  readonly during: DeviceDuring;
}

function weightedMean(
  runs: readonly MeasuredRun[],
  place: number,
  read: (seen: Seen) => readonly [value: number, weight: number],
): number {
  let sum = 0;
  let weights = 0;
  for (const { mix, during, tasks } of runs) {
    const seen = during[place];
    if (seen === null || seen === undefined) continue;
    const [value, weight] = read({ mix, tasks: tasks[place]!, during: seen });
    sum += weight * value;
    weights += weight;
  }
  return sum / weights;
}

function payloadOf(mixId: string): number | undefined {
  return mixes.find(({ id }) => id === mixId)?.payloadKb;
}

function meanSecondsOf(mixId: string): number {
  const mix = mixes.find(({ id }) => id === mixId);
  return mix === undefined ? 0 : meanOf(mix.workSeconds);
}

function meanOf(amount: Mix['workSeconds']): number {
  if (typeof amount === 'number') return amount;
  if ('log_normal' in amount) return amount.log_normal.mean;
  throw new RangeError('Mixes of the calibration are constant or log-normal.');
}
