// Who is told of the end of a job, and what came of it, in a line each.

import type { JobHead, JobNotification } from '../../client/index.ts';
import { ahead, counted, duration } from './wording.ts';

type Fact = readonly [string, string];

/** While the job goes on: who will be told. Afterwards: who was, or was not. */
export function toldFacts(
  { notify = [], completed_at }: JobHead,
  notifications: readonly JobNotification[],
  nowMs: number,
): readonly Fact[] {
  if (completed_at === null) {
    return notify.map(({ url, on }): Fact => ['will tell', `${url} when it is ${on.join(', ')}`]);
  }
  // Those of an earlier end follow, when it was retried.
  return notifications.map((each): Fact => ['told', `${each.url}: ${stateOf(each, nowMs)}`]);
}

function stateOf(notification: JobNotification, nowMs: number): string {
  const { state, status, attempts, last_answer: answer } = notification;
  const tries = counted(attempts, 'attempt');
  switch (state) {
    case 'delivered': {
      const { last_attempt_at: at, ended_at: ended } = notification;
      return `${status}, delivered ${duration(Date.parse(at ?? ended) - Date.parse(ended))} after its end`;
    }
    case 'given_up':
      return `given up after ${tries}, last answer: ${answer}`;
    case 'due': {
      const { next_attempt_at: next } = notification;
      if (attempts === 0) return 'not yet';
      const soon = next === null ? '' : `, next ${ahead(next, nowMs)}`;
      return `not yet: ${tries}, last answer: ${answer}${soon}`;
    }
  }
}
