// How the tasks of a period are distributed over the workers. The load of a worker is the number of
// tasks that it completed.

import { coefficientOfVariation, jainsIndex } from './fairness.ts';
import type { WorkerWork } from './worker-work.ts';

export interface LoadDistribution {
  /** Null when nothing was completed. */
  readonly jainsFairnessIndex: number | null;
  readonly coefficientOfVariation: number | null;
  readonly workers: readonly WorkerLoad[];
}

export interface WorkerLoad {
  readonly workerId: string;
  readonly name: string | null;
  readonly isRegistered: boolean;
  readonly type: string;
  readonly tasksCompleted: number;
  readonly tasksFailed: number;
  readonly activeTasks: number;
  readonly busySeconds: number;
  /** The worker's share of all completed tasks, 0 to 1; 0 when there are none. */
  readonly share: number;
}

export function loadDistribution(works: readonly WorkerWork[]): LoadDistribution {
  const loads = works.map((work) => work.completed);
  const total = loads.reduce((sum, load) => sum + load, 0);
  return {
    jainsFairnessIndex: jainsIndex(loads),
    coefficientOfVariation: coefficientOfVariation(loads),
    workers: works.map((work) => ({
      workerId: work.workerId,
      name: work.name,
      isRegistered: work.isRegistered,
      type: work.type,
      tasksCompleted: work.completed,
      tasksFailed: work.failed,
      activeTasks: work.activeTasks,
      busySeconds: work.busyMs / 1000,
      share: total === 0 ? 0 : work.completed / total,
    })),
  };
}
