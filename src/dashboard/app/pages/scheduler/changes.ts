// What was in force before: each configuration with what it changed, and where its time can be held against the one
// before it.

import type { SchedulerHistoryEntry } from '../../../../client/scheduler.ts';
import { timeFrom } from '../../parts/periods.ts';
import { differenceOf, type Setting } from './draft.ts';

export interface Change {
  readonly at: string;
  readonly algorithm: string;
  /** When the next one came into force; null: it is in force. */
  readonly until: string | null;
  /** How it differs from the one before it; null when nothing is known of that. */
  readonly difference: string | null;
  readonly by: string | null;
  /** Its time, beside that of the one before it, or beside the hour before it. */
  readonly evaluationPath: string;
}

/** `entries`: newest first, as are the changes. */
export function changesOf(entries: readonly SchedulerHistoryEntry[]): readonly Change[] {
  return entries.map((entry, place) => {
    const until = entries[place - 1]?.at ?? null;
    const before = entries[place + 1];
    const query = new URLSearchParams({
      of: timeFrom(entry.at, until),
      against: timeFrom(before?.at ?? hourBefore(entry.at), entry.at),
    });
    return {
      at: entry.at,
      algorithm: entry.algorithm,
      until,
      difference: before === undefined ? null : differenceOf(settingOf(entry), settingOf(before)),
      by: entry.by,
      evaluationPath: `/evaluation?${query}`,
    };
  });
}

/** What was in force from the first start on is not noted. */
function hourBefore(at: string): string {
  return new Date(Date.parse(at) - 3_600_000).toISOString();
}

function settingOf({ algorithm, weighting, weights }: SchedulerHistoryEntry): Setting {
  return { algorithm, weighting, weights };
}
