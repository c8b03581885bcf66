// Feeds the ring of attempts that are over from what is told after commits.

import type { OverAttempt, ToldAs, ToldEvent } from '../../core/told-events.ts';
import type { AttemptRing, OverStatus } from './attempt-ring.ts';

export class EndedAttempts {
  readonly ring: AttemptRing;

  constructor(ring: AttemptRing) {
    this.ring = ring;
  }

  observe(events: readonly ToldEvent[]): void {
    for (const event of events) {
      switch (event.type) {
        case 'task_completed':
          this.#addCompleted(event);
          break;
        case 'attempt_ended':
          this.#addEnded(event);
          break;
        case 'job_deleted':
          this.ring.forgetJob(event.job.spec.id);
          break;
        case 'database_cleared':
          this.ring.clear(event.at);
          break;
        default:
          break;
      }
    }
  }

  #addCompleted(event: ToldAs<'task_completed'>): void {
    const { finished, startedAt, at } = event;
    if (finished === null) return this.#addLate(event);
    this.#add(finished, { status: 'completed', errorType: null, startedAt, at });
  }

  /** The attempt had been given up: what was told of its end is true no more. */
  #addLate({ task, attempt, workerId, startedAt, runMs, at }: ToldAs<'task_completed'>): void {
    const { id, owner } = task.job.spec;
    const before = this.ring.take(id, task.index, attempt);
    const began = before?.startedAt ?? startedAt ?? at - runMs;
    this.ring.add({
      job: { id, owner },
      index: task.index,
      attempt,
      workerId,
      slot: before?.slot ?? null,
      status: 'completed',
      assignedAt: before?.assignedAt ?? began,
      startedAt: began,
      endedAt: at,
      progress: 1,
      resumedFrom: before?.resumedFrom ?? null,
      checkpoints: before?.checkpoints ?? 0,
      errorType: null,
    });
  }

  #addEnded({ attempt, outcome, errorType, startedAt, at }: ToldAs<'attempt_ended'>): void {
    // It goes on under the same number, as if it had not been given out.
    if (outcome === 'withdrawn') return;
    this.#add(attempt, { status: outcome, errorType, startedAt, at });
  }

  #add(
    over: OverAttempt,
    end: {
      readonly status: OverStatus;
      readonly errorType: string | null;
      readonly startedAt: number | null;
      readonly at: number;
    },
  ): void {
    const { task, attempt, worker, slot, assignedAt, progress, resumedFrom, checkpoints } = over;
    this.ring.add({
      job: task.job.spec,
      index: task.index,
      attempt,
      workerId: worker.id,
      slot,
      status: end.status,
      assignedAt,
      startedAt: end.startedAt,
      endedAt: end.at,
      progress: end.status === 'completed' ? 1 : progress,
      resumedFrom,
      checkpoints,
      errorType: end.errorType,
    });
  }
}
