// Bounds in words and numbers: those of tokens, and the limits of the coordinator.

import { quotaTable, type QuotaName } from '../../../../protocol/quotas.ts';
import { bytes, grouped, withUnit } from '../../text/numbers.ts';
import { capitalized } from '../../text/words.ts';

/** `open_jobs` as `Open jobs`. */
export function wordsOf(name: string): string {
  return capitalized(name.replaceAll('_', ' '));
}

/** A value of a quota, in its unit. */
export function amountOf(name: QuotaName, value: number): string {
  const { unit } = quotaTable[name];
  if (unit === 'bytes') return bytes(value);
  const isRate = unit === 'a second' || unit === 'a minute';
  return isRate ? `${grouped(value)} ${unit}` : grouped(value);
}

const mebibyte = 1024 * 1024;

/** A value of a limit: those of sizes end in `_bytes`, and are whole MiB mostly. */
export function amountOfLimit(name: string, value: number): string {
  if (!name.endsWith('_bytes')) return grouped(value);
  return value % mebibyte === 0 ? withUnit(grouped(value / mebibyte), 'MiB') : bytes(value);
}

/** 0 to 1; null where nothing is bounded or nothing is counted. */
export function shareUsed(used: number | null, bound: number | null): number | null {
  if (used === null || bound === null) return null;
  if (bound <= 0) return 1;
  return Math.min(1, used / bound);
}
