// Whether a device has what a job asks for, as the coordinator judges (`core/eligibility.ts`).

import type { JobRequirements } from '../../../protocol/job-options.ts';
import type { Worker } from './cluster.ts';

export function meets(worker: Worker, asked: JobRequirements | null | undefined): boolean {
  if (asked === null || asked === undefined) return true;
  const { type, platform, isolation, labels = {} } = asked;
  return (
    (type === undefined || type.includes(worker.type)) &&
    (platform === undefined || platform.includes(worker.platform)) &&
    (isolation === undefined || worker.isolation.split('+').includes(isolation)) &&
    Object.entries(labels).every(
      ([label, value]) => Object.hasOwn(worker.labels, label) && worker.labels[label] === value,
    ) &&
    measuresEnough(worker, asked)
  );
}

function measuresEnough(
  { type, telemetry }: Worker,
  { min_ram_mb: leastRam = 0, min_battery_percent: leastBattery = 0 }: JobRequirements,
): boolean {
  // What devices measure is not told to clients: then it decides nothing here.
  if (Object.keys(telemetry).length === 0) return true;
  const { ram_available_mb: ram, battery_level_percent: level, battery_charging } = telemetry;
  const isOnMains = battery_charging === true || (type === 'pc' && (level ?? null) === null);
  return (ram ?? 0) >= leastRam && (isOnMains || (level ?? 0) >= leastBattery);
}
