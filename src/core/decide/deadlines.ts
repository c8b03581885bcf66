// One deadline that is due becomes events. Invariant: every answer disarms or moves that deadline.

import { leaseOf } from '../lease.ts';
import type { State } from '../state.ts';
import { endWaiting } from './admission.ts';
import type { Decision } from './decision.ts';
import { endDrain } from './drain.ts';
import { failOrRequeue } from './outcome.ts';
import { loseUnnamed, loseWorker } from './workers.ts';

export function decideExpire(state: State, at: number, chance: number): Decision {
  const due = state.deadlines.findDue(at);
  if (due === undefined) return { events: [] };
  switch (due.kind) {
    case 'away':
      return {
        events: [{ type: 'worker_deregistered', worker: due.worker, because: 'away', at }],
      };
    case 'retention':
      return { events: [{ type: 'retention_due', at }] };
    case 'retry':
      return { events: [{ type: 'task_due', task: due.task, at }] };
    case 'probe':
      return { events: [{ type: 'worker_probed', worker: due.worker, at }] };
    case 'drain':
      return endDrain(state, due.worker, at);
    case 'admission':
      return endWaiting(due.worker, at);
    case 'grace':
      return loseWorker(state, due.worker, 'connection_lost', at);
    case 'lease': {
      const isAlive = due.worker.lastSeenAt + leaseOf(state, due.worker) > at;
      if (isAlive) return { events: [{ type: 'lease_renewed', worker: due.worker, at }] };
      return loseWorker(state, due.worker, 'worker_lost', at);
    }
    case 'delivery': {
      const { attempt } = due;
      const { worker } = attempt;
      return {
        events: [
          { type: 'attempt_withdrawn', attempt, at },
          { type: 'task_requeued', task: attempt.task, notBefore: 0, at },
          { type: 'worker_slept', worker, at },
        ],
      };
    }
    case 'naming':
      return loseUnnamed(state, due.attempt, at);
    case 'progress_timeout':
    case 'attempt_timeout':
      return {
        events: failOrRequeue(state, {
          attempt: due.attempt,
          outcome: 'timed_out',
          errorType: due.kind,
          errorMessage: lateness[due.kind],
          charge: 'timeout',
          retryable: true,
          runMs: null,
          chance,
          at,
        }),
      };
  }
}

const lateness = {
  attempt_timeout: 'The attempt passed its time limit without a report.',
  progress_timeout: 'The attempt reported no progress for longer than its job allows.',
} as const;
