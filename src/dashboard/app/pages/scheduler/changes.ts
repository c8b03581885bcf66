// What was in force before: each configuration with what it changed, and where its time can be held against the one
// before it.

import type { SchedulerHistoryEntry } from '../../../../client/scheduler.ts';
import { timeFrom } from '../../parts/periods.ts';
import { addressOf, differenceOf, type Setting } from './draft.ts';

export interface Change {
  readonly at: string;
  readonly algorithm: string;
  /** When the next one came into force; null: it is in force. */
  readonly until: string | null;
  /** How it differs from the one before it; null when nothing is known of that. */
  readonly difference: string | null;
  readonly by: string | null;
  /** Its time, beside that of the one before it, or beside an hour before it in which there were jobs. */
  readonly evaluationPath: string;
  /** The page with it as a draft. */
  readonly draftPath: string;
}

/** `entries`: newest first, as are the changes. `oldestJobAt`: before it there was nothing to do; null: nobody knows. */
export function changesOf(
  entries: readonly SchedulerHistoryEntry[],
  oldestJobAt: string | null = null,
): readonly Change[] {
  return entries.map((entry, place) => {
    const until = entries[place - 1]?.at ?? null;
    const before = entries[place + 1];
    const query = new URLSearchParams({ of: timeFrom(entry.at, until) });
    const from = before?.at ?? (oldestJobAt && later(oldestJobAt, hourBefore(entry.at)));
    if (from !== null && from < entry.at) query.set('against', timeFrom(from, entry.at));
    return {
      at: entry.at,
      algorithm: entry.algorithm,
      until,
      difference: before === undefined ? null : differenceOf(settingOf(entry), settingOf(before)),
      by: entry.by,
      evaluationPath: `/evaluation?${query}`,
      draftPath: `/scheduler${draftQuery(settingOf(entry), settingOf(entries[0]!))}`,
    };
  });
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** Of those that are not noted any more. */
function hourBefore(at: string): string {
  return new Date(Date.parse(at) - 3_600_000).toISOString();
}

function draftQuery(setting: Setting, inForce: Setting): string {
  const named = Object.entries(addressOf(setting, inForce)).filter(
    (each): each is [string, string] => each[1] !== null,
  );
  return named.length === 0 ? '' : `?${new URLSearchParams(named)}`;
}

function settingOf({ algorithm, weighting, weights }: SchedulerHistoryEntry): Setting {
  return { algorithm, weighting, weights };
}
