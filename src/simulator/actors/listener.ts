// A listener follows the stream of events, loses its connection now and then, and comes back with
// the id of the last event that it has. No event may come that was not committed, and none may be
// missing without a `reset`.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { StreamedEvent } from '../../coordinator/port/events.ts';
import { eventTypes, wireEvent } from '../../coordinator/streams/wire-events.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { BrokenPromise } from '../broken-promise.ts';

/** All that have a place in the stream. */
const types = Object.keys(eventTypes).filter((type) => type !== 'counters');

/** The coordinator keeps the stream for so long after its last listener has left. */
const lingerMs = 60_000 - 10;

export interface ListenerOptions {
  /** Whether this coordinator is the one that runs now. */
  readonly isCurrent: (coordinator: RunningCoordinator) => boolean;
  readonly now: () => number;
  readonly onBug: (error: Error) => void;
  readonly onReset: () => void;
  readonly onHeard: () => void;
}

export class Listener {
  private readonly options: ListenerOptions;
  /** Types of the events that were committed in this life of the coordinator. */
  private happened: string[] = [];
  /** Index in `happened` of the event that must come next. */
  private position = 0;
  /** Difference between the number in an id and the index in `happened`; null before the first event. */
  private offset: number | null = null;
  private lastEventId: string | undefined;
  private isNewLife = true;
  private line: AbortController | null = null;
  private leftAt = -Infinity;

  constructor(options: ListenerOptions) {
    this.options = options;
  }

  /** Called with committed events, in order. */
  observe(events: readonly ToldEvent[]): void {
    for (const event of events) {
      const wire = wireEvent(event);
      if (wire !== undefined) this.happened.push(wire.type);
    }
  }

  /** A new coordinator has started: it does not know the ids of the one before. */
  beginLife(): void {
    this.hangUp();
    this.happened = [];
    this.isNewLife = true;
  }

  connect(coordinator: RunningCoordinator): void {
    if (this.line !== null) return;
    this.line = new AbortController();
    this.follow(coordinator, this.line.signal).catch((error: unknown) => {
      this.options.onBug(error as Error);
    });
  }

  hangUp(): void {
    if (this.line !== null) this.leftAt = this.options.now();
    this.line?.abort();
    this.line = null;
  }

  /** At the end: every event must have come. */
  verify(): void {
    const missing = this.happened.length - this.position;
    if (this.line === null || this.offset === null || missing === 0) return;
    throw new BrokenPromise(`The stream of events is ${missing} behind.`);
  }

  private async follow(coordinator: RunningCoordinator, signal: AbortSignal): Promise<void> {
    const { lastEventId } = this;
    // The stream gets its position when its first event is requested, which happens at once.
    const place = this.happened.length;
    let isFirst = true;
    const how = lastEventId === undefined ? { signal } : { signal, lastEventId };
    for await (const chunk of coordinator.events.follow({ types }, how)) {
      for (const event of chunk) {
        if (signal.aborted || !this.options.isCurrent(coordinator)) return;
        if (isFirst) this.begin(event, place);
        else this.hear(event);
        isFirst = false;
      }
    }
  }

  private begin(event: StreamedEvent, place: number): void {
    const isKnown = this.lastEventId !== undefined && !this.isNewLife;
    if (isKnown && this.offset !== null) {
      const isNext = numberOf(event) - this.offset === this.position;
      const isReset = event.type === 'reset';
      if (isNext && (!isReset || this.happened[this.position] === 'reset')) return this.hear(event);
      if (isReset) this.expectReason(event);
    }
    if (this.lastEventId !== undefined && event.type !== 'reset') {
      throw new BrokenPromise(`The stream goes on with ${event.id} after ${this.lastEventId}.`);
    }
    this.isNewLife = false;
    this.position = place;
    this.offset = null;
    // The database was cleared before the first event: the two possible resets look the same.
    const wasCleared = this.happened.slice(place).includes('reset');
    if (event.type === 'reset' && wasCleared) {
      this.lastEventId = undefined;
      return this.hangUp();
    }
    if (this.lastEventId === undefined) this.hear(event);
    else this.reset(event, place);
  }

  /** A reset needs a reason: the database was cleared, or the listener was away for too long. */
  private expectReason(event: StreamedEvent): void {
    if (this.happened.slice(this.position).includes('reset')) return;
    if (this.options.now() - this.leftAt >= lingerMs) return;
    throw new BrokenPromise(`The stream is reset at ${event.id} without a reason.`);
  }

  private hear(event: StreamedEvent): void {
    const index = this.offset === null ? this.position : numberOf(event) - this.offset;
    const right = this.happened[this.position];
    if (event.type === 'reset' && (right !== 'reset' || index !== this.position)) {
      const wasCleared = this.happened.slice(this.position, index + 1).includes('reset');
      if (!wasCleared)
        throw new BrokenPromise(`The stream is reset at ${event.id} without a reason.`);
      return this.reset(event, index + 1);
    }
    if (event.type !== right || index !== this.position) {
      throw new BrokenPromise(
        `The stream tells ${event.type} at ${index}; at ${this.position} was ${right ?? 'nothing yet'}.`,
      );
    }
    this.options.onHeard();
    this.isNewLife = false;
    this.offset = numberOf(event) - this.position;
    this.position++;
    this.lastEventId = event.id;
  }

  private reset(event: StreamedEvent, position: number): void {
    this.options.onReset();
    this.position = position;
    this.offset = numberOf(event) - position + 1;
    this.lastEventId = event.id;
  }
}

function numberOf({ id }: StreamedEvent): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}
