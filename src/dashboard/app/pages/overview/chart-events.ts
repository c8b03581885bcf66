// What happened in the time that the chart shows: the algorithm, devices that went, the coordinator.

import type { ChartMark } from '../../parts/chart-marks.ts';
import type { Worker } from '../../store/cluster.ts';
import { nameOf } from '../../text/words.ts';

export interface SchedulerChange {
  readonly at: string;
  readonly algorithm: string;
  readonly by: string | null;
}

interface Happened {
  /** Newest first. */
  readonly changes: readonly SchedulerChange[];
  readonly workers: readonly Worker[];
  readonly startedAtMs: number | null;
}

export function chartEvents({ changes, workers, startedAtMs }: Happened): readonly ChartMark[] {
  const gone = workers
    .filter(({ status }) => status === 'offline')
    .map((worker) => ({
      atMs: Date.parse(worker.last_heartbeat),
      text: `${nameOf(worker)} gone`,
    }));
  const algorithms = changes
    // Only weights were changed where the one before had the same algorithm.
    .filter(({ algorithm }, place) => changes[place + 1]?.algorithm !== algorithm)
    .map(({ at, algorithm }) => ({
      atMs: Date.parse(at),
      text: `${algorithm} in force`,
      short: algorithm,
    }));
  const started =
    startedAtMs === null
      ? []
      : [{ atMs: startedAtMs, text: 'coordinator started', short: 'started' }];
  return [...algorithms, ...gone, ...started];
}
