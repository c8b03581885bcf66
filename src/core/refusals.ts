// Workers that do not take what they are given: they refuse it, or release it without having been asked
// to. Neither is charged, so no budget would end a circle of offers. Instead the worker pauses for that job,
// longer from offer to offer; other workers may have its tasks meanwhile. A restart begins anew.

import type { AttemptRecord, JobRecord, RefusalPause, WorkerRecord } from './records.ts';
import type { CoreSettings } from './settings.ts';

/** A worker may release so many offers in a row before it pauses: it may only lack the program. */
const freeReleases = 3;

/** The pause of a worker from now on, because it did not take the attempt. */
export function nextPause(
  { refusalPauseMs, maxRefusalPauseMs }: CoreSettings,
  { task: { job }, worker, assignedAt }: AttemptRecord,
  { outcome, reason }: Pick<RefusalPause, 'outcome' | 'reason'>,
  at: number,
): RefusalPause {
  const before = job.refusals.get(worker);
  const since = before?.until ?? at;
  // What it was given before it spoke of another is the same offer.
  const isSame = before !== undefined && assignedAt < since;
  const count = (before?.count ?? 0) + (isSame ? 0 : 1);
  const doublings = count - 1 - (outcome === 'released' ? freeReleases : 0);
  if (doublings < 0) return { count, until: Math.max(since, at), outcome, reason };
  const firstMs = Math.max(refusalPauseMs, job.spec.retryDelayMs);
  const longestMs = Math.max(maxRefusalPauseMs, firstMs);
  const pauseMs = Math.min(longestMs, firstMs * 2 ** Math.min(doublings, 30));
  return { count, until: Math.max(since, at + pauseMs), outcome, reason };
}

/** What keeps the worker from tasks of the job now; undefined when nothing does. */
export function findPause(
  { refusals }: JobRecord,
  worker: WorkerRecord,
  at: number,
): RefusalPause | undefined {
  const pause = refusals.get(worker);
  return pause !== undefined && pause.until > at ? pause : undefined;
}
