// Events as the text of server-sent events. The text is made only when the socket takes it: while the
// socket is full, nothing is read from the coordinator.

import type { StreamedEvent } from '../coordinator/port/events.ts';
import { signPauseMs, withSigns } from './signs-of-life.ts';

/** Sent to readers as `retry`: how long they wait before they connect again. */
const reconnectMs = 1_000;

export const eventStreamType = 'text/event-stream; charset=utf-8';

/**
 * The last event id of a new reader, an id that no event has. The coordinator answers with `reset`
 * and the current place in the stream; only the place is passed on.
 */
export const noPlace = 'none';

export async function* eventTexts(
  chunks: AsyncIterable<readonly StreamedEvent[]>,
  { isNew = false, pauseMs = signPauseMs } = {},
): AsyncGenerator<string> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    // Sent at once, so that the reader knows that it is connected.
    yield `: muster\nretry: ${reconnectMs}\n\n`;
    if (isNew) {
      const { done, value } = await iterator.next();
      if (done === true) return;
      yield placeText(value[0]!);
    }
    yield* withSigns(texts(iterator), ': still here\n\n', pauseMs);
  } finally {
    await iterator.return?.();
  }
}

async function* texts(iterator: AsyncIterator<readonly StreamedEvent[]>) {
  for (;;) {
    const { done, value } = await iterator.next();
    if (done === true) return;
    yield value.map(eventText).join('');
  }
}

/** An id without an event: a reader that is cut off before its first event goes on from here. */
function placeText({ id }: StreamedEvent): string {
  return `id: ${id}\n\n`;
}

function eventText({ id, type, data }: StreamedEvent): string {
  // A line break would end the field. JSON can have one only between its tokens, so the text may be
  // split.
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  const place = id === '' ? '' : `id: ${id}\n`;
  return `${place}event: ${type}\n${lines.join('')}\n`;
}
