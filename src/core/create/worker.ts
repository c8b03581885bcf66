import type { MeasuredTelemetry, RegisterWorker } from '../commands.ts';
import { HeldWork } from '../held-work.ts';
import { SlotNumbers } from '../slots.ts';
import type { WorkerDeadline, WorkerRecord } from '../records.ts';

type NewWorker = Omit<RegisterWorker, 'type' | 'telemetryJson' | 'at'> & {
  readonly generation: number;
  readonly telemetryJson: string;
  /** What the worker has done before a restart; nothing when it is new. */
  readonly history?: WorkerHistory;
  readonly at: number;
};

type WorkerHistory = Pick<
  WorkerRecord,
  'totalCompleted' | 'totalFailed' | 'busyMs' | 'smoothedTaskMs' | 'energyJoules'
>;

const noHistory: WorkerHistory = {
  totalCompleted: 0,
  totalFailed: 0,
  busyMs: 0,
  smoothedTaskMs: null,
  energyJoules: 0,
};

/** A worker that is offline and has no attempts. */
export function createWorker(given: NewWorker): WorkerRecord {
  const { description, history = noHistory, at } = given;
  const worker: WorkerRecord = {
    id: given.workerId,
    generation: given.generation,
    key: given.key,
    tokenHash: given.tokenHash,
    registeredAt: at,
    ...description,
    name: given.givenName ?? description.name,
    joined: given.joined ?? null,
    givenName: given.givenName ?? null,
    waitsUntil: given.waitsUntil ?? null,
    connection: { state: 'offline' },
    row: -1,
    draining: null,
    leaving: false,
    rest: null,
    leaseNowMs: null,
    asleep: false,
    quarantine: null,
    blames: 0,
    unwilling: null,
    lastHeartbeatAt: at,
    lastSeenAt: at,
    awaySince: null,
    observed: unobserved,
    telemetryJson: given.telemetryJson,
    attempts: new Set(),
    slotNumbers: new SlotNumbers(),
    activeTasks: 0,
    assignedSinceHeartbeat: 0,
    idleSince: at,
    totalCompleted: history.totalCompleted,
    totalFailed: history.totalFailed,
    busyMs: history.busyMs,
    smoothedTaskMs: history.smoothedTaskMs,
    energyJoules: history.energyJoules,
    prefetch: 0,
    queuedMs: 0,
    held: new HeldWork(),
    lastReportAt: at,
    lease: deadline('lease', () => worker),
    grace: deadline('grace', () => worker),
    away: deadline('away', () => worker),
    probe: deadline('probe', () => worker),
    drain: deadline('drain', () => worker),
    admission: deadline('admission', () => worker),
  };
  worker.observed = observe(worker, given.measured);
  return worker;
}

function deadline(kind: WorkerDeadline['kind'], worker: () => WorkerRecord): WorkerDeadline {
  return {
    kind,
    at: 0,
    position: -1,
    get worker() {
      return worker();
    },
  };
}

/** Joins what the worker measures with what is known of its history. */
export function observe(
  worker: WorkerRecord,
  measured: MeasuredTelemetry,
): WorkerRecord['observed'] {
  return {
    cpuLoadPercent: measured.cpuLoadPercent,
    ramAvailableMb: measured.ramAvailableMb,
    batteryLevelPercent: measured.batteryLevelPercent,
    batteryCharging: measured.batteryCharging,
    networkLatencyMs: measured.networkLatencyMs,
    networkBandwidthMbps: measured.networkBandwidthMbps,
    completed: worker.totalCompleted,
    failed: worker.totalFailed,
    busySeconds: worker.busyMs / 1000,
    smoothedTaskMs: worker.smoothedTaskMs,
    energyJoules: worker.energyJoules > 0 ? worker.energyJoules : null,
  };
}

export const unmeasured: MeasuredTelemetry = {
  cpuLoadPercent: null,
  ramAvailableMb: null,
  batteryLevelPercent: null,
  batteryCharging: null,
  networkLatencyMs: null,
  networkBandwidthMbps: null,
};

const unobserved: WorkerRecord['observed'] = {
  ...unmeasured,
  completed: 0,
  failed: 0,
  busySeconds: 0,
  smoothedTaskMs: null,
  energyJoules: null,
};
