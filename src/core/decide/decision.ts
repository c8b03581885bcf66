import type { NamedAttempt } from '../commands.ts';
import type { Event } from '../events.ts';
import type { Rejection } from '../rejection.ts';

/** What the core makes of a command: the events that follow from it, or why there are none. */
export type Decision = Accepted | { readonly rejection: Rejection };

export interface Accepted {
  readonly rejection?: undefined;
  readonly events: readonly Event[];
  /** Attempts that a worker named and should stop; only in answer to `hello` and heartbeats. */
  readonly stop?: readonly (NamedAttempt & { readonly reason: string })[];
}
