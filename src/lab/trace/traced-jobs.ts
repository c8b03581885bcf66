// The jobs of a trace as they come in the lab.

import type { JobPlan, Requirements } from '../scenario/plan.ts';
import { median } from './speeds.ts';
import { isolationLabels } from './traced-devices.ts';
import type { TracedWorks } from './traced-works.ts';
import type { RecordOf } from './trace-format.ts';
import type { TracedJob } from './trace.ts';

/** Of those that are not known. */
const usualInputBytes = 100;
const usualResultBytes = 100;
const usualCheckpointBytes = 1000;
/** As in a scenario: nothing else would be played with less. */
const leastCheckpointMs = 100;

/**
 * Null: nothing of it is to be played. Of a job that was cancelled, or given up, only the tasks that began are. Of
 * one from before the recording, those that were open: which they were is known of the ones that ran.
 */
export function jobOf(traced: TracedJob, works: TracedWorks): JobPlan | null {
  const { job, submitted, releasedMs, attempts } = traced;
  const indices = indicesOf(traced);
  const waitedInVain = submitted.is_held && releasedMs === null && attempts.length === 0;
  if (indices.length === 0 || waitedInVain) return null;
  const { speculation, checkpoint_interval_ms: everyMs } = submitted;
  const known = works.known.get(job) ?? new Map<number, number>();
  const usual = works.usual(job);
  const shares = works.cpuShares.get(job) ?? new Map<number, number>();
  const usualShare = works.usualCpuShare(job);
  return {
    name: `job-${job}`,
    atMs: Math.round(Math.max(0, (submitted.is_held ? releasedMs : null) ?? submitted.at_ms)),
    workSeconds: Float64Array.from(indices, (index) => known.get(index) ?? usual),
    cpuShares: Float64Array.from(indices, (index) => shares.get(index) ?? usualShare),
    inputBytes: submitted.input_bytes ?? usualInputBytes,
    resultBytes: resultsOf(attempts, indices),
    checkpoints:
      everyMs === null || everyMs === 0
        ? null
        : {
            everyMs: Math.max(leastCheckpointMs, everyMs),
            bytes: checkpointBytesOf(attempts),
          },
    priority: submitted.priority,
    taskPriorities: prioritiesOf(submitted, indices),
    speculation: speculation !== null && speculation.max_copies > 0,
    maxAttempts: submitted.max_attempts,
    maxLostAttempts: submitted.max_lost_attempts,
    requirements: requirementsOf(submitted.requirements),
  };
}

/** Which tasks are played, as the trace counts them; those that it does not tell of have no index of their own. */
function indicesOf({ submitted, ended, attempts }: TracedJob): readonly number[] {
  const begun = attempts.filter((attempt) => attempt.started_ms !== null);
  const seen = [...new Set(begun.map(({ index }) => index))].sort((a, b) => a - b);
  const wasGivenUp = ended !== null && ended.status !== 'completed';
  if (wasGivenUp) return seen;
  if (!submitted.is_from_before) return Array.from({ length: submitted.tasks }, (_, i) => i);
  const others = Math.max(0, submitted.tasks - seen.length);
  return [...seen, ...Array.from({ length: others }, () => unseen)];
}

/** No task has this index. */
const unseen = -1;

function resultsOf(
  attempts: readonly RecordOf<'attempt'>[],
  indices: readonly number[],
): Float64Array {
  const sizes = new Map(
    attempts.flatMap(({ index, result_bytes: bytes }) =>
      bytes === null ? [] : [[index, bytes] as const],
    ),
  );
  const usual = sizes.size === 0 ? usualResultBytes : median([...sizes.values()]);
  return Float64Array.from(indices, (index) => sizes.get(index) ?? usual);
}

function checkpointBytesOf(attempts: readonly RecordOf<'attempt'>[]): number {
  const sizes = attempts.flatMap(({ checkpoint_bytes: bytes }) => bytes ?? []);
  return sizes.length === 0 ? usualCheckpointBytes : median(sizes);
}

function prioritiesOf(
  { task_priorities: runs, priority }: RecordOf<'job'>,
  indices: readonly number[],
): Int16Array | null {
  if (runs === null) return null;
  const all = runs.flatMap(([count, each]) => Array.from({ length: count }, () => each));
  return Int16Array.from(indices, (index) => all[index] ?? priority);
}

/** Memory for a task is not asked for: the devices of the lab do not tell theirs. */
function requirementsOf(asked: RecordOf<'job'>['requirements']): Requirements | null {
  if (asked === null) return null;
  const { type, platform, isolation, labels, min_ram_mb, min_battery_percent } = asked;
  const isolated = isolation === undefined ? {} : isolationLabels(isolation);
  const wanted = { ...labels, ...isolated };
  return {
    ...(type === undefined ? {} : { type }),
    ...(platform === undefined ? {} : { platform }),
    ...(Object.keys(wanted).length === 0 ? {} : { labels: wanted }),
    ...(min_ram_mb === undefined ? {} : { minRamMb: min_ram_mb }),
    ...(min_battery_percent === undefined ? {} : { minBatteryPercent: min_battery_percent }),
  };
}
