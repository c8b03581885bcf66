// What the core is told of the settings, in its units.

import type { CoreSettings } from '../../core/settings.ts';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
const HEARTBEATS_PER_LEASE = 3;

export interface CoreChoices {
  readonly heartbeatSeconds?: number;
  readonly graceSeconds?: number;
  readonly keepDays?: number;
  readonly keepJobs?: number;
  readonly keepWorkersDays?: number;
  readonly keepPagesDays?: number;
}

/** Only what was set. */
export function coreSettings({
  heartbeatSeconds,
  graceSeconds,
  keepDays,
  keepJobs,
  keepWorkersDays,
  keepPagesDays,
}: CoreChoices): Partial<CoreSettings> {
  return {
    ...(heartbeatSeconds === undefined
      ? {}
      : {
          heartbeatIntervalMs: heartbeatSeconds * SECOND_MS,
          // Whoever has chosen it gets it, however many workers there are.
          heartbeatsPerSecond: null,
          leaseMs: HEARTBEATS_PER_LEASE * heartbeatSeconds * SECOND_MS,
        }),
    ...(graceSeconds === undefined ? {} : { graceMs: graceSeconds * SECOND_MS }),
    ...(keepDays === undefined ? {} : { keepMs: Math.round(keepDays * DAY_MS) }),
    ...(keepJobs === undefined ? {} : { keepJobs }),
    ...(keepWorkersDays === undefined ? {} : { keepAwayMs: keepWorkersDays * DAY_MS }),
    ...(keepPagesDays === undefined ? {} : { keepAwayPagesMs: keepPagesDays * DAY_MS }),
  };
}
