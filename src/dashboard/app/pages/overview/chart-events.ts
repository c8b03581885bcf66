// What happened in the time that the chart shows: the algorithm, devices that went or were drained, the coordinator.

import type { ChartMark } from '../../parts/chart-marks.ts';
import { algorithmChanges } from '../../store/algorithm-changes.ts';
import type { Worker } from '../../store/cluster.ts';
import { nameOf } from '../../text/words.ts';

interface Happened {
  /** Newest first. */
  readonly changes: Parameters<typeof algorithmChanges>[0];
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
  const drained = workers.flatMap((worker) => {
    const since = worker.draining?.since ?? null;
    return since === null ? [] : [{ atMs: Date.parse(since), text: `${nameOf(worker)} drained` }];
  });
  const started =
    startedAtMs === null
      ? []
      : [{ atMs: startedAtMs, text: 'coordinator started', short: 'started' }];
  return [...algorithmChanges(changes), ...gone, ...drained, ...started];
}
