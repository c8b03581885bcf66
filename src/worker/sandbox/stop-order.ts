// The order to stop an attempt as the agent notes it outside of the message channel: it reaches code that never
// lets the event loop turn. It is looked at when task code asks, at most once in 5 ms: a look costs some microseconds.

/**
 * What is noted now: 0 for nothing, the number of the attempt that shall stop, or minus that number when it may
 * leave a last checkpoint. It throws nothing.
 */
export type ReadStopOrder = () => number;

const lookEveryMs = 5;

export class StopOrder {
  readonly #read: ReadStopOrder | null;
  #lookedAt = -Infinity;

  /** Null: the platform has no such channel. */
  constructor(read: ReadStopOrder | null) {
    this.#read = read;
  }

  /** Null: the attempt may go on, as far as it is known. */
  look(number: number, now: number): { readonly wantsCheckpoint: boolean } | null {
    if (this.#read === null || now - this.#lookedAt < lookEveryMs) return null;
    this.#lookedAt = now;
    const noted = this.#read();
    return noted === number || noted === -number ? { wantsCheckpoint: noted < 0 } : null;
  }
}

/** How the agent notes it, in the four bytes behind the position. */
export function notedOrder(number: number, wantsCheckpoint: boolean): number {
  return wantsCheckpoint ? -number : number;
}
