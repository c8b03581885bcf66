// The port through which the offloading executor packs states, fetches inputs from blobs and stores large
// results in blobs. The platform implements it.

import type { PackedState } from '../executor.ts';

export interface PayloadStore {
  /**
   * Answers at once for a small state, else later, off the event loop. Rejects when it cannot be
   * sent.
   */
  pack(stateJson: string): PackedState | Promise<PackedState>;
  /** Returns the JSON text in a blob. Rejects with a sentence when the blob cannot be fetched. */
  fetchInput(sha256: string): Promise<string>;
  /** Whether a result must lie in a blob. */
  isLarge(valueJson: string): boolean;
  /** Stores a result and returns its hash. Rejects with a `PayloadFault` when it cannot be stored. */
  storeResult(valueJson: string): Promise<string>;
  /** Aborts everything that is under way. */
  close(): void;
}

/** A payload could not be moved; the message is a sentence. `isFinal`: trying again is of no use. */
export class PayloadFault extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'PayloadFault';
    this.isFinal = isFinal;
  }
}
