// What several parts of the page of a job show: read once, again when its tasks have changed.

import { useEffect, useRef } from 'preact/hooks';
import type { AttemptHistory, EvaluationMetrics } from '../../../../protocol/evaluation.ts';
import type { CheckpointRecord, JobErrors, RecoveryEvent } from '../../../../protocol/resources.ts';
import type { JobHead } from '../../store/cluster.ts';
import { coordinatorTime } from '../../store/clock.ts';
import { pathOfJob, read } from '../../store/endpoint.ts';
import { lastSaidMs, pausedAtMs } from '../../store/freshness.ts';
import { isOpen } from '../../store/job-share.ts';
import { pauseAfter } from '../../store/read-pause.ts';
import { type Part, usePart } from '../../store/resource.ts';
import { mayReadPayloads } from '../../store/session.ts';
import { knownUntil } from './known-until.ts';

const mostAttempts = 2_000;
/** More checkpoints than these are counted, not drawn. */
const mostCheckpoints = 5_000;
/** What is made over all attempts is not made each second. */
const slowMs = 5_000;

export interface JobReads {
  readonly attempts: Part<AttemptHistory>;
  /** Until when they are known to be as they were read. */
  readonly knownUntil: (nowMs: number) => number;
  readonly metrics: Part<EvaluationMetrics>;
  readonly errors: Part<JobErrors>;
  readonly recoveries: Part<readonly RecoveryEvent[]>;
  readonly checkpoints: Part<readonly CheckpointRecord[]>;
  /** Of checkpoints that are not read, since they are too many; null: they are. */
  readonly tooMany: number | null;
}

export function useJobReads(head: JobHead, changes: number): JobReads {
  const { id } = head;
  const attempts = usePart(`attempts of ${id}`, async (signal) => {
    const atMs = coordinatorTime();
    const query = { job_id: id, limit: mostAttempts };
    const history = await read<AttemptHistory>('/api/evaluation/attempts', query, signal);
    return { ...history, atMs, changes };
  });
  const knownMs = useRef(Number.NEGATIVE_INFINITY);
  const metrics = usePart(`metrics of ${id}`, (signal) =>
    read<EvaluationMetrics>('/api/evaluation/metrics', { job_id: id }, signal),
  );
  const errors = usePart(`errors of ${id}`, (signal) =>
    read<JobErrors>(`${pathOfJob(id)}/errors`, {}, signal),
  );
  const count = metrics.value?.checkpoints.count ?? 0;
  const recoveries = usePart(`recoveries of ${id}`, async (signal) => {
    const all = await read<readonly RecoveryEvent[]>(
      '/api/checkpoints/recovery-events',
      {},
      signal,
    );
    return all.filter(({ job_id: of }) => of === id);
  });
  const checkpoints = usePart(
    `checkpoints of ${id}`,
    (signal) =>
      read<readonly CheckpointRecord[]>(
        `/api/checkpoints/job/${encodeURIComponent(id)}`,
        {},
        signal,
      ),
    { isOff: !mayReadPayloads.value || count === 0 || count > mostCheckpoints },
  );
  // How it ended is shown at once.
  const pauseOf = (rows: readonly unknown[] | undefined): number =>
    isOpen(head) ? pauseAfter(rows?.length ?? 0) : 0;
  useAgain(changes, pauseOf(attempts.value?.attempts), attempts);
  useAgain(changes, slowMs, metrics);
  useAgain(changes, slowMs, errors);
  useAgain(changes, Math.max(slowMs, pauseOf(checkpoints.value ?? [])), checkpoints);
  // They are those of all jobs: of this one the metrics tell whether there is another.
  useAgain(JSON.stringify(metrics.value?.recovery), 0, recoveries);
  return {
    attempts,
    knownUntil: (nowMs) => {
      const saidMs = pausedAtMs.peek() ?? lastSaidMs.peek();
      const told = { changes, saidMs, nowMs };
      knownMs.current = knownUntil(knownMs.current, attempts.value, told);
      return knownMs.current;
    },
    metrics,
    errors,
    recoveries,
    checkpoints,
    tooMany: count > mostCheckpoints ? count : null,
  };
}

/** Reads again what has changed: at most once in `everyMs`, and not before it has been read. */
export function useAgain(
  changes: number | string | undefined,
  everyMs: number,
  { again: readAgain, isLoading }: Pick<Part<unknown>, 'again' | 'isLoading'>,
  again = readAgain,
): void {
  const latest = useRef(again);
  latest.current = again;
  const state = useRef({ seen: changes, readAtMs: Number.NEGATIVE_INFINITY });
  useEffect(() => {
    if (isLoading || changes === state.current.seen) return;
    const wait = Math.max(0, state.current.readAtMs + everyMs - performance.now());
    const timer = setTimeout(() => {
      state.current = { seen: changes, readAtMs: performance.now() };
      latest.current();
    }, wait);
    return () => clearTimeout(timer);
  }, [changes, everyMs, isLoading]);
}
