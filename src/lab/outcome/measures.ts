// The measures of one run. Each is defined by what happened, not by what an algorithm meant to do.

import { jainsIndex } from '../../evaluation/fairness.ts';
import { summarise } from '../../evaluation/job-totals.ts';
import type { Played } from '../world/played.ts';
import { sum } from './sum.ts';

/** Times in seconds. Null: nothing was there to be measured. */
export interface Measures {
  /** From the arrival of the first job to the end of the last; null when time was over before. */
  readonly makespan_seconds: number | null;
  /** Completed tasks / the time from the first arrival to the end. */
  readonly throughput_tasks_per_second: number;
  /** Jain's index over the tasks that each device completed, of all that were ever there. */
  readonly jains_index: number | null;
  /** Of tasks: from the arrival of the job to the first begin. */
  readonly waiting_seconds_mean: number | null;
  readonly waiting_seconds_p95: number | null;
  /** Of tasks: from the arrival of the job to the accepted result. */
  readonly turnaround_seconds_mean: number | null;
  readonly turnaround_seconds_p95: number | null;
  /** Of jobs. */
  readonly job_turnaround_seconds_mean: number | null;
  readonly job_turnaround_seconds_p95: number | null;
  /**
   * By the declared model, from the first arrival to the end: devices that wait cost, those that are away do not. Null
   * where no watts are declared.
   */
  readonly energy_joules: number | null;
  /**
   * Work that was done and did not count, in seconds of a device of speed 1: all that devices have done, without the work
   * of the completed tasks. It is of attempts that were lost or failed (but for what a checkpoint saved of them), that a
   * copy overtook, and of tasks that were open at the end.
   */
  readonly work_wasted_seconds: number;
  /** Of the time that slots were there for, the share in which they computed; transfers are not in it. */
  readonly utilisation: number | null;
  readonly tasks_completed: number;
  readonly tasks_failed: number;
  /** Of the tasks that have ended; null when none has. */
  readonly tasks_failed_percent: number | null;
  readonly attempts: number;
  /** Ended because the device went. */
  readonly attempts_lost: number;
  readonly attempts_failed: number;
  readonly decisions: number;
  /** Of the decisions: with more than one worker to choose from. */
  readonly contested_share: number | null;
}

export type MeasureId = keyof Measures;

/** Those by which algorithms are compared. */
export const comparedMeasures = {
  makespan_seconds: { words: 'makespan', unit: 's', better: 'less' },
  throughput_tasks_per_second: { words: 'throughput', unit: 'tasks/s', better: 'more' },
  waiting_seconds_mean: { words: 'mean waiting time', unit: 's', better: 'less' },
  waiting_seconds_p95: { words: 'waiting time, 95th percentile', unit: 's', better: 'less' },
  turnaround_seconds_mean: { words: 'mean turnaround of tasks', unit: 's', better: 'less' },
  turnaround_seconds_p95: {
    words: 'turnaround of tasks, 95th percentile',
    unit: 's',
    better: 'less',
  },
  job_turnaround_seconds_mean: { words: 'mean turnaround of jobs', unit: 's', better: 'less' },
  jains_index: { words: "Jain's index of tasks per device", unit: '', better: 'more' },
  energy_joules: { words: 'energy by the declared model', unit: 'J', better: 'less' },
  tasks_failed_percent: { words: 'tasks failed', unit: '%', better: 'less' },
  work_wasted_seconds: { words: 'work wasted', unit: 's', better: 'less' },
} as const satisfies Partial<Record<MeasureId, MeasureWords>>;

export type ComparedMeasure = keyof typeof comparedMeasures;

export interface MeasureWords {
  readonly words: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
}

export function measuresOf(played: Played): Measures {
  const { attempts, jobs, devices, choices } = played;
  const beganAt = Math.min(...jobs.map(({ plan }) => plan.atMs));
  const seconds = (played.endedAt - beganAt) / 1000;
  const times = taskTimes(played);
  const turnarounds = jobs.flatMap(({ plan, endedAt }) =>
    endedAt === null ? [] : [(endedAt - plan.atMs) / 1000],
  );
  const completed = sum(jobs.map((job) => job.completed));
  const failed = sum(jobs.map((job) => job.failed));
  const hereSeconds = sum(devices.map((device) => device.slotSeconds));
  return {
    makespan_seconds: played.isWhole ? seconds : null,
    throughput_tasks_per_second: seconds > 0 ? completed / seconds : 0,
    jains_index: jainsIndex(completedByDevice(played)),
    ...summary('waiting', times.waiting),
    ...summary('turnaround', times.turnaround),
    ...summary('job_turnaround', turnarounds),
    energy_joules: devices.every(({ joules }) => joules === null)
      ? null
      : sum(devices.map(({ joules }) => joules ?? 0)),
    work_wasted_seconds: Math.max(0, played.workDoneSeconds - times.neededSeconds),
    utilisation:
      hereSeconds > 0 ? sum(devices.map((device) => device.busySeconds)) / hereSeconds : null,
    tasks_completed: completed,
    tasks_failed: failed,
    tasks_failed_percent: completed + failed === 0 ? null : (100 * failed) / (completed + failed),
    attempts: attempts.length,
    attempts_lost: attempts.filter(({ outcome }) => outcome === 'lost').length,
    attempts_failed: attempts.filter(({ outcome }) => outcome === 'failed').length,
    decisions: choices.decisions,
    contested_share: choices.decisions === 0 ? null : choices.contested / choices.decisions,
  };
}

interface TaskTimes {
  readonly waiting: number[];
  readonly turnaround: number[];
  /** The work of all completed tasks, once each. */
  neededSeconds: number;
}

function taskTimes({ attempts, jobs }: Played): TaskTimes {
  const begins = jobs.map(({ plan }) => new Float64Array(plan.workSeconds.length).fill(Infinity));
  const times: TaskTimes = { waiting: [], turnaround: [], neededSeconds: 0 };
  for (const { job, index, startedAt } of attempts) {
    const begun = begins[job]!;
    if (startedAt !== null && startedAt < begun[index]!) begun[index] = startedAt;
  }
  for (const { job, index, outcome, endedAt } of attempts) {
    if (outcome !== 'completed') continue;
    const { plan } = jobs[job]!;
    times.turnaround.push((endedAt - plan.atMs) / 1000);
    times.neededSeconds += plan.workSeconds[index]!;
  }
  jobs.forEach(({ plan }, job) => {
    for (const begin of begins[job]!) {
      if (begin < Infinity) times.waiting.push((begin - plan.atMs) / 1000);
    }
  });
  return times;
}

function completedByDevice({ attempts, devices }: Played): readonly number[] {
  const counts = devices.map(() => 0);
  for (const { outcome, device } of attempts) if (outcome === 'completed') counts[device]!++;
  return counts.filter((_, place) => devices[place]!.slotSeconds > 0);
}

type Summed = 'waiting' | 'turnaround' | 'job_turnaround';
type Summary<K extends Summed> = Readonly<
  Record<`${K}_seconds_mean` | `${K}_seconds_p95`, number | null>
>;

function summary<K extends Summed>(name: K, values: readonly number[]): Summary<K> {
  const { mean, p95 } = summarise(values);
  return { [`${name}_seconds_mean`]: mean, [`${name}_seconds_p95`]: p95 } as Summary<K>;
}
