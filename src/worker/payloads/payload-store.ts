// What is too large to travel between coordinator and executor as it is: states are packed, inputs and
// results lie in blobs. The port between a carrier and the platform that does it.

import type { PackedState } from '../executor.ts';

export interface PayloadStore {
  /** At once for a small state, else later and off the event loop. Rejects when it cannot be sent. */
  pack(stateJson: string): PackedState | Promise<PackedState>;
  /** The JSON text in a blob. Rejects with a sentence when it cannot be had. */
  fetchInput(sha256: string): Promise<string>;
  /** Whether a result must lie in a blob. */
  isLarge(valueJson: string): boolean;
  /** Stores a result and returns its hash. Rejects with a `PayloadFault` when it cannot be stored. */
  storeResult(valueJson: string): Promise<string>;
  /** Nothing of it is wanted any more. */
  close(): void;
}

/** A sentence; `isFinal`: trying again would be answered the same way. */
export class PayloadFault extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'PayloadFault';
    this.isFinal = isFinal;
  }
}
