// Workers that do not take what they are given: they refuse it, or release it without having been asked
// to. Neither is charged, so no budget would end a circle of offers. Instead the worker pauses for that job,
// longer from offer to offer; other workers may have its tasks meanwhile. One that refuses several jobs in a
// row pauses for all of them: many small jobs would else ask it one after another. A restart begins anew.

import type { AttemptRecord, JobRecord, RefusalPause, Unwilling, WorkerRecord } from './records.ts';
import type { CoreSettings } from './settings.ts';

/** A worker may release so many offers in a row before it pauses: it may only lack the program. */
const freeReleases = 3;

/** A worker that refuses tasks of so many different jobs in a row pauses for all. */
const severalJobs = 3;

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

/** What a worker has refused in a row, this attempt included. */
export function nextUnwilling(
  { refusalPauseMs, maxRefusalPauseMs }: CoreSettings,
  { task, worker, assignedAt }: AttemptRecord,
  reason: string | null,
  at: number,
): Unwilling {
  const { jobs: known, count: countBefore, until: untilBefore } = worker.unwilling ?? untried;
  const { key } = task.job.spec;
  const isKnown = known.includes(key) || known.length === severalJobs;
  const jobs = isKnown ? known : [...known, key];
  if (jobs.length < severalJobs) return { jobs, count: 0, until: at, reason };
  // What it was given before it spoke of another is the same offer.
  const isSame = countBefore > 0 && assignedAt < untilBefore;
  const count = countBefore + (isSame ? 0 : 1);
  const pauseMs = Math.min(maxRefusalPauseMs, refusalPauseMs * 2 ** Math.min(count - 1, 30));
  return { jobs, count, until: Math.max(untilBefore, at + pauseMs), reason };
}

const untried: Unwilling = { jobs: [], count: 0, until: 0, reason: null };

/** Until when the worker is given nothing at all, because it refuses whatever it is offered; 0: it is. */
export function pausesUntil({ unwilling }: WorkerRecord, at: number): number {
  return unwilling !== null && unwilling.count > 0 && unwilling.until > at ? unwilling.until : 0;
}

/** What keeps the worker from tasks of the job now; undefined when nothing does. */
export function findPause(
  { refusals }: JobRecord,
  worker: WorkerRecord,
  at: number,
): RefusalPause | undefined {
  const pause = refusals.get(worker);
  const until = pausesUntil(worker, at);
  if (until > (pause?.until ?? 0)) {
    const { count, reason } = worker.unwilling!;
    return { count, until, outcome: 'refused', reason };
  }
  return pause !== undefined && pause.until > at ? pause : undefined;
}
