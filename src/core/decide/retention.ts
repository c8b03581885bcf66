// Which jobs have been kept for long enough. Most of them are in the store only: whoever asks brings those
// that may be, read for this very batch.

import type { ExpireJobs } from '../commands.ts';
import type { Event } from '../events.ts';
import type { JobRecord } from '../records.ts';
import { expiryOf, surplusOf } from '../retention.ts';
import type { State } from '../state.ts';
import type { Decision } from './decision.ts';

export function decideExpireJobs(state: State, { candidates, at }: ExpireJobs): Decision {
  const { settings } = state;
  const there = candidates.flatMap((job) => asItIs(state, job) ?? []).sort(byEnd);
  const isHeld = at < state.expiriesHeldUntil;
  const isOver = (job: JobRecord) => !isHeld && expiryOf(settings, job) <= at;
  const over = there.filter(isOver);
  const rest = there.filter((job) => !isOver(job));
  const gone = [...over, ...rest.splice(0, Math.max(0, surplusOf(state) - over.length))];
  const events = gone.map((job): Event => ({ type: 'job_deleted', job, because: 'expired', at }));
  const lookAt = nextLook(state, rest, at, gone.length > 0 || there.length < candidates.length);
  return { events: [...events, { type: 'retention_planned', lookAt, at }] };
}

/** Of what was read, and of what has ended in this batch. More may wait behind what goes now. */
function nextLook(
  { jobs, settings, expiriesHeldUntil }: State,
  rest: readonly JobRecord[],
  at: number,
  isUnfinished: boolean,
): number {
  const soon = at + settings.retentionPauseMs;
  if (isUnfinished) return soon;
  let next = Infinity;
  for (const job of rest) next = Math.min(next, expiryOf(settings, job));
  for (const job of jobs.values()) next = Math.min(next, expiryOf(settings, job));
  return Math.max(soon, next, expiriesHeldUntil);
}

/** Earlier in this batch it may have been deleted, cleared away or retried. */
function asItIs(state: State, read: JobRecord): JobRecord | undefined {
  const { key, id, generation } = read.spec;
  if (generation !== state.generation) return undefined;
  if (state.dirty.deleted.some(({ spec }) => spec.key === key)) return undefined;
  const job = state.jobs.get(id) ?? read;
  return job.completedAt === null ? undefined : job;
}

function byEnd(one: JobRecord, other: JobRecord): number {
  return one.completedAt! - other.completedAt! || one.spec.key - other.spec.key;
}
