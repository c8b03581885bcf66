import type { SchedulerHistoryEntry } from '../../../client/scheduler.ts';
import { read } from './endpoint.ts';
import { type Part, usePart } from './resource.ts';
import { lastEvent } from './stream.ts';

export const mostChanges = 100;

/** What was in force, newest first; read again when it changes. */
export function useSchedulerHistory(): Part<readonly SchedulerHistoryEntry[]> {
  const configured = lastEvent.value?.type === 'scheduler_configured' ? lastEvent.value.id : '';
  return usePart(`scheduler history ${configured}`, (signal) =>
    read<readonly SchedulerHistoryEntry[]>(
      '/api/scheduler/history',
      { limit: mostChanges },
      signal,
    ),
  );
}
