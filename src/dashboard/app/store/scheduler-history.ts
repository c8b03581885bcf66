import { useEffect, useRef } from 'preact/hooks';
import type { SchedulerHistoryEntry } from '../../../client/scheduler.ts';
import { read } from './endpoint.ts';
import { pausedAtMs } from './freshness.ts';
import { type Part, usePart } from './resource.ts';
import { schedulerChanges } from './stream.ts';

export const mostChanges = 100;

/** What was in force, newest first; read again when it changes, and shown until then. */
export function useSchedulerHistory(): Part<readonly SchedulerHistoryEntry[]> {
  const part = usePart('scheduler history', (signal) =>
    read<readonly SchedulerHistoryEntry[]>(
      '/api/scheduler/history',
      { limit: mostChanges },
      signal,
    ),
  );
  const changes = schedulerChanges.value;
  const isHeld = pausedAtMs.value !== null;
  const readAt = useRef(changes);
  useEffect(() => {
    if (isHeld || readAt.current === changes) return;
    readAt.current = changes;
    part.again();
  }, [changes, isHeld]);
  return part;
}
