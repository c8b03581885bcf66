// An answer without a known end, of which each piece leaves when it comes. Nothing is read ahead of the socket.

import type { ServerResponse } from 'node:http';

export interface OpenBody<T> {
  readonly chunks: AsyncIterable<T>;
  /** The bytes of a chunk; null for one of which nothing is sent. */
  readonly pieceOf: (chunk: T) => Uint8Array | null;
  /** Whether an error of the chunks is an end in order; by default none is. */
  readonly isEnd?: (error: unknown) => boolean;
  /** Sent together with the headers. */
  readonly head?: Uint8Array;
  /** Sent whenever there was nothing to send for so long, so that the reader knows that the connection works. */
  readonly sign?: { readonly bytes: Uint8Array; readonly pauseMs: number };
}

/** The answer that is made so. */
export interface Pumped {
  /** It has ended, or its reader has gone away. */
  readonly isGone: boolean;
  /** The next piece is its last. */
  readonly isEnding: boolean;
  /** Counts a piece that is handed to the socket now. */
  holdPiece(piece: Uint8Array): void;
  /** Resolves when the system has taken the piece, or the reader has left. */
  write(piece: Uint8Array): Promise<void>;
}

/** Asks for a chunk when the system has taken the one before. Rejects with what the chunks throw. */
export async function pump<T>(
  answer: Pumped,
  raw: ServerResponse,
  { chunks, pieceOf, isEnd, sign }: OpenBody<T>,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const timer = sign && setInterval(() => giveSign(raw, sign.bytes), sign.pauseMs);
  timer?.unref();
  try {
    while (!answer.isGone) {
      const next = await iterator.next();
      if (next.done === true || answer.isGone) break;
      const piece = pieceOf(next.value);
      if (piece === null) continue;
      if (answer.isEnding) {
        // The last piece and the end of the answer leave in one packet.
        answer.holdPiece(piece);
        raw.end(piece);
        return;
      }
      await answer.write(piece);
      timer?.refresh();
    }
    if (!answer.isGone) raw.end();
  } catch (error) {
    if (isEnd?.(error) !== true) throw error;
    if (!answer.isGone) raw.end();
  } finally {
    clearInterval(timer);
    await iterator.return?.();
  }
}

/** Not while something waits to be read, which tells as much. */
function giveSign(raw: ServerResponse, bytes: Uint8Array): void {
  if (raw.writableLength === 0 && !raw.destroyed && !raw.writableEnded) raw.write(bytes);
}
