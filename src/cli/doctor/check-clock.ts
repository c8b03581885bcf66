// Checks the wall clock: it warns when the clock is set during the check, or was never set. Deadlines and
// leases use the monotonic clock, but times in lists come from the wall clock.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Finding, ok, problem, warning } from './finding.ts';

const WATCHED_MS = 500;
const DRIFT_TOLERATED_MS = 25;
/** This program is not older, so an earlier time is wrong. */
const EARLIEST = Date.UTC(2026, 0, 1);

export interface Clocks {
  readonly wall: () => number;
  readonly monotonic: () => number;
  readonly pass: (ms: number) => Promise<unknown>;
}

const clocksHere: Clocks = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  pass: (ms) => sleep(ms),
};

export async function checkClock(clocks: Clocks = clocksHere): Promise<Finding> {
  const [wall, monotonic] = [clocks.wall(), clocks.monotonic()];
  if (wall < EARLIEST) {
    return problem(
      'clock',
      `it is not ${new Date(wall).toISOString().slice(0, 10)}`,
      'Set the clock of this machine, best by NTP.',
    );
  }
  await clocks.pass(WATCHED_MS);
  const driftMs = clocks.wall() - wall - (clocks.monotonic() - monotonic);
  if (Math.abs(driftMs) <= DRIFT_TOLERATED_MS) {
    return ok('clock', `runs evenly (watched for ${WATCHED_MS} ms)`);
  }
  return warning(
    'clock',
    `was set by ${Math.round(driftMs)} ms within ${WATCHED_MS} ms`,
    'Leases do not mind, times in lists do: let NTP slew the clock instead of stepping it.',
  );
}
