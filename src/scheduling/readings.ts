// What a snapshot says about each criterion: the rules of the table in `criteria.ts`, written out.
// NaN stands for what a worker does not say. One pass over the workers and no closure per value:
// this runs after every heartbeat, over every worker.

import type { criterionIds, Observed, WorkerView } from '../core/snapshot.ts';
import { energyFloorJoules, failureRateFloor, latencyFloorMs } from './criteria.ts';

/** Fills one column per criterion, in the order of `criterionIds`. The load has no floor yet. */
export function readColumns(
  workers: readonly WorkerView[],
  columns: readonly Float64Array[],
): void {
  const [cpu, memory, throughput, failureRate, latency, bandwidth, battery, energy, load] =
    columns as unknown as ColumnByCriterion;
  const clusterFailureRate = readClusterFailureRate(workers);
  for (let row = 0; row < workers.length; row++) {
    const worker = workers[row]!;
    const { observed } = worker;
    load[row] = Math.min(100, known(observed.cpuLoadPercent));
    cpu[row] = 100 - load[row]!;
    memory[row] = known(observed.ramAvailableMb);
    throughput[row] = observed.busySeconds > 0 ? observed.completed / observed.busySeconds : NaN;
    failureRate[row] = smoothFailureRate(observed, clusterFailureRate);
    latency[row] = Math.max(latencyFloorMs, known(observed.networkLatencyMs));
    bandwidth[row] = known(observed.networkBandwidthMbps);
    battery[row] = readBatteryPercent(worker);
    energy[row] = readEnergyJoules(observed);
  }
}

/** A tuple as long as `criterionIds`: a tenth criterion does not compile without a reading. */
type ColumnByCriterion = ColumnFor<typeof criterionIds>;
type ColumnFor<T extends readonly unknown[]> = { readonly [Index in keyof T]: Float64Array };

/** The prior of the failure rate: failed / all finished tasks of these workers, at least 1 %. */
function readClusterFailureRate(workers: readonly WorkerView[]): number {
  let failed = 0;
  let finished = 0;
  for (const { observed } of workers) {
    failed += observed.failed;
    finished += observed.completed + observed.failed;
  }
  return finished === 0 ? failureRateFloor : Math.max(failureRateFloor, failed / finished);
}

/** What the tasks add that were assigned since the heartbeat, which does not know of them yet. */
export function readAssignedPercent(worker: WorkerView): number {
  const assigned = worker.assignedSinceHeartbeat;
  return assigned > 0 ? (100 * assigned) / Math.max(1, worker.slots) : 0;
}

function smoothFailureRate(observed: Observed, clusterFailureRate: number): number {
  const finished = observed.completed + observed.failed;
  const rate = (observed.failed + 2 * clusterFailureRate) / (finished + 2);
  // Equal rates from different counts may differ in the last bit, and MABAC would stretch that
  // bit to the full weight of the column. Nobody measures the thirteenth digit.
  return Math.round(rate * 1e12) / 1e12;
}

function readBatteryPercent({ type, observed }: WorkerView): number {
  if (observed.batteryCharging === true) return 100;
  if (observed.batteryLevelPercent === null && type === 'pc') return 100;
  return Math.min(100, known(observed.batteryLevelPercent));
}

function readEnergyJoules(observed: Observed): number {
  if (observed.completed === 0) return Number.NaN;
  return Math.max(energyFloorJoules, known(observed.energyJoules) / observed.completed);
}

/** NaN for what is not said; a negative or infinite reading says nothing either. */
function known(value: number | null): number {
  return value !== null && value >= 0 && value < Number.POSITIVE_INFINITY ? value : Number.NaN;
}
