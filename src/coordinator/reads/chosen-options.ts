// The options of a job as a client would submit them: the way back of what the server makes of a submission.

import type { JobSpec, Requirements } from '../../core/records.ts';
import {
  type ChosenOptions,
  isolationNames,
  type JobRequirements,
} from '../../protocol/job-options.ts';

export function chosenOptions(spec: JobSpec): ChosenOptions {
  const { requirements, checkpointIntervalMs, speculation, retainMs } = spec;
  const required = requirements === null ? {} : requirementsOf(requirements);
  return {
    max_attempts: spec.maxAttempts,
    max_lost_attempts: spec.maxLostAttempts,
    retry_delay_seconds: spec.retryDelayMs / 1_000,
    attempt_timeout_seconds: secondsOrNull(spec.attemptTimeoutMs),
    progress_timeout_seconds: secondsOrNull(spec.progressTimeoutMs),
    on_task_failure: spec.onTaskFailure,
    keep_output: spec.keepOutput,
    live_output: spec.liveOutput,
    late_results: spec.lateResults,
    memory_mb: spec.memoryMb,
    ...(Object.keys(required).length === 0 ? {} : { requirements: required }),
    ...(checkpointIntervalMs === null
      ? {}
      : { checkpoint: { interval_seconds: checkpointIntervalMs / 1_000 } }),
    ...(retainMs === null ? {} : { retain_seconds: retainMs / 1_000 }),
    ...(speculation === null
      ? {}
      : {
          speculation: {
            enabled: true,
            max_copies: speculation.maxCopies,
            max_share: speculation.maxShare,
          },
        }),
  };
}

/** Without the memory of a task, which is an option of its own. */
function requirementsOf({
  minRamMb,
  minBatteryPercent,
  isolation: asked,
  type,
  platform,
  labels,
}: Requirements): JobRequirements {
  const isolation = isolationNames.find((name) => name === asked);
  return {
    ...(type === undefined ? {} : { type }),
    ...(platform === undefined ? {} : { platform }),
    ...(minRamMb === undefined ? {} : { min_ram_mb: minRamMb }),
    ...(minBatteryPercent === undefined ? {} : { min_battery_percent: minBatteryPercent }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(labels === undefined ? {} : { labels }),
  };
}

function secondsOrNull(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}
