// The line between the agent and the thread in a frame: a port of the platform, or what a test puts in its
// place.

import type { ToThread } from './child-messages.ts';

export interface ThreadLine {
  /** `onGone`: nobody is at the other end any more; not every browser tells. */
  listen(onMessage: (message: unknown) => void, onGone: () => void): void;
  send(message: ToThread): void;
  close(): void;
}

export function lineOver(port: MessagePort): ThreadLine {
  return {
    listen(onMessage, onGone) {
      // The frame was removed, or its process is gone.
      port.addEventListener('close', onGone);
      // A message that cannot be read was not made by the program of the thread.
      port.onmessageerror = () => onMessage(null);
      port.onmessage = ({ data }: { readonly data: unknown }) => onMessage(data);
    },
    send: (message) => port.postMessage(message),
    close: () => port.close(),
  };
}
