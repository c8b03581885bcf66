// A worker that has a token of its own and that of a link: when its own is refused it joins anew with the link.

import type { SocketListener } from './agent.ts';
import { ownTokenRefused } from './machine/machine.ts';

/** Of a hello: its own token belongs to another by now, which has copied it, or lets nobody in. */
const refusals: ReadonlySet<string> = new Set(['unauthorized', 'forbidden']);

/** A refusal of its own token is no end while it has another: it tries again with that. */
export function withSecondToken(listener: SocketListener, refusedOwn: () => void): SocketListener {
  return {
    opened: () => listener.opened(),
    frame: (messages) => {
      const no = messages.find(
        (each) => each.type === 'error' && each.fatal && refusals.has(each.code),
      );
      if (no?.type !== 'error') return listener.frame(messages);
      refusedOwn();
      listener.closed(no.detail);
    },
    complaint: (detail) => listener.complaint(detail),
    refused: (status, code, detail) => {
      if (status !== 401) return listener.refused(status, code, detail);
      refusedOwn();
      listener.refused(status, ownTokenRefused, detail);
    },
    closed: (detail) => listener.closed(detail),
  };
}
