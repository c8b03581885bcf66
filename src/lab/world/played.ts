// What a run was, for whoever measures it.

import type { AttemptRow } from '../outcome/attempt-log.ts';
import type { JobPlan } from '../scenario/plan.ts';
import type { Choices } from './watched-scheduler.ts';

/** What has happened. Times are in milliseconds from the beginning of the run. */
export interface Played {
  readonly attempts: readonly AttemptRow[];
  readonly jobs: readonly PlayedJob[];
  readonly devices: readonly PlayedDevice[];
  readonly choices: Readonly<Choices>;
  /** Work seconds that devices have done, whatever became of them. */
  readonly workDoneSeconds: number;
  readonly endedAt: number;
  /** False: time was over before all jobs were. */
  readonly isWhole: boolean;
}

export interface PlayedJob {
  readonly plan: JobPlan;
  /** Null: it was not over at the end. */
  readonly endedAt: number | null;
  readonly completed: number;
  readonly failed: number;
}

/** From the arrival of the first job on. */
export interface PlayedDevice {
  /** By the declared model; null: no device of the plan declares watts. */
  readonly joules: number | null;
  /** In which its slots computed, of all slots together: transfers are not in it. */
  readonly busySeconds: number;
  /** Seconds that it was there × its slots. */
  readonly slotSeconds: number;
}
