// Somebody who watches the stream of events, loses the line now and then, and comes back with the id
// of the last one it has. Nothing may be told that was not committed, and nothing may be skipped
// without a `reset`.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { StreamedEvent } from '../../coordinator/port/events.ts';
import { eventTypes, wireEvent } from '../../coordinator/streams/wire-events.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { BrokenPromise } from '../broken-promise.ts';

const types = Object.keys(eventTypes);

/** So long after its last listener the stream is kept, within a moment. */
const lingerMs = 60_000 - 10;

export interface ListenerOptions {
  /** Whether the coordinator is the one that lives. */
  readonly isCurrent: (coordinator: RunningCoordinator) => boolean;
  readonly now: () => number;
  readonly onBug: (error: Error) => void;
  readonly onReset: () => void;
  readonly onHeard: () => void;
}

export class Listener {
  private readonly options: ListenerOptions;
  /** Types of what was committed in this life of the coordinator. */
  private happened: string[] = [];
  /** In `happened`: what it must be told next. */
  private position = 0;
  /** What lies between the number in an id and the place in `happened`; null before the first. */
  private offset: number | null = null;
  private lastEventId: string | undefined;
  private isNewLife = true;
  private line: AbortController | null = null;
  private leftAt = -Infinity;

  constructor(options: ListenerOptions) {
    this.options = options;
  }

  /** Committed events, in order. */
  observe(events: readonly ToldEvent[]): void {
    for (const event of events) {
      const wire = wireEvent(event);
      if (wire !== undefined) this.happened.push(wire.type);
    }
  }

  /** A new coordinator: ids of the one before mean nothing to it. */
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

  /** At the end: it was told everything. */
  verify(): void {
    const missing = this.happened.length - this.position;
    if (this.line === null || this.offset === null || missing === 0) return;
    throw new BrokenPromise(`The stream of events is ${missing} behind.`);
  }

  private async follow(coordinator: RunningCoordinator, signal: AbortSignal): Promise<void> {
    const { lastEventId } = this;
    // The stream takes its place when it is asked for the first time, which is at once.
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
    // Cleared before the first event: which of the two resets it is cannot be told.
    const wasCleared = this.happened.slice(place).includes('reset');
    if (event.type === 'reset' && wasCleared) {
      this.lastEventId = undefined;
      return this.hangUp();
    }
    if (this.lastEventId === undefined) this.hear(event);
    else this.reset(event, place);
  }

  /** Cleared meanwhile, or away for longer than the stream is kept. */
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
