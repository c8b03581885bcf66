// A process that leaves waits for its database a little longer, and then no more: whatever it waits for on any of its
// connections fails. What became of a commit that was on its way is not known then.

import { Socket } from 'node:net';

export class LastWait {
  /** Aborted when nothing is waited for any more. */
  readonly over: AbortSignal;
  readonly #open = new Set<Socket>();

  /** It is over `ms` after `leaving` was aborted. */
  constructor(leaving: AbortSignal, ms: number) {
    const ending = new AbortController();
    this.over = ending.signal;
    const end = () => {
      ending.abort();
      for (const socket of this.#open) socket.destroy();
    };
    const begin = () => void setTimeout(end, ms).unref();
    if (leaving.aborted) begin();
    else leaving.addEventListener('abort', begin, { once: true });
  }

  /** For a connection that is being made. */
  readonly socket = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    // Not before somebody listens.
    if (this.over.aborted) process.nextTick(() => socket.destroy());
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  };
}
