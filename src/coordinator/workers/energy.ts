// What a task is taken to have cost where its worker does not say: the time that it ran × the watts that
// one busy core draws. Good for comparing workers, not for a bill.

import type { WorkerRecord } from '../../core/records.ts';
import { wattsPerCore } from '../../protocol/device-power.ts';

/**
 * As the device tells with its heartbeats, or by its class; null where neither is known. A page in a browser may
 * be on any device.
 */
export function wattsOf(worker: WorkerRecord): number | null {
  const told = (JSON.parse(worker.telemetryJson) as { readonly power_watts?: number }).power_watts;
  if (told !== undefined) return told;
  const { type, platform, observed } = worker;
  if (/^(android|ios)/.test(type) || /^(android|ios)/.test(platform)) return wattsPerCore.phone;
  if (type !== 'pc') return null;
  return observed.batteryLevelPercent === null ? wattsPerCore.desktop : wattsPerCore.laptop;
}
