// Executes one command: decides it, applies its events, and then the events that follow from these (a
// job whose last task ended is finished, and who asked for it is to be told).

import { apply } from './apply/apply.ts';
import { needsFinish } from './apply/jobs.ts';
import type { Command } from './commands.ts';
import { owedFor } from './create/notification.ts';
import { decide } from './decide/decide.ts';
import type { Accepted } from './decide/decision.ts';
import type { Event } from './events.ts';
import type { JobRecord } from './records.ts';
import type { Rejection } from './rejection.ts';
import type { State } from './state.ts';
import { tell, type ToldEvent } from './told-events.ts';

export interface Executed {
  /** Undefined when the command was accepted; a refused one has no events. */
  readonly rejection: Rejection | undefined;
  readonly events: readonly ToldEvent[];
  readonly stop: Accepted['stop'];
}

const none: readonly ToldEvent[] = [];

/** An event was applied in part: this state may no longer be decided on, nor be written. */
export class TornState extends Error {
  override readonly name = 'TornState';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Throws a `TornState` when applying fails; whatever else it throws has changed nothing. */
export function execute(state: State, command: Command): Executed {
  const decision = decide(state, command);
  const { rejection } = decision;
  if (rejection !== undefined) return { rejection, events: none, stop: undefined };
  const { events, stop } = decision;
  try {
    const finished = applyAll(state, events);
    const all = finished === undefined ? events : [...events, ...finished];
    return { rejection, events: tell(all), stop };
  } catch (error) {
    throw new TornState(error as Error);
  }
}

/** The ends of jobs that follow from the events, undefined when there are none. */
function applyAll(state: State, events: readonly Event[]): Event[] | undefined {
  let finished: Event[] | undefined;
  for (const event of events) apply(state, event);
  for (const event of events) {
    const job = jobOf(event);
    if (job === undefined || !needsFinish(job)) continue;
    const { status, counts, smoothedTaskMs } = job;
    const { completed, failed, cancelled } = counts;
    const { at } = event;
    const ended = { status, completed, failed, cancelled, smoothedTaskMs };
    const end: Event = { type: 'job_finished', job, ...ended, at };
    apply(state, end);
    (finished ??= []).push(end);
    if (job.spec.notify === null) continue;
    for (const owed of owedFor(state, job, at)) {
      apply(state, owed);
      finished.push(owed);
    }
  }
  return finished;
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
