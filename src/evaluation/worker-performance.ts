// What each worker achieved, per second, per task and per joule.

import type { WorkerWork } from './worker-work.ts';

export interface WorkerPerformance {
  readonly workerId: string;
  readonly type: string;
  readonly platform: string;
  readonly tasksCompleted: number;
  readonly tasksFailed: number;
  /** Null when nothing was completed. */
  readonly averageTaskTimeSeconds: number | null;
  /** Completed tasks per busy second, 0 when it was not busy. */
  readonly throughput: number;
  readonly energyJoules: number;
  /** Null when nothing was completed. */
  readonly energyJoulesPerTask: number | null;
  /** failed / (completed + failed), 0 when there is neither. */
  readonly failureRate: number;
}

export function workerPerformance(works: readonly WorkerWork[]): readonly WorkerPerformance[] {
  return works.map((work) => {
    const { completed, failed, busyMs, energyJoules } = work;
    return {
      workerId: work.workerId,
      type: work.type,
      platform: work.platform,
      tasksCompleted: completed,
      tasksFailed: failed,
      averageTaskTimeSeconds: completed === 0 ? null : work.completedMs / 1000 / completed,
      throughput: busyMs > 0 ? completed / (busyMs / 1000) : 0,
      energyJoules,
      energyJoulesPerTask: completed === 0 ? null : energyJoules / completed,
      failureRate: failed === 0 ? 0 : failed / (completed + failed),
    };
  });
}
