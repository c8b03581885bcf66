// An attempt changes hands: its worker drains, leaves or rests. It ends as given back, which costs the task nothing, and
// the next one goes on from the newest checkpoint.

import type { Event } from '../events.ts';
import type { AttemptRecord, WorkerRecord } from '../records.ts';
import type { State } from '../state.ts';
import { failOrRequeue } from './outcome.ts';

/** Whether what the worker saves is the end of the attempt there. */
export function handsOver({ draining, leaving }: WorkerRecord): boolean {
  return draining !== null || leaving;
}

/**
 * An attempt that has not begun, as far as anybody knows. What was not handed out over plain HTTP is taken back
 * at once; a worker on a socket is asked for it, and releases it unless it has begun.
 */
export function takeBack(
  state: State,
  attempt: AttemptRecord,
  because: 'waiting' | 'held' | 'rests',
  at: number,
): Event[] {
  if (attempt.startedAt !== null) return [];
  const isKept = attempt.delivery !== null && attempt.delivery.position >= 0;
  const recalled: Event = { type: 'attempt_recalled', attempt, at };
  return isKept ? [recalled, ...handOver(state, attempt, because, at)] : [recalled];
}

/**
 * - `checkpoint`: its state was saved this moment.
 * - `deadline`: its worker drains, and had time until now.
 * - `left`: its worker has gone.
 * - `rests`: its worker rests, and gave it back or had not fetched it.
 * - `waiting`: its worker drains, and had not fetched it; `held`: nor may it, as its job is held.
 */
type Occasion = 'checkpoint' | 'deadline' | 'left' | 'rests' | 'waiting' | 'held';

/** `progress`: of the checkpoint that is saved with it; by default that of the newest. */
export function handOver(
  state: State,
  attempt: AttemptRecord,
  occasion: Occasion,
  at: number,
  progress = attempt.task.checkpoints.at(-1)?.progress ?? null,
): Event[] {
  // That it has saved its state proves that it runs.
  const startedAt = attempt.startedAt ?? (occasion === 'checkpoint' ? at : null);
  return failOrRequeue(state, {
    attempt,
    outcome: 'released',
    errorType: reasonOf(occasion, startedAt !== null),
    isHandedOver: occasion !== 'left' && occasion !== 'rests',
    errorMessage: sentence(attempt, occasion, progress),
    charge: 'none',
    retryable: true,
    startedAt,
    runMs: null,
    chance: 0,
    at,
  });
}

function reasonOf(occasion: Occasion, hasBegun: boolean): string {
  if (occasion === 'held') return 'job_held';
  if (occasion === 'rests') return 'worker_rests';
  return occasion === 'left' && !hasBegun ? 'worker_left' : 'worker_drained';
}

function sentence(
  { worker, startedAt }: AttemptRecord,
  occasion: Occasion,
  progress: number | null,
): string {
  const name = worker.name ?? worker.id;
  const share = progress === null ? null : `${Math.round(progress * 100)} %`;
  const state = share === null ? 'with nothing saved' : `with its state saved at ${share}`;
  switch (occasion) {
    case 'checkpoint':
      return `Handed over at its checkpoint (${share}), because ${name} ${worker.draining === null ? 'leaves' : 'drains'}.`;
    case 'deadline':
      return `Handed over ${state}, because the time that ${name} had to drain is over.`;
    case 'left':
      return `Given back ${state}, because ${name} left.`;
    case 'rests':
      return `Given back ${startedAt === null ? 'before it began' : state}, because ${name} rests.`;
    case 'held':
      return 'Taken back before it began, because its job is held.';
    case 'waiting':
      return `Taken back before it began, because it waited for ${name}.`;
  }
}
