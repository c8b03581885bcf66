// Cuts off readers that take no byte of their answer, because it holds memory that others need. Node's
// socket timeout watches that: it also fires when the system takes nothing of what was written.

import type { AnswerStart } from './answer-start.ts';
import type { Callers } from './callers.ts';

export const stalledMs = 60_000;

export function cutStalledReaders(start: AnswerStart, mostMs: number, callers: Callers): void {
  start.add((request, { raw }) => {
    raw.setTimeout(mostMs, () => {
      // Nothing waits to be sent, so the silence is not the reader's fault.
      if (raw.writableLength === 0 || raw.destroyed) return;
      const { url } = request;
      const ip = callers.of(request.raw).address;
      request.log.warn({ url, ip }, `its reader took nothing for ${mostMs / 1000} s: cut`);
      raw.destroy();
    });
  });
}
