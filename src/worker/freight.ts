// What is too large to travel between coordinator and executor as it is: states are packed, inputs and
// results lie in blobs. The port between a carrier and the platform that does it.

import type { PackedState } from './executor.ts';

export interface Freight {
  /** At once for a small state, else later and off the event loop. Rejects when it cannot be sent. */
  pack(stateJson: string): PackedState | Promise<PackedState>;
  /** The JSON text in a blob. Rejects with a sentence when it cannot be had. */
  fetchInput(sha256: string): Promise<string>;
  /** Whether a result must lie in a blob. */
  isLarge(valueJson: string): boolean;
  /** Stores a result and returns its hash. Rejects with a `FreightFault` when it cannot be stored. */
  storeResult(valueJson: string): Promise<string>;
  /** Nothing of it is wanted any more. */
  close(): void;
}

/** A sentence; `isFinal`: trying again would be answered the same way. */
export class FreightFault extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'FreightFault';
    this.isFinal = isFinal;
  }
}

/** The blob that an input stands for, null when it is an input as it is. */
export function blobOfInput(inputJson: string): string | null {
  // Most inputs are none: the length says so without a look at the text.
  if (inputJson.length !== referenceLength) return null;
  return reference.exec(inputJson)?.[1] ?? null;
}

export function blobReference(sha256: string): string {
  return `{"$blob":"${sha256}"}`;
}

const reference = /^\{"\$blob":"([0-9a-f]{64})"\}$/;
const referenceLength = blobReference('').length + 64;
