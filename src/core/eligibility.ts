// Who may run what. Eligibility only masks a scheduler's choice; it never ranks.

import type { Handed, Requirements, TaskRecord, WorkerRecord } from './records.ts';
import { findPause } from './refusals.ts';

/** The worker can be given something now: reachable, and taking new work. */
export function isAvailable(worker: WorkerRecord): boolean {
  return (
    worker.connection.state === 'connected' &&
    isInMatrix(worker) &&
    !worker.leaving &&
    worker.rest === null &&
    !worker.asleep
  );
}

/** Available, with a slot to begin at once. */
export function isFree(worker: WorkerRecord): boolean {
  return hasFreeSlot(worker) && isAvailable(worker);
}

export function hasFreeSlot(
  worker: Pick<WorkerRecord, 'activeTasks' | 'quarantine' | 'slots'>,
): boolean {
  return worker.activeTasks < usableSlots(worker);
}

/** How many attempts may run at the same time: its slots, or one while it is on probe. */
export function usableSlots(worker: Pick<WorkerRecord, 'quarantine' | 'slots'>): number {
  return worker.quarantine === null ? worker.slots : Math.min(1, worker.slots);
}

/** In quarantine, and the pause is over: it may have one task that tells whether it is well. */
export function isOnProbe(worker: WorkerRecord): boolean {
  return worker.quarantine !== null && worker.probe.position < 0;
}

/** Copies go to workers that can begin at once; one over plain HTTP may not fetch its work for a while. */
export function mayTakeCopy(worker: WorkerRecord, { live, job }: TaskRecord, at: number): boolean {
  const { connection } = worker;
  const isSocket = connection.state === 'connected' && connection.transport === 'socket';
  if (!isSocket || !isAvailable(worker) || !hasFreeSlot(worker)) return false;
  if (live.some((attempt) => attempt.worker === worker)) return false;
  if (findPause(job, worker, at) !== undefined) return false;
  return meets(worker, job.spec.programKind, job.spec.requirements);
}

/**
 * Workers that schedulers compare: not offline, draining, waiting to be let in, or in quarantine (one on probe is
 * compared).
 */
export function isInMatrix(worker: WorkerRecord): boolean {
  const isShunned = worker.quarantine !== null && !isOnProbe(worker);
  const isIn = worker.waitsUntil === null && worker.draining === null;
  return worker.connection.state !== 'offline' && isIn && !isShunned;
}

/** The worker's kind, labels and telemetry fit what the job asks for. */
export function meets(worker: WorkerRecord, kind: string, asked: Requirements | null): boolean {
  return worker.kinds.includes(kind) && (asked === null || unmet(worker, asked) === undefined);
}

/** The first requirement that the worker does not meet, in words; undefined when it meets all. */
export function unmet(worker: WorkerRecord, asked: Requirements): string | undefined {
  if (asked.type !== undefined && !asked.type.includes(worker.type)) {
    return `type is ${worker.type}, asked for ${asked.type.join(' or ')}`;
  }
  if (asked.platform !== undefined && !asked.platform.includes(worker.platform)) {
    return `platform is ${worker.platform}, asked for ${asked.platform.join(' or ')}`;
  }
  if (asked.isolation !== undefined && !worker.isolation.split('+').includes(asked.isolation)) {
    return `isolation is ${worker.isolation}, asked for ${asked.isolation}`;
  }
  return unmetLabel(worker, asked) ?? unmetTelemetry(worker, asked) ?? unmetHands(worker, asked);
}

function unmetHands({ hands }: WorkerRecord, { hands: asked = [] }: Requirements) {
  const missing = asked.find((each) => !hands.includes(each));
  return missing === undefined ? undefined : `hands ${handedText[missing]} to no task`;
}

const handedText: Readonly<Record<Handed, string>> = {
  bytes: 'bytes',
  shared: 'a value that tasks share',
};

function unmetLabel(worker: WorkerRecord, asked: Requirements): string | undefined {
  for (const [label, value] of Object.entries(asked.labels ?? {})) {
    const has = Object.hasOwn(worker.labels, label) ? worker.labels[label] : undefined;
    if (has !== value) return `label ${label} is ${has ?? 'not set'}, asked for ${value}`;
  }
  return undefined;
}

function unmetMemory(
  { taskMemoryMb: most, observed }: WorkerRecord,
  asked: number,
): string | undefined {
  if (most === null || most < asked) {
    const gives = most === null ? 'no more than every worker gives' : `${most} MB at most`;
    return `memory for one task is ${gives}, asked for ${asked} MB`;
  }
  const { ramAvailableMb } = observed;
  if (ramAvailableMb === null || ramAvailableMb >= asked) return undefined;
  return `available RAM is ${ramAvailableMb} MB, asked for ${asked} MB for one task`;
}

function unmetTelemetry(worker: WorkerRecord, asked: Requirements): string | undefined {
  const { ramAvailableMb, batteryLevelPercent, batteryCharging } = worker.observed;
  if (asked.minRamMb !== undefined && (ramAvailableMb ?? 0) < asked.minRamMb) {
    return `available RAM is ${ramAvailableMb ?? 'unknown'} MB, asked for ${asked.minRamMb} MB`;
  }
  if (asked.taskMemoryMb !== undefined) {
    const missing = unmetMemory(worker, asked.taskMemoryMb);
    if (missing !== undefined) return missing;
  }
  const onMains =
    batteryCharging === true || (worker.type === 'pc' && batteryLevelPercent === null);
  const battery = onMains ? 100 : batteryLevelPercent;
  if (asked.minBatteryPercent !== undefined && (battery ?? 0) < asked.minBatteryPercent) {
    return `battery is at ${battery ?? 'an unknown level'} %, asked for ${asked.minBatteryPercent} %`;
  }
  return undefined;
}
