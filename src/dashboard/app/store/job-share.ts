// How far a job is, as one number that is the same on every page.

import { percent } from '../text/numbers.ts';
import type { JobHead } from './cluster.ts';

type Counted = Pick<JobHead, 'counts' | 'progress' | 'task_count'>;

export function isOpen({ status }: Pick<JobHead, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

/**
 * While something is open, how far all of it is, with what running tasks told of themselves; of a job that has ended
 * the share that completed: what failed or was cancelled is not done.
 */
export function shareOf({ counts, progress, task_count: all }: Counted): number {
  const left = counts.pending + counts.assigned + counts.running;
  // A job is not at an end before its last task is.
  if (left > 0) return Math.min(progress, 0.999);
  return all === 0 ? 1 : counts.completed / all;
}

export function shareDone(job: Counted): string {
  return percent(shareOf(job));
}
