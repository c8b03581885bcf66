// A cluster that a test makes up: workers with every value known, changed in place and followed by
// the version, as the core does it.

import {
  type AlgorithmId,
  defaultWeights,
  type Observed,
  type SchedulerConfig,
  type Weights,
  type WorkerView,
} from '../../core/snapshot.ts';
import type { Ranking, Scheduler } from '../scheduler.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
export type MadeWorker = Mutable<WorkerView>;

const ordinary: Observed = {
  cpuLoadPercent: 40,
  ramAvailableMb: 4_000,
  batteryLevelPercent: 60,
  batteryCharging: false,
  networkLatencyMs: 20,
  networkBandwidthMbps: 100,
  completed: 90,
  failed: 10,
  busySeconds: 100,
  smoothedTaskMs: 1_000,
  energyJoules: 450,
};

export const silent: Observed = {
  cpuLoadPercent: null,
  ramAvailableMb: null,
  batteryLevelPercent: null,
  batteryCharging: null,
  networkLatencyMs: null,
  networkBandwidthMbps: null,
  completed: 0,
  failed: 0,
  busySeconds: 0,
  smoothedTaskMs: null,
  energyJoules: null,
};

/** An ordinary phone with four slots, but for what is given. */
export function makeWorker(
  id: string,
  observed: Partial<Observed> = {},
  rest: Partial<Omit<WorkerView, 'id' | 'observed'>> = {},
): MadeWorker {
  return {
    id,
    type: 'android_kotlin',
    slots: 4,
    activeTasks: 0,
    assignedSinceHeartbeat: 0,
    idleSince: 0,
    observed: { ...ordinary, ...observed },
    ...rest,
  };
}

export function makeConfig(algorithm: AlgorithmId, weights: Weights = defaultWeights) {
  return { algorithm, weighting: 'manual', weights, updatedAt: 0 } satisfies SchedulerConfig;
}

export class MadeCluster {
  workers: MadeWorker[];
  version = 1;
  /** Ids of workers that may not take the task, beside those without a free slot. */
  readonly barred = new Set<string>();

  constructor(...workers: MadeWorker[]) {
    this.workers = workers;
  }

  get eligible(): Uint8Array {
    return Uint8Array.from(this.workers, ({ id, activeTasks, slots }) =>
      activeTasks < slots && !this.barred.has(id) ? 1 : 0,
    );
  }

  place(row: number): void {
    this.workers[row]!.activeTasks++;
    this.workers[row]!.assignedSinceHeartbeat++;
  }

  heartbeat(row: number, observed: Partial<Observed>): void {
    const worker = this.workers[row]!;
    worker.observed = { ...worker.observed, ...observed };
    worker.assignedSinceHeartbeat = 0;
    this.version++;
  }

  join(worker: MadeWorker): void {
    this.workers = [...this.workers, worker];
    this.version++;
  }

  leave(row: number): void {
    this.workers = this.workers.filter((_, other) => other !== row);
    this.version++;
  }
}

/** Calls `begin`, and names the row that gets the next task. Places nothing. */
export function nextRow(
  scheduler: Scheduler,
  cluster: MadeCluster,
  eligible: Uint8Array = cluster.eligible,
): number {
  scheduler.begin(cluster);
  return scheduler.contest(eligible).best();
}

/** Calls `begin` before each task. `place` is what happens to the worker that gets it. */
export function takeTurns(
  scheduler: Scheduler,
  cluster: MadeCluster,
  tasks: number,
  place = (row: number) => cluster.place(row),
): number[] {
  return Array.from({ length: tasks }, () => {
    scheduler.begin(cluster);
    const contest = scheduler.contest(cluster.eligible);
    const row = contest.best();
    if (row < 0) return row;
    place(row);
    contest.take(row);
    return row;
  });
}

/** Calls `begin` once, and places until no task or no row is left. */
export function runPass(scheduler: Scheduler, cluster: MadeCluster, tasks: number): number[] {
  scheduler.begin(cluster);
  const contest = scheduler.contest(cluster.eligible);
  const rows: number[] = [];
  for (let task = 0; task < tasks; task++) {
    const row = contest.best();
    if (row < 0) break;
    cluster.place(row);
    contest.take(row);
    if (cluster.eligible[row] !== 1) contest.drop(row);
    rows.push(row);
  }
  return rows;
}

/** Calls `begin`, and makes the table. */
export function rankNow(scheduler: Scheduler, cluster: MadeCluster): Ranking {
  scheduler.begin(cluster);
  return scheduler.rank(cluster.eligible);
}
