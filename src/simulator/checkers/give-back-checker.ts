// Checks who pays for an attempt that its worker does not finish: nobody for one that it gives back, however far it
// has come, and which never ends as lost after that; and its task for one that had begun and that a `hello` does not
// name, because the worker has crashed. What workers say is recorded where it is read, so that the coordinator's own
// state does not prove itself.

import type { ToldAs, ToldEvent } from '../../core/told-events.ts';
import { taskId } from '../../core/task-key.ts';
import type { HelloMessage, ReleaseMessage } from '../../protocol/messages.ts';
import { BrokenPromise } from '../broken-promise.ts';
import type { AttemptChecker } from './attempt-checker.ts';

export class GiveBackChecker {
  private readonly attempts: AttemptChecker;
  /** By token: not named in the newest `hello` of their worker. */
  private readonly unnamed = new Set<string>();
  private readonly begun = new Set<string>();
  /** Who has given them back, by token; that was read. */
  private readonly released = new Map<string, string>();

  constructor(attempts: AttemptChecker) {
    this.attempts = attempts;
  }

  /** A `hello` is about to be read. It is answered by what the events tell, if it is taken. */
  greeted({ worker_id: workerId, attempts }: HelloMessage): void {
    if (workerId === undefined) return;
    const named = new Set(attempts.map(({ token }) => token));
    for (const { workerId: holder, token } of this.attempts.all()) {
      if (holder === workerId && !named.has(token)) this.unnamed.add(token);
    }
  }

  /** A `release` is about to be read. */
  release(workerId: string, { releases }: ReleaseMessage): void {
    for (const { task_id: id, attempt, token } of releases) {
      // Whoever names another number with a token gives back nothing.
      const isHeld = this.attempts
        .liveOf(id)
        .some(
          (live) => live.token === token && live.attempt === attempt && live.workerId === workerId,
        );
      if (isHeld) this.released.set(token, workerId);
    }
  }

  /** What the worker has said last was dropped, and a page that is closed says nothing again. */
  undecided(workerId: string): void {
    for (const [token, by] of this.released) if (by === workerId) this.released.delete(token);
  }

  /** Called with committed events, in order. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'attempt_started':
        this.begun.add(event.attempt.token);
        return;
      case 'attempt_ended':
        this.ended(event);
        return this.forget(event.attempt.token);
      case 'attempt_withdrawn':
        return this.forget(event.attempt.token);
      case 'task_completed':
        return this.forget(event.token);
      case 'database_cleared':
        return this.resume();
      default:
        return;
    }
  }

  /** After a crash nothing is known of what was said. */
  resume(): void {
    this.unnamed.clear();
    this.begun.clear();
    this.released.clear();
  }

  private ended({ attempt, outcome, errorType, charge }: ToldAs<'attempt_ended'>): void {
    const { token, task, attempt: number } = attempt;
    const name = `${taskId(task.job.spec.id, task.index)} #${number}`;
    if (outcome === 'released' && charge !== 'none') {
      throw new BrokenPromise(`Attempt ${name} was given back, and is charged as ${charge}.`);
    }
    if (outcome === 'lost' && this.released.has(token)) {
      throw new BrokenPromise(`Attempt ${name} was given back, and ends as lost.`);
    }
    // Its worker does not hold it any more. One that is silent for too long loses what it holds in any case.
    if (errorType !== 'connection_lost') return;
    if (this.unnamed.has(token) && this.begun.has(token) && charge !== 'loss') {
      throw new BrokenPromise(`Attempt ${name} had begun and was dropped, and nobody is charged.`);
    }
  }

  private forget(token: string): void {
    this.unnamed.delete(token);
    this.begun.delete(token);
    this.released.delete(token);
  }
}
