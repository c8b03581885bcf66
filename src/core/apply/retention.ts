// When jobs are looked for that were kept for long enough.

import type { JobRecord } from '../records.ts';
import { expiryOf, surplusOf } from '../retention.ts';
import type { State } from '../state.ts';

/** Somebody looks now. If nobody can, it is due again. */
export function applyRetentionDue({ deadlines, retention, settings }: State, at: number): void {
  deadlines.arm(retention, at + settings.retentionRetryMs);
}

export function applyRetentionPlanned({ deadlines, retention }: State, lookAt: number): void {
  if (lookAt === Infinity) deadlines.disarm(retention);
  else deadlines.arm(retention, lookAt);
}

/** A job has ended: it will have been kept for long enough, or there is one too many. */
export function expectExpiry(state: State, job: JobRecord, at: number): void {
  const { deadlines, retention, settings } = state;
  const isCrowded = surplusOf(state) > 0;
  const lookAt = isCrowded ? at + settings.retentionPauseMs : expiryOf(settings, job);
  const isEarlier = retention.position < 0 || lookAt < retention.at;
  if (lookAt < Infinity && isEarlier) deadlines.arm(retention, lookAt);
}
