// The stream of events for dashboards, SDK and CLI. Committed events lie in a ring, as small records that
// become text only when they are sent; a listener has a place in the ring, not a queue of its own. A
// listener that falls off the ring, or brings an event id of another life of the coordinator, is told
// `reset` and fetches everything again. While nobody has listened for a while, nothing is kept at all.

import type { ToldAttempt, ToldEvent } from '../../core/told-events.ts';
import type { EventFilter, EventPort, EventsAsked, StreamedEvent } from '../port/events.ts';
import type { CountersFeed } from './counters-feed.ts';
import { isTaskEvent, outputEvent, wireEvent, type WireEvent } from './wire-events.ts';

export interface EventStreamOptions {
  /** Tells lives of the coordinator apart; part of every event id. */
  readonly epoch: string;
  readonly now: () => number;
  /** The same without jumps when the clock is set: for how long nobody has listened. */
  readonly steadyNow: () => number;
  readonly counters: Pick<CountersFeed, 'listen' | 'stop'>;
  /** How long after the last listener left events are still kept. */
  readonly lingerMs?: number;
}

/** Memory for the ring, as `eventBytes` counts it: some 70 000 events without much text. */
const mostBytes = 32 * 1024 * 1024;
/** What is left after a trim. Trimming is rare, because it moves the whole array. */
const trimmedShare = 0.8;
/** Bytes of an event with its fields, without the characters of its texts. */
const bytesOfEvent = 256;
const bytesOfCharacter = 2;
const defaultLingerMs = 60_000;
/** Most events in one chunk for a listener. */
const chunkSize = 200;
/** Most events that are looked at for one chunk. */
const mostLooked = 20_000;
/** Characters after which a chunk ends: the message of an error may be long. */
const chunkCharacters = 64 * 1024;

export class EventStream implements EventPort {
  private readonly options: EventStreamOptions;
  private readonly lingerMs: number;
  private ring: WireEvent[] = [];
  private ringBytes = 0;
  /** Sequence of the oldest event in the ring, and of the next one. */
  private oldest = 1;
  private next = 1;
  private listeners = 0;
  private hasEnded = false;
  private lastHeardAt = -Infinity;
  private waiting: (() => void)[] = [];

  constructor(options: EventStreamOptions) {
    this.options = options;
    this.lingerMs = options.lingerMs ?? defaultLingerMs;
  }

  /** Committed events, in order. */
  publish(events: readonly ToldEvent[]): void {
    if (!this.isKept()) {
      // From now on there is a gap behind every event id that was given out.
      this.forget();
      return;
    }
    for (const event of events) {
      const wire = wireEvent(event);
      if (wire === undefined) continue;
      this.ring.push(wire);
      this.ringBytes += eventBytes(wire);
      this.next++;
      if (wire.type === 'reset') this.forget(wire);
    }
    if (this.ringBytes > mostBytes) this.trim();
    this.wakeAll();
  }

  /** What attempts print; it is told right away, since nothing of it is stored. */
  tellOutput(attempt: ToldAttempt, text: string, leftOut: number, at: number): void {
    if (!this.isKept()) return;
    const event = outputEvent(attempt, text, leftOut, at);
    this.ring.push(event);
    this.ringBytes += eventBytes(event);
    this.next++;
    if (this.ringBytes > mostBytes) this.trim();
    this.wakeAll();
  }

  /** Events could not be told: every listener is told `reset`. */
  skip(): void {
    this.forget();
    this.wakeAll();
  }

  /** The coordinator ends: who listens gets what is left, and comes to the end of the stream. */
  end(): void {
    this.hasEnded = true;
    this.options.counters.stop();
    this.wakeAll();
  }

  async *follow(
    filter: EventFilter,
    { lastEventId, signal, pace = (make) => make() }: EventsAsked,
  ): AsyncGenerator<readonly StreamedEvent[]> {
    this.listeners++;
    // They are never kept, so they come only to who asks for them by name.
    const counters = filter.types?.includes('counters')
      ? this.options.counters.listen(filter, () => this.wakeAll())
      : undefined;
    try {
      const start = this.placeOf(lastEventId);
      let place = start ?? this.next;
      if (start === undefined) yield [this.reset()];
      while (!signal.aborted) {
        const counted = counters?.take();
        if (counted !== undefined) {
          yield [{ id: '', type: 'counters', data: counted }];
          continue;
        }
        if (place === this.next) {
          if (this.hasEnded) return;
          await this.news(signal);
          continue;
        }
        const chunk = await pace(() => Promise.resolve(this.read(place, filter)));
        place = chunk.place;
        if (chunk.events.length > 0) yield chunk.events;
      }
    } finally {
      counters?.leave();
      this.listeners--;
      this.lastHeardAt = this.options.steadyNow();
    }
  }

  private read(
    from: number,
    filter: EventFilter,
  ): { readonly place: number; readonly events: readonly StreamedEvent[] } {
    if (from < this.oldest) return { place: this.next, events: [this.reset()] };
    const events: StreamedEvent[] = [];
    const end = Math.min(this.next, from + mostLooked);
    let place = from;
    let characters = 0;
    while (place < end && events.length < chunkSize && characters < chunkCharacters) {
      const event = this.ring[place - this.oldest]!;
      if (matches(event, filter)) {
        const { data: whole, ownData = whole } = event;
        const data = JSON.stringify(filter.owner === undefined ? whole : ownData);
        events.push({ id: this.id(place), type: event.type, data });
        characters += data.length;
      }
      place++;
    }
    return { place, events };
  }

  /** The place behind the event with this id; undefined when it is not in the ring any more. */
  private placeOf(lastEventId: string | undefined): number | undefined {
    if (lastEventId === undefined) return this.next;
    const prefix = `${this.options.epoch}-`;
    if (!lastEventId.startsWith(prefix)) return undefined;
    const digits = lastEventId.slice(prefix.length);
    if (!/^\d{1,15}$/.test(digits)) return undefined;
    const place = Number(digits) + 1;
    return place >= this.oldest && place <= this.next ? place : undefined;
  }

  private reset(): StreamedEvent {
    const data = JSON.stringify({ type: 'reset', at: new Date(this.options.now()).toISOString() });
    return { id: this.id(this.next - 1), type: 'reset', data };
  }

  private id(sequence: number): string {
    return `${this.options.epoch}-${sequence}`;
  }

  private isKept(): boolean {
    return this.listeners > 0 || this.options.steadyNow() - this.lastHeardAt < this.lingerMs;
  }

  /** Empties the ring, but for the event that is given. */
  private forget(last?: WireEvent): void {
    if (last === undefined) this.next++;
    this.ring = last === undefined ? [] : [last];
    this.ringBytes = last === undefined ? 0 : eventBytes(last);
    this.oldest = this.next - this.ring.length;
  }

  /** Removes the oldest events, even if a listener has not read them yet. */
  private trim(): void {
    let count = 0;
    while (this.ringBytes > mostBytes * trimmedShare) {
      this.ringBytes -= eventBytes(this.ring[count++]!);
    }
    this.ring.splice(0, count);
    this.oldest = this.next - this.ring.length;
  }

  private wakeAll(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const wake of waiting) wake();
  }

  private async news(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.waiting.push(end);
      signal.addEventListener('abort', end);
    });
  }
}

/** What an event takes in memory: an estimate that is rather too large. */
function eventBytes({ data }: WireEvent): number {
  let bytes = bytesOfEvent;
  for (const value of Object.values(data)) {
    if (typeof value === 'string') bytes += bytesOfCharacter * value.length;
  }
  return bytes;
}

function matches(event: WireEvent, { jobId, types, owner }: EventFilter): boolean {
  if (event.type === 'reset') return true;
  if (owner !== undefined && event.owner !== null && event.owner !== owner) return false;
  if (jobId !== undefined && event.jobId !== jobId) return false;
  if (types !== undefined) return types.includes(event.type);
  // Without the filter of a job: events of jobs, workers and the scheduler, not of single tasks.
  return jobId !== undefined || !isTaskEvent(event.type);
}
