// Final reports (result, failure, refusal) until the coordinator has made them durable. Nothing else
// needs an outbox: what else is lost with a connection is made good by the list in `hello`.

import type { AttemptKey } from '../executor.ts';
import type { LocalAttempt, Report } from './attempt.ts';
import type { Outgoing } from './outgoing.ts';

export class Outbox {
  /** Invariant: ordered by the time of the last sending. */
  private readonly reported = new Map<AttemptKey, LocalAttempt>();

  get size(): number {
    return this.reported.size;
  }

  has(attempt: LocalAttempt): boolean {
    return this.reported.get(attempt.key) === attempt;
  }

  /** Keeps the report and sends it at once when there is a connection. */
  put(attempt: LocalAttempt, report: Report, out: Outgoing, nowMs: number): void {
    this.reported.delete(attempt.key);
    this.reported.set(attempt.key, attempt);
    attempt.place = { at: 'reported', report, sentAtMs: out.isOpen ? nowMs : -Infinity };
    out.report(report);
  }

  remove(attempt: LocalAttempt): void {
    this.reported.delete(attempt.key);
  }

  /** All that were sent before `sentBeforeMs`: after a reconnect, or when no answer came in a lease. */
  resend(sentBeforeMs: number, out: Outgoing, nowMs: number): void {
    const overdue: LocalAttempt[] = [];
    for (const attempt of this.reported.values()) {
      if (attempt.place.at !== 'reported' || attempt.place.sentAtMs >= sentBeforeMs) break;
      overdue.push(attempt);
    }
    for (const attempt of overdue) {
      if (attempt.place.at === 'reported') this.put(attempt, attempt.place.report, out, nowMs);
    }
  }
}
