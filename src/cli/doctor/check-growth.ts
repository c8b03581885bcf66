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

export interface DiskOutlook {
  readonly sentence: string;
  readonly isShort: boolean;
}

/** Undefined when there is nothing to tell from. */
export function checkGrowth(path: string): Finding | undefined {
  const outlook = diskOutlook(path);
  if (outlook === undefined) return undefined;
  const { sentence, isShort } = outlook;
  if (!isShort) return ok('growth', sentence);
  return warning(
    'growth',
    sentence,
    '`serve --keep-days N` lets old jobs go; `muster delete --before 7d --dry-run` shows some.',
  );
}

/** Undefined when there is no database, or none that can be read: others tell why. */
export function diskOutlook(path: string, nowMs = Date.now()): DiskOutlook | undefined {
  if (path === ':memory:' || !existsSync(path)) return undefined;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return outlookOf(measureGrowth(path, nowMs), bavail * bsize);
  } catch {
    return undefined;
  }
}

export function outlookOf({ bytes, bytesPerDay }: Growth, freeBytes: number): DiskOutlook {
  const has = `the database has ${megabytes(bytes)}`;
  if (bytesPerDay === null) {
    return { sentence: `${has}; it is too early to tell how fast it grows`, isShort: false };
  }
  const days = Math.floor(freeBytes / Math.max(1, bytesPerDay));
  const lasts = days > FAR_DAYS ? 'ten years and more' : `${days} day${days === 1 ? '' : 's'}`;
  return {
    sentence: `${has} and took ${megabytes(bytesPerDay)} a day of late: ${lasts} until the disk is full, if nothing is removed`,
    isShort: days < COMFORTABLE_DAYS,
  };
}

function megabytes(bytes: number): string {
  const mb = bytes / MEBIBYTE;
  return mb >= 10_240 ? `${Math.round(mb / 1_024)} GB` : `${mb.toFixed(mb < 10 ? 1 : 0)} MB`;
}
