// Where the records of a recording go, and what time it is there.

import type { TraceRecord } from './trace-format.ts';

/** Takes a record; `atMs` is now, in the time of the trace. */
export type Write = (record: TraceRecord, atMs: number) => void;

export class Outlet {
  readonly #write: Write;
  #beganAt = 0;

  constructor(write: Write) {
    this.#write = write;
  }

  /** Milliseconds since the epoch. */
  begin(at: number): void {
    this.#beganAt = at;
  }

  /** The clock of the machine was set; the time of the trace goes on. */
  clockSet(byMs: number): void {
    this.#beganAt += byMs;
  }

  /** In the time of the trace. */
  timeOf(at: number): number {
    return Math.round(at - this.#beganAt);
  }

  put(record: TraceRecord, at: number): void {
    this.#write(record, this.timeOf(at));
  }
}
