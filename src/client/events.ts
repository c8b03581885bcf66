// The event stream of the coordinator. When the connection breaks, the stream goes on after the last
// event that came. Where that is impossible it gives a `reset`: the events in between are lost, and a
// program that keeps a state from events has to fetch that state again.

import type { eventSchemas } from '../protocol/schemas/events.ts';
import { ConnectionError, type MusterError } from './errors.ts';
import { Patience } from './patience.ts';
import { type Endpoint, requestText } from './request.ts';
import { type EventBlock, eventBlocks } from './sse.ts';
import { STREAM_PATIENCE_MS, STREAM_SILENCE_MS } from './stream-times.ts';

const eventStreamType = 'text/event-stream';

export type EventType = keyof typeof eventSchemas;

/**
 * A stream can go on after the id of any event; one without a place of its own, `counters`, has that of the one
 * before. A `reset` that the client itself makes has the id ''.
 */
export type MusterEvent = {
  [Type in EventType]: { readonly id: string } & Readonly<
    (typeof eventSchemas)[Type]['_zod']['output']
  >;
}[EventType];

export interface EventsOptions {
  /** Only events of this job and its tasks. Without it no events of single tasks come. */
  readonly jobId?: string;
  /** Only these types, and `reset`. */
  readonly types?: readonly EventType[];
  /** Begin after this event; without it the stream begins now. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** How long to keep asking after the connection broke; 60 s by default. */
  readonly patienceMs?: number;
  /** Called when the connection broke, before the pause that precedes the next try. */
  readonly onInterruption?: (error: ConnectionError | MusterError) => void;
}

export async function* events(
  endpoint: Endpoint,
  options: EventsOptions = {},
): AsyncGenerator<MusterEvent, void, void> {
  const { patienceMs = STREAM_PATIENCE_MS } = options;
  const patience = new Patience({ ...options, patienceMs });
  let lastId = options.lastEventId;
  let hasBegun = false;
  for (;;) {
    // Without an id the coordinator cannot tell which events were missed.
    let missesSome = hasBegun && lastId === undefined;
    try {
      for await (const { id, type, data } of openBlocks(endpoint, lastId, options)) {
        patience.renew();
        hasBegun = true;
        if (missesSome) yield { id: '', type: 'reset', at: new Date().toISOString() };
        missesSome = false;
        lastId = id ?? lastId;
        if (data !== null) yield { id: lastId ?? '', ...parsed(type, data) };
      }
      // A coordinator that stops ends its streams in order.
      throw new ConnectionError(endpoint.url, 'interrupted');
    } catch (error) {
      // If nobody has ever answered, the address may be wrong: the caller should learn that at once.
      if (!endpoint.state.hasAnswered) throw error;
      await patience.exercise(error);
    }
  }
}

type Stream = Pick<EventsOptions, 'jobId' | 'types'> & {
  readonly signal?: AbortSignal | undefined;
};

/** The id of the newest event: where a stream begins that is to miss nothing from now on. */
export async function eventPlace(endpoint: Endpoint, signal?: AbortSignal): Promise<string> {
  for await (const { id } of openBlocks(endpoint, undefined, { types: ['reset'], signal })) {
    if (id !== undefined) return id;
  }
  throw new ConnectionError(endpoint.url, 'interrupted');
}

function openBlocks(
  endpoint: Endpoint,
  lastId: string | undefined,
  { jobId, types, signal }: Stream,
): AsyncGenerator<EventBlock, void, void> {
  return eventBlocks(
    requestText(endpoint, '/api/events', {
      headers: {
        accept: eventStreamType,
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
      },
      query: { job_id: jobId, types: types?.join(',') },
      signal,
      mediaType: eventStreamType,
      silenceMs: STREAM_SILENCE_MS,
    }),
  );
}

type EventData = MusterEvent extends infer Event
  ? Event extends MusterEvent
    ? Omit<Event, 'id'>
    : never
  : never;

function parsed(type: string, data: string): EventData {
  return { type, ...(JSON.parse(data) as object) } as EventData;
}
