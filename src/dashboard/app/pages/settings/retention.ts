// How long jobs are kept, as those that have ended tell: no setting is told by the interface.

import type { JobHead } from '../../store/cluster.ts';
import { wholeDuration } from '../../text/times.ts';

/** Jobs that have ended, newest first. Of one that has a time of its own nothing follows for others. */
export function retentionSentence(
  jobs: readonly Pick<JobHead, 'completed_at' | 'expires_at' | 'options'>[],
): string {
  const ended = jobs.find(
    (job) => job.completed_at !== null && job.options?.retain_seconds === undefined,
  );
  if (ended === undefined) {
    return 'No job that has ended tells how long it is kept.';
  }
  const { completed_at: from, expires_at: to } = ended;
  if (to === null || from === null) return 'Jobs are kept for good after their end.';
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return `Jobs are kept for ${wholeDuration(seconds)} after their end, then they are removed with their results.`;
}
