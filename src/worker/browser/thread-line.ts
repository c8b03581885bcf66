// The line between the agent and a frame: the port of its thread, and the pulse of its document. Or what a
// test puts in their place.

import { startLooseTimer, type Timer } from '../slots/loose-timer.ts';
import type { ToThread } from './child-messages.ts';

export interface ThreadLine {
  /** `onGone`: the frame is there no more. */
  listen(onMessage: (message: unknown) => void, onGone: () => void): void;
  send(message: ToThread): void;
  close(): void;
}

const beatEveryMs = 1_000;
/**
 * Counts beats, not time: while the agent itself is held up, answers wait unread. A thread that is busy is no
 * hindrance to the document beside it.
 */
const missedBeatsLimit = 5;

export function lineOver(port: MessagePort, pulse?: MessagePort): ThreadLine {
  let timer: Timer | null = null;
  let missed = 0;
  const beat = (onGone: () => void): void => {
    if (missed++ >= missedBeatsLimit) return onGone();
    pulse?.postMessage(null);
    timer = startLooseTimer(() => beat(onGone), beatEveryMs);
  };
  return {
    listen(onMessage, onGone) {
      // A message that cannot be read was not made by the program of the thread.
      port.addEventListener('messageerror', () => onMessage(null));
      port.addEventListener('message', (event) => {
        missed = 0;
        onMessage(event.data);
      });
      port.start();
      if (pulse === undefined) return;
      pulse.addEventListener('message', () => {
        missed = 0;
      });
      pulse.start();
      // Browsers that tell it tell it sooner.
      port.addEventListener('close', onGone);
      beat(onGone);
    },
    send: (message) => port.postMessage(message),
    close() {
      if (timer !== null) clearTimeout(timer);
      port.close();
      pulse?.close();
    },
  };
}
