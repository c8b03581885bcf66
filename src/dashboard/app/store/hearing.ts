// Up to when the silence of devices counts. While the coordinator is away nobody knows of it, and whoever comes back
// hears of its devices one after another.

import { batch } from '@preact/signals';
import { coordinatorTime } from './clock.ts';
import { lastHeardMs, lastHeardWallMs, lastSaidMs, lateMs } from './freshness.ts';

/** Counters come each second: after longer the coordinator, or the way to it, was away. */
const awayMs = 3_000;

let returnedMs = Number.NEGATIVE_INFINITY;

/** Call it when anything is heard from the coordinator. `late`: so long it was on its way. */
export function noteHeard(late: number): void {
  const nowMs = performance.now();
  if (nowMs - lastHeardMs.value > awayMs) returnedMs = nowMs;
  batch(() => {
    lastHeardMs.value = nowMs;
    lastHeardWallMs.value = Date.now();
    lateMs.value = late;
    lastSaidMs.value = coordinatorTime() - late;
  });
}

interface Leased {
  readonly lease_seconds: number;
}

/**
 * A list of devices came: up to when their silence counts, by the clock of the coordinator. `before`: the same of the
 * list before it, which stays while the coordinator is away, and as long again as a device may be silent.
 */
export function silenceCountsTo(devices: readonly Leased[], before: number | null): number {
  const nowMs = performance.now();
  const settlingMs = devices.reduce((most, { lease_seconds: s }) => Math.max(most, 500 * s), 0);
  const isAway = nowMs - lastHeardMs.value > awayMs;
  const isSettling = isAway || nowMs - returnedMs < settlingMs;
  return isSettling && before !== null ? before : coordinatorTime();
}
