// Blobs go in and out chunk by chunk, with turns of the event loop in between: the bytes of a large one
// take a second or two.

import type { BlobRow } from '../rows.ts';
import type { BlobDraft } from '../store.ts';
import { needsTouch } from '../visibility.ts';
import { SqliteBlobDraft } from './blob-draft.ts';
import { type BlobPlace, type BlobTable, chunkBytes } from './tables/blob-table.ts';
import type { Look } from './history.ts';
import type { Patience } from './file/patience.ts';
import { Turns } from './turns.ts';

const start: BlobPlace = { touchedAt: -Number.MAX_VALUE, key: -1 };

export class Blobs {
  readonly #table: BlobTable;
  readonly #look: Look;
  readonly #write: Look;
  readonly #patience: Patience;
  /** How far the present round of collecting has come. */
  #collected = start;

  /** `write` is like `look`, in one durable transaction. */
  constructor(table: BlobTable, look: Look, write: Look, patience: Patience) {
    this.#patience = patience;
    this.#table = table;
    this.#look = look;
    this.#write = write;
  }

  begin(): BlobDraft {
    return new SqliteBlobDraft(this.#table, this.#write, this.#patience);
  }

  async put(sha256: string, bytes: Uint8Array, at: number): Promise<void> {
    const isThere = this.find(sha256) !== undefined;
    if (isThere && (await this.#patience.run(() => this.touch(sha256, at)))) return;
    const draft = this.begin();
    try {
      await draft.append(bytes);
      await draft.finish(sha256, at);
    } finally {
      draft.abandon();
    }
  }

  /** False when there is none. One of a cleared generation can only be revived by its bytes. */
  touch(sha256: string, at: number): boolean {
    return this.#look((generation) => {
      const found = this.#table.find(sha256, generation);
      if (found === undefined || this.#table.isDamaged(sha256)) return false;
      if (needsTouch(found, at)) {
        this.#write(() => this.#table.touch(found.key, generation, at));
      }
      return true;
    });
  }

  find(sha256: string): BlobRow | undefined {
    const found = this.#look((generation) => this.#table.find(sha256, generation));
    return found && { sha256, sizeBytes: found.sizeBytes, touchedAt: found.touchedAt };
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    const found = this.find(sha256);
    if (found === undefined) return undefined;
    const bytes = new Uint8Array(found.sizeBytes);
    const turns = new Turns();
    for (let from = 0; from < bytes.length; await turns.rest()) {
      const part = this.readPart(sha256, from);
      if (part === undefined) return undefined;
      bytes.set(part, from);
      from += part.length;
    }
    return bytes;
  }

  /** To the end of the chunk. Bytes of a name are always the same, whichever blob has it by then. */
  readPart(sha256: string, fromByte: number): Uint8Array | undefined {
    return this.#look((generation) => {
      const found = this.#table.find(sha256, generation);
      if (found === undefined) return undefined;
      if (fromByte >= found.sizeBytes) return new Uint8Array();
      const number = Math.floor(fromByte / chunkBytes);
      return this.#table.readChunk(found, number).subarray(fromByte - number * chunkBytes);
    });
  }

  get isEmpty(): boolean {
    return this.#look((generation) => {
      const { length } = this.#table.listOlder(generation, start, Number.MAX_VALUE, 1);
      return length === 0;
    });
  }

  /** What is collected is gone at once; its bytes are swept. */
  collect(before: number, rows: number): boolean {
    const page = this.#look((generation) =>
      this.#table.listOlder(generation, this.#collected, before, rows),
    );
    const unneeded = this.#look((generation) =>
      page.filter(({ sha256 }) => !this.#table.isReferenced(sha256, generation)),
    );
    if (unneeded.length > 0) {
      this.#write(() => {
        for (const { key } of unneeded) this.#table.hide(key);
      });
    }
    const last = page.length < rows ? undefined : page.at(-1);
    this.#collected = last ?? start;
    return last !== undefined;
  }
}
