// Tells the log, a minute after the start and once a day, how long the disk lasts; as a warning when that is
// not long.

import type { Logger } from 'pino';
import { diskOutlook } from '../doctor/check-growth.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = 60_000;

/** Returns what ends it. */
export function watchGrowth(path: string, log: Pick<Logger, 'info' | 'warn'>): () => void {
  const look = () => {
    const outlook = diskOutlook(path);
    if (outlook === undefined) return;
    const advice = outlook.isFull
      ? 'Make room elsewhere on the disk.'
      : '--keep-days lets old jobs go.';
    if (outlook.isShort) log.warn(`${outlook.sentence}. ${advice}`);
    else log.info(outlook.sentence);
  };
  const first = setTimeout(look, FIRST_MS).unref();
  const timer = setInterval(look, DAY_MS).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}
