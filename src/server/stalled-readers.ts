// Whoever asks and then takes no byte of the answer holds memory that others need: it is cut off. Node
// watches the socket; it counts as silence when nothing is taken from what was handed to the system.

import type { App } from './app.ts';

export const stalledMs = 60_000;

export function cutStalledReaders(app: App, mostMs: number): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = reply;
    raw.setTimeout(mostMs, () => {
      // Silent because there is nothing to say: that is no fault of the reader.
      if (raw.writableLength === 0 || raw.destroyed) return;
      const { url, ip } = request;
      request.log.warn({ url, ip }, `its reader took nothing for ${mostMs / 1000} s: cut`);
      raw.destroy();
    });
    done(null, payload);
  });
}
