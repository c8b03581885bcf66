// Which open jobs nobody could go on with, when these devices take nothing new.

import type { JobHead, Worker } from '../../store/cluster.ts';
import { isOpen } from '../../store/job-share.ts';
import { meets } from '../../store/meets.ts';
import { takesTasks } from '../../store/presence.ts';
import { counted, listedFirst, nameOf } from '../../text/words.ts';

export function jobsLeftAlone(
  drained: readonly Worker[],
  all: readonly Worker[],
  jobs: readonly JobHead[],
): readonly JobHead[] {
  const those = new Set(drained.map(({ id }) => id));
  const able = all.filter(takesTasks);
  return jobs.filter((job) => {
    if (!isOpen(job) || job.counts.pending === 0) return false;
    const fitting = able.filter((worker) => meets(worker, job.options?.requirements));
    return fitting.length > 0 && fitting.every(({ id }) => those.has(id));
  });
}

/** `No other device may run embed-corpus now: its 282 tasks wait …` */
export function aloneSentence(jobs: readonly JobHead[]): string {
  const tasks = jobs.reduce((sum, { counts }) => sum + counts.pending, 0);
  return `No other device may run ${listedFirst(jobs.map(nameOf))} now: ${counted(tasks, 'task waits', 'tasks wait')} until one that may is here.`;
}
