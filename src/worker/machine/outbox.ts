// Keeps final reports (result, failure, refusal) until the coordinator has made them durable. No
// other message needs an outbox: the list in `hello` makes good what else is lost with a
// connection.

import type { AttemptKey } from '../executor.ts';
import type { LocalAttempt, Report } from './local-attempt.ts';
import type { Outgoing } from './outgoing.ts';

export class Outbox {
  /** Invariant: ordered by the time of the last sending. */
  readonly #reported = new Map<AttemptKey, LocalAttempt>();

  get size(): number {
    return this.#reported.size;
  }

  has(attempt: LocalAttempt): boolean {
    return this.#reported.get(attempt.key) === attempt;
  }

  /** Keeps the report and sends it at once when there is a connection. */
  put(attempt: LocalAttempt, report: Report, out: Outgoing, nowMs: number): void {
    this.#reported.delete(attempt.key);
    this.#reported.set(attempt.key, attempt);
    attempt.place = { at: 'reported', report, sentAtMs: out.isOpen ? nowMs : -Infinity };
    out.report(report);
  }

  remove(attempt: LocalAttempt): void {
    this.#reported.delete(attempt.key);
  }

  /**
   * Sends again all reports sent before then: after a reconnect, or when no answer came for a
   * lease.
   */
  resend(sentBeforeMs: number, out: Outgoing, nowMs: number): void {
    const overdue: LocalAttempt[] = [];
    for (const attempt of this.#reported.values()) {
      if (attempt.place.at !== 'reported' || attempt.place.sentAtMs >= sentBeforeMs) break;
      overdue.push(attempt);
    }
    for (const attempt of overdue) {
      if (attempt.place.at === 'reported') this.put(attempt, attempt.place.report, out, nowMs);
    }
  }
}
