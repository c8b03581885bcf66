// What a worker says about each criterion: the rules of the table in `criteria.ts`, written out.
// NaN stands for what it does not say. No closure per value: after a restart this runs over every
// worker.

import type { criterionIds, Observed, WorkerView } from '../../core/snapshot.ts';
import { energyFloorJoules, failureRateFloor, latencyFloorMs } from './criteria.ts';

/**
 * Writes one value per criterion, in the order of `criterionIds`. The load has no floor yet, and the
 * failure rate is left out: it depends on the whole cluster.
 */
export function readWorker(worker: WorkerView, reading: Float64Array): void {
  const { observed } = worker;
  const load = Math.min(100, known(observed.cpuLoadPercent));
  reading[at.cpu] = 100 - load;
  reading[at.memory] = known(observed.ramAvailableMb);
  reading[at.throughput] =
    observed.busySeconds > 0 ? observed.completed / observed.busySeconds : Number.NaN;
  reading[at.latency] = Math.max(latencyFloorMs, known(observed.networkLatencyMs));
  reading[at.bandwidth] = known(observed.networkBandwidthMbps);
  reading[at.battery] = readBatteryPercent(worker);
  reading[at.energy] = readEnergyJoules(observed);
  reading[at.load] = load;
}

/** Column of each criterion. A tenth does not compile without one. */
export const at = {
  cpu: 0,
  memory: 1,
  throughput: 2,
  failure_rate: 3,
  latency: 4,
  bandwidth: 5,
  battery: 6,
  energy: 7,
  load: 8,
} as const satisfies { [Id in (typeof criterionIds)[number]]: number };

/** The prior of the failure rate: failed / all finished tasks of the cluster, at least 1 %. */
export function clusterFailureRate(completed: number, failed: number): number {
  const finished = completed + failed;
  return finished === 0 ? failureRateFloor : Math.max(failureRateFloor, failed / finished);
}

/** What the tasks add that were assigned since the heartbeat, which does not know of them yet. */
export function readAssignedPercent(worker: WorkerView): number {
  const assigned = worker.assignedSinceHeartbeat;
  return assigned > 0 ? (100 * assigned) / Math.max(1, worker.slots) : 0;
}

export function smoothFailureRate(completed: number, failed: number, ofCluster: number): number {
  const rate = (failed + 2 * ofCluster) / (completed + failed + 2);
  // Equal rates from different counts may differ in the last bit, and MABAC would stretch that
  // bit to the full weight of the column. Nobody measures the thirteenth digit.
  return Math.floor(rate * 1e12 + 0.5) / 1e12;
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
