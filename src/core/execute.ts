// One command, whole: decided, applied, and what follows of itself (a job whose last task ended is
// finished) applied too.

import { apply } from './apply/apply.ts';
import { needsFinish } from './apply/jobs.ts';
import type { Command } from './commands.ts';
import { decide, type Accepted } from './decide/decide.ts';
import type { Event } from './events.ts';
import type { JobRecord } from './records.ts';
import type { Rejection } from './rejection.ts';
import type { State } from './state.ts';

export type Executed =
  | { readonly rejection: Rejection; readonly events: readonly Event[]; readonly stop?: undefined }
  | Accepted;

const none: readonly Event[] = [];

export function execute(state: State, command: Command): Executed {
  const decision = decide(state, command);
  if (decision.rejection !== undefined) return { rejection: decision.rejection, events: none };
  let finished: Event[] | undefined;
  for (const event of decision.events) apply(state, event);
  for (const event of decision.events) {
    const job = jobOf(event);
    if (job === undefined || !needsFinish(job)) continue;
    const end: Event = { type: 'job_finished', job, at: event.at };
    apply(state, end);
    (finished ??= []).push(end);
  }
  return finished === undefined
    ? decision
    : { ...decision, events: [...decision.events, ...finished] };
}

/** The job whose tasks the event may have ended. */
function jobOf(event: Event): JobRecord | undefined {
  switch (event.type) {
    case 'task_completed':
    case 'task_failed':
      return event.task.job;
    case 'job_cancelled':
    case 'job_abandoned':
      return event.job;
    default:
      return undefined;
  }
}
