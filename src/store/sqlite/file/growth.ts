// How fast a database grows: by the share of its tasks that ended of late. Looks only, by a connection of its
// own, so a coordinator may work on the file meanwhile.

import type { DatabaseSync } from 'node:sqlite';
import { asFault } from './faults.ts';
import { openForReading, readNumber } from './inspect.ts';

const dayMs = 86_400_000;
const lookBackMs = 7 * dayMs;
/** So many are looked at: some milliseconds, however many there are. */
const jobsLookedAt = 20_000;
/** Less history says nothing about a day. */
const leastMs = 3_600_000;

export interface Growth {
  /** What is in use; the file may be larger. */
  readonly bytes: number;
  /** At the rate of the last week, or of the whole history when that is shorter; null: too short to tell. */
  readonly bytesPerDay: number | null;
}

/** Throws `StoreFault`. */
export function measureGrowth(path: string, nowMs: number): Growth {
  try {
    const connection = openForReading(path);
    try {
      const { db } = connection;
      const pages = readNumber(db, 'pragma page_count') - readNumber(db, 'pragma freelist_count');
      const bytes = pages * readNumber(db, 'pragma page_size');
      return { bytes, bytesPerDay: ratePerDay(db, bytes, nowMs) };
    } finally {
      connection.close();
    }
  } catch (error) {
    throw asFault(error, path, 'read');
  }
}

/** What is free inside of the file: it is used again before the file grows. Throws `StoreFault`. */
export function reusableBytes(path: string): number {
  try {
    const connection = openForReading(path);
    try {
      const { db } = connection;
      return readNumber(db, 'pragma freelist_count') * readNumber(db, 'pragma page_size');
    } finally {
      connection.close();
    }
  } catch (error) {
    throw asFault(error, path, 'read');
  }
}

function ratePerDay(db: DatabaseSync, bytes: number, nowMs: number): number | null {
  const recent = db
    .prepare(
      `select min(completed_at) as since, sum(task_count) as tasks from
        (select completed_at, task_count from jobs indexed by jobs_ended
          where generation = (select generation from meta) and completed_at >= ?
          order by completed_at desc limit ${jobsLookedAt})`,
    )
    .get(nowMs - lookBackMs) as { since: number | null; tasks: number | null };
  if (recent.since === null || recent.tasks === null || nowMs - recent.since < leastMs) return null;
  const all = readNumber(
    db,
    'select sum(task_count) from jobs where generation = (select generation from meta)',
  );
  return ((bytes * recent.tasks) / Math.max(1, all) / (nowMs - recent.since)) * dayMs;
}
