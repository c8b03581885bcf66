import type { Event } from '../events.ts';
import type { JobRecord } from '../records.ts';
import type { JobEnd } from '../notifications.ts';
import type { State } from '../state.ts';

/** One for each target that wants to hear of this end, due at once. */
export function owedFor(state: State, job: JobRecord, at: number): Event[] {
  const { spec, counts, startedAt } = job;
  const status = job.status as JobEnd;
  const { completed, failed, cancelled } = counts;
  const owed: Event[] = [];
  for (const [target, { host, on }] of (spec.notify ?? []).entries()) {
    if (!on.includes(status)) continue;
    const notification = {
      id: state.nextNotificationId + owed.length,
      jobKey: spec.key,
      jobId: spec.id,
      target,
      host,
      status,
      completed,
      failed,
      cancelled,
      startedAt,
      endedAt: at,
      attempts: 0,
      outcome: 'due',
      nextAt: at,
      answer: null,
      triedAt: null,
    } as const;
    owed.push({ type: 'notification_owed', notification, at });
  }
  return owed;
}
