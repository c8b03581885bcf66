// How long the disk lasts at the rate at which the database grows.

import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Growth, measureGrowth } from '../../store/sqlite/file/growth.ts';
import { type Finding, ok, warning } from './finding.ts';

const MEBIBYTE = 1024 * 1024;
/** Time enough to do something about it. */
const COMFORTABLE_DAYS = 14;
/** Farther ahead nobody looks. */
const FAR_DAYS = 3_650;
/** A commit goes to the log first, which may take so much before it is carried over into the file. */
const ROOM_TO_DELETE = 16 * MEBIBYTE;

export interface DiskOutlook {
  readonly sentence: string;
  readonly isShort: boolean;
  /** So little is free that not even a deletion may be committed. */
  readonly isFull: boolean;
}

/** Undefined when there is nothing to tell from. */
export function checkGrowth(path: string): Finding | undefined {
  const outlook = diskOutlook(path);
  if (outlook === undefined) return undefined;
  const { sentence, isShort, isFull } = outlook;
  if (!isShort) return ok('growth', sentence);
  if (isFull) {
    return warning('growth', sentence, 'Room for it must come from elsewhere on the disk.');
  }
  return warning(
    'growth',
    sentence,
    '`serve --keep-days N` lets old jobs go; `muster delete --before 7d --dry-run` shows some.',
  );
}

/** Undefined when there is no database, or none that can be read: others tell why. */
export function diskOutlook(path: string, nowMs = Date.now()): DiskOutlook | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return outlookOf(measureGrowth(path, nowMs), bavail * bsize);
  } catch {
    return undefined;
  }
}

export function outlookOf({ bytes, bytesPerDay }: Growth, freeBytes: number): DiskOutlook {
  const has = `the database has ${megabytes(bytes)}`;
  const isFull = freeBytes < ROOM_TO_DELETE;
  if (bytesPerDay === null) {
    const early = `${has}; it is too early to tell how fast it grows`;
    return { sentence: isFull ? `${has}; the disk is full` : early, isShort: isFull, isFull };
  }
  const days = Math.floor(freeBytes / Math.max(1, bytesPerDay));
  const lasts = days > FAR_DAYS ? 'ten years and more' : `${days} day${days === 1 ? '' : 's'}`;
  return {
    sentence: `${has} and took ${megabytes(bytesPerDay)} a day of late: ${lasts} until the disk is full, if nothing is removed`,
    isShort: isFull || days < COMFORTABLE_DAYS,
    isFull,
  };
}

function megabytes(bytes: number): string {
  const mb = bytes / MEBIBYTE;
  return mb >= 10_240 ? `${Math.round(mb / 1_024)} GB` : `${mb.toFixed(mb < 10 ? 1 : 0)} MB`;
}
