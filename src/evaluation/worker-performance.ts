// What each worker achieved, per second, per task and per joule.

import { knownEnergy, type WorkerWork } from './worker-work.ts';

export interface WorkerPerformance {
  readonly workerId: string;
  readonly name: string | null;
  readonly isRegistered: boolean;
  readonly type: string;
  readonly platform: string;
  readonly tasksCompleted: number;
  readonly tasksFailed: number;
  /** Null when nothing was completed. */
  readonly averageTaskTimeSeconds: number | null;
  /** Completed tasks per busy second, of which a task counts a millisecond at least; 0 when none ended. */
  readonly throughput: number;
  /** Null when tasks ended and nothing is known of what they cost. */
  readonly energyJoules: number | null;
  /** Null when nothing was completed, too. */
  readonly energyJoulesPerTask: number | null;
  /** failed / (completed + failed), 0 when there is neither. */
  readonly failureRate: number;
}

/** Below this the run time of a task is no measure of a worker: handing it over takes as long. */
const leastTaskMs = 1;

export function workerPerformance(works: readonly WorkerWork[]): readonly WorkerPerformance[] {
  return works.map((work) => {
    const { completed, failed } = work;
    const busyMs = Math.max(work.busyMs, (completed + failed) * leastTaskMs);
    const energyJoules = knownEnergy(work);
    return {
      workerId: work.workerId,
      name: work.name,
      isRegistered: work.isRegistered,
      type: work.type,
      platform: work.platform,
      tasksCompleted: completed,
      tasksFailed: failed,
      averageTaskTimeSeconds: completed === 0 ? null : work.completedMs / 1000 / completed,
      throughput: busyMs > 0 ? completed / (busyMs / 1000) : 0,
      energyJoules,
      energyJoulesPerTask:
        completed === 0 || energyJoules === null ? null : energyJoules / completed,
      failureRate: failed === 0 ? 0 : failed / (completed + failed),
    };
  });
}
