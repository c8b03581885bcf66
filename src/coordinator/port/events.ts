// Committed events, as a stream that can be resumed.

import type { Pace } from './reads.ts';

export interface EventPort {
  /**
   * Events from now on, or from behind `lastEventId`. When that is too old (or of another life of
   * the coordinator) the first event has the type `reset`: the reader fetches everything again.
   */
  follow(filter: EventFilter, options: EventsAsked): AsyncIterable<readonly StreamedEvent[]>;
}

export interface EventsAsked {
  readonly lastEventId?: string;
  readonly signal: AbortSignal;
  readonly pace?: Pace;
}

export interface EventFilter {
  readonly jobId?: string;
  readonly types?: readonly string[];
  /** No events of the jobs of others. */
  readonly owner?: string;
}

/** One event of the stream; `data` is JSON text. */
export interface StreamedEvent {
  /**
   * Opaque; given back as `lastEventId` to resume behind this event. Empty: the event has no place, nothing is
   * resumed behind it.
   */
  readonly id: string;
  readonly type: string;
  readonly data: string;
}
