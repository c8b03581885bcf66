// Events as Server-Sent Events: text that goes on for as long as its reader takes it. What is pulled
// is what is written: while the socket is full, nothing is read from the coordinator.

import type { StreamedEvent } from '../coordinator/port/events.ts';
import { signPauseMs, withSigns } from './signs-of-life.ts';

/** Readers that follow the standard wait so long before they connect again. */
const reconnectMs = 1_000;

export const eventStreamType = 'text/event-stream; charset=utf-8';

/**
 * What a new reader gives as its last event: nothing that was ever told. The coordinator answers with
 * `reset` and the place where the stream is now; only the place is passed on.
 */
export const noPlace = 'none';

export async function* eventTexts(
  chunks: AsyncIterable<readonly StreamedEvent[]>,
  { isNew = false, pauseMs = signPauseMs } = {},
): AsyncGenerator<string> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    // At once, so that the reader knows that it is listening.
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

/** No event: a reader that is cut off before its first one goes on from here all the same. */
function placeText({ id }: StreamedEvent): string {
  return `id: ${id}\n\n`;
}

function eventText({ id, type, data }: StreamedEvent): string {
  // A line break inside would end the field; JSON has it between its tokens at most.
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `id: ${id}\nevent: ${type}\n${lines.join('')}\n`;
}
