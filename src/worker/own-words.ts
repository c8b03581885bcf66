// Why a worker is not let in, in the words of whoever has given it its token.

import type { SocketListener } from './agent.ts';

/** Without words, the coordinator's own are told. */
export function inOwnWords(
  listener: SocketListener,
  words: string | null | undefined,
): SocketListener {
  if (words === null || words === undefined) return listener;
  return {
    opened: () => listener.opened(),
    frame: (messages) =>
      listener.frame(
        messages.map((message) =>
          message.type === 'error' && message.code === 'unauthorized'
            ? { ...message, detail: words }
            : message,
        ),
      ),
    complaint: (detail) => listener.complaint(detail),
    refused: (status, code, detail) =>
      listener.refused(status, code, status === 401 ? words : detail),
    closed: (detail) => listener.closed(detail),
  };
}
