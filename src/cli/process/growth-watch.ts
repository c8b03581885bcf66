// Tells the log, at the start and once a day, how long the disk lasts; as a warning when that is not long.

import type { Logger } from 'pino';
import { diskOutlook } from '../doctor/check-growth.ts';

const DAY_MS = 86_400_000;

/** Returns what ends it. */
export function watchGrowth(path: string, log: Pick<Logger, 'info' | 'warn'>): () => void {
  const look = () => {
    const outlook = diskOutlook(path);
    if (outlook === undefined) return;
    if (outlook.isShort) log.warn(`${outlook.sentence}. --keep-days lets old jobs go.`);
    else log.info(outlook.sentence);
  };
  look();
  const timer = setInterval(look, DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
