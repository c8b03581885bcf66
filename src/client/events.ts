// The event stream of the coordinator. It outlives its connection: the stream is taken up again
// behind the last event that came. Where that cannot be, there is a `reset`: what happened in between
// is not to be had any more, and whoever keeps a picture of the world fetches it again.

import type { eventSchemas } from '../protocol/schemas/events.ts';
import { ConnectionError, type MusterError } from './errors.ts';
import { Patience } from './patience.ts';
import { type Endpoint, requestText } from './request.ts';
import { STREAM_PATIENCE_MS, STREAM_SILENCE_MS } from './results.ts';
import { type EventBlock, eventBlocks } from './sse.ts';

export type EventType = keyof typeof eventSchemas;

/** The id of an event is where to go on from; a `reset` that the client itself noticed has ''. */
export type MusterEvent = {
  [Type in EventType]: { readonly id: string } & Readonly<
    (typeof eventSchemas)[Type]['_zod']['output']
  >;
}[EventType];

export interface EventsOptions {
  /** Only what concerns this job, its tasks included; without it, only events of whole jobs come. */
  readonly jobId?: string;
  /** Only these, and `reset`. */
  readonly types?: readonly EventType[];
  /** Go on behind this event; otherwise only what happens from now on. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** How long to keep asking after the connection broke; 60 s by default. */
  readonly patienceMs?: number;
  /** Told when the connection broke and the next attempt to connect is due. */
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
    // Without an id there is no telling what was missed.
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
      // Where nobody has ever answered the address may be wrong: that should be said at once.
      if (!endpoint.state.hasAnswered) throw error;
      await patience.exercise(error);
    }
  }
}

function openBlocks(
  endpoint: Endpoint,
  lastId: string | undefined,
  { jobId, types, signal }: EventsOptions,
): AsyncGenerator<EventBlock, void, void> {
  return eventBlocks(
    requestText(endpoint, '/api/events', {
      headers: {
        accept: 'text/event-stream',
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
      },
      query: { job_id: jobId, types: types?.join(',') },
      signal,
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
