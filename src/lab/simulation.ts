// One run of a scenario, with all that can be told of it: `muster simulate --json` prints it.

import type { AlgorithmId } from '../core/snapshot.ts';
import type { SchedulerFactory } from '../scheduling/scheduler.ts';
import { type Bounds, boundsOf } from './outcome/bounds.ts';
import { type DecisionTime, decisionTimeOf, DecisionTimes } from './outcome/decision-times.ts';
import { type Measures, measuresOf } from './outcome/measures.ts';
import { type Timeline, timelineOf } from './outcome/timeline.ts';
import { type Playable, planOf } from './playable.ts';
import type { Plan } from './scenario/plan.ts';
import { play, type PlayOptions } from './world/play.ts';
import type { Played } from './world/played.ts';
import { clockCost, type Microseconds, timed } from './world/timed-scheduler.ts';

export interface Simulation {
  /** Version of this form. */
  readonly simulation: 1;
  /** Version of Muster that played it. */
  readonly muster: string;
  readonly scenario: string;
  readonly seed: number;
  /** Id of the algorithm, or name of a scheduler of one's own. */
  readonly contender: string;
  readonly measures: Measures;
  /** Null where tasks failed: they are of all the work. */
  readonly bounds: Bounds | null;
  readonly timeline: Timeline;
  readonly devices: readonly SimulatedDevice[];
  readonly jobs: readonly SimulatedJob[];
  /** Only when it was asked for: it is measured, and does not repeat. */
  readonly decision_time?: DecisionTime;
}

export interface SimulatedDevice {
  readonly name: string;
  readonly class: string;
  readonly speed: number;
  readonly slots: number;
  readonly tasks_completed: number;
  /** In which its slots computed, of all together. */
  readonly computed_seconds: number;
  /** By the declared model; null: the scenario declares no watts. */
  readonly energy_joules: number | null;
}

/** Times are from the first arrival on. */
export interface SimulatedJob {
  readonly name: string;
  readonly arrived_seconds: number;
  /** Null: time was over before. */
  readonly ended_seconds: number | null;
  readonly tasks: number;
  /** Those of which an attempt is over; the others never began, or their first attempt was still going on. */
  readonly tasks_tried: number;
  readonly completed: number;
  readonly failed: number;
}

/** Who decides: one of the nine, or a scheduler of one's own. */
export interface Contender {
  readonly name: string;
  readonly algorithm: AlgorithmId;
  readonly createScheduler?: SchedulerFactory | undefined;
}

export interface SimulateOptions {
  readonly scenario: Playable;
  readonly seed: number;
  readonly contender: Contender;
  /** Version of Muster. */
  readonly version: string;
  /** Called with the number of its tasks before it is played. */
  readonly onBegin?: (tasks: number) => void;
  readonly onProgress?: PlayOptions['onProgress'];
  readonly onTime?: PlayOptions['onTime'];
  /** Times how long decisions take. */
  readonly decisionClock?: Microseconds | undefined;
}

export interface Simulated {
  readonly simulation: Simulation;
  readonly plan: Plan;
  readonly played: Played;
}

export async function simulate(options: SimulateOptions): Promise<Simulated> {
  const { scenario, seed, contender, version, onProgress, onTime, decisionClock: clock } = options;
  const plan = planOf(scenario, seed);
  options.onBegin?.(taskCount(plan));
  const { algorithm, createScheduler: own } = contender;
  const times = clock && new DecisionTimes(clockCost(clock));
  const createScheduler = times && clock ? timed(own, times, clock) : own;
  const played = await play({ plan, seed, algorithm, createScheduler, onProgress, onTime });
  times?.endPass();
  const measures = measuresOf(played);
  const simulation: Simulation = {
    simulation: 1,
    muster: version,
    scenario: scenario.scenario,
    seed,
    contender: contender.name,
    measures,
    bounds: measures.tasks_failed === 0 ? boundsOf(plan) : null,
    timeline: timelineOf(plan, played),
    devices: devicesOf(plan, played),
    jobs: jobsOf(plan, played),
    ...(times && { decision_time: decisionTimeOf(contender.name, [times]) }),
  };
  return { simulation, plan, played };
}

function taskCount({ jobs }: Plan): number {
  return jobs.reduce((count, { workSeconds }) => count + workSeconds.length, 0);
}

function devicesOf(plan: Plan, played: Played): readonly SimulatedDevice[] {
  const completed = plan.devices.map(() => 0);
  for (const { outcome, device } of played.attempts) {
    if (outcome === 'completed') completed[device]!++;
  }
  return plan.devices.map(({ name, class: kind, speed, slots }, place) => ({
    name,
    class: kind,
    speed,
    slots,
    tasks_completed: completed[place]!,
    computed_seconds: played.devices[place]!.busySeconds,
    energy_joules: played.devices[place]!.joules,
  }));
}

function jobsOf(plan: Plan, { jobs, attempts }: Played): readonly SimulatedJob[] {
  const first = plan.jobs[0]!.atMs;
  const tried = plan.jobs.map(({ workSeconds }) => new Uint8Array(workSeconds.length));
  for (const { job, index } of attempts) tried[job]![index] = 1;
  return jobs.map(({ plan: { name, atMs, workSeconds }, endedAt, completed, failed }, place) => ({
    name,
    arrived_seconds: (atMs - first) / 1000,
    ended_seconds: endedAt === null ? null : (endedAt - first) / 1000,
    tasks: workSeconds.length,
    tasks_tried: tried[place]!.reduce((sum, each) => sum + each, 0),
    completed,
    failed,
  }));
}
