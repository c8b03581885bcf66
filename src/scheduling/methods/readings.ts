// Reads the value of each criterion from a worker, by the rules of the table in `criteria.ts`. NaN stands
// for a value that the worker does not report. Without a closure per value: after a restart this runs over
// every worker.

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
    observed.completed + observed.failed > 0
      ? observed.completed / Math.max(observed.busySeconds, leastBusySeconds(observed))
      : Number.NaN;
  reading[at.latency] = Math.max(latencyFloorMs, known(observed.networkLatencyMs));
  reading[at.bandwidth] = known(observed.networkBandwidthMbps);
  reading[at.battery] = readBatteryPercent(worker);
  reading[at.energy] = readEnergyJoules(observed);
  reading[at.load] = load;
}

/** Column of each criterion. The compiler asks for that of a new one. */
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

/** The load of tasks assigned since the newest heartbeat, which does not include them. */
export function readAssignedPercent(worker: WorkerView): number {
  const assigned = worker.assignedSinceHeartbeat;
  return assigned > 0 ? (100 * assigned) / Math.max(1, worker.slots) : 0;
}

export function smoothFailureRate(completed: number, failed: number, ofCluster: number): number {
  const rate = (failed + 2 * ofCluster) / (completed + failed + 2);
  // Equal rates from different counts may differ in the last bit, and MABAC would stretch that
  // bit to the full weight of the column. So twelve digits are kept.
  return Math.floor(rate * 1e12 + 0.5) / 1e12;
}

/** Handing a task over takes as long: a shorter run time is no measure of a worker. */
function leastBusySeconds({ completed, failed }: Observed): number {
  return (completed + failed) / 1000;
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

/** NaN for a value that is missing, negative or infinite. */
function known(value: number | null): number {
  return value !== null && value >= 0 && value < Number.POSITIVE_INFINITY ? value : Number.NaN;
}
