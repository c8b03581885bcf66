// The port through which the offloading executor packs states, fetches inputs and what programs need from blobs, and
// stores large results and bytes in blobs. The platform implements it.

import type { PackedState } from '../executor.ts';
import type { HeldBlobs } from './blob-shelf.ts';

export interface PayloadStore {
  /**
   * Answers at once for a small state, else later, off the event loop. Rejects when it cannot be
   * sent.
   */
  pack(stateJson: string): PackedState | Promise<PackedState>;
  /** Returns the JSON text in a blob. Rejects with a sentence when the blob cannot be fetched. */
  fetchInput(sha256: string): Promise<string>;
  /** Returns the bytes in a blob. Rejects likewise. */
  fetchBytes(sha256: string): Promise<Uint8Array>;
  /** Returns blobs that stay until they are released. Rejects likewise. */
  hold(names: readonly string[]): Promise<HeldBlobs>;
  /** Whether a result must lie in a blob. */
  isLarge(valueJson: string): boolean;
  /** Stores a result and returns its hash. Rejects with a `PayloadFault` when it cannot be stored. */
  storeResult(valueJson: string): Promise<string>;
  /** The same for a result that is bytes. */
  storeBytes(bytes: Uint8Array): Promise<string>;
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
