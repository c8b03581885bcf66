// The blobs of a job inside its child: bytes that the agent has sent, or files in the folder of the child, which are
// read when somebody asks for them and not kept.

import { GuestFault } from './guest.ts';
import type { LentBlob } from './messages.ts';

export class LentBlobs {
  readonly #blobs: ReadonlyMap<string, string | Uint8Array>;
  readonly #read: (name: string) => Uint8Array;

  constructor(blobs: readonly LentBlob[], read: (name: string) => Uint8Array) {
    this.#blobs = new Map(blobs);
    this.#read = read;
  }

  /** Throws a `GuestFault` for one that is not there. */
  readonly bytesOf = (sha256: string): Uint8Array => {
    const content = this.#blobs.get(sha256);
    if (content === undefined) throw unavailable(`no blob ${sha256} came with the job`);
    if (typeof content !== 'string') return content;
    try {
      return this.#read(content);
    } catch {
      throw unavailable(`the blob ${sha256} cannot be read on this device any more`);
    }
  };
}

function unavailable(why: string): GuestFault {
  return new GuestFault('file_unavailable', why);
}
