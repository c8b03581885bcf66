// Blobs go in and out chunk by chunk, each in a transaction of its own, with turns of the event loop
// in between: the bytes of a large one take a second or two.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlobRow } from '../rows.ts';
import { needsTouch } from '../visibility.ts';
import type { BlobPlace, BlobTable } from './blob-table.ts';
import type { Look } from './history.ts';
import { Turns } from './turns.ts';

/** A millisecond or two each way. */
const chunkBytes = 256 * 1024;
const start: BlobPlace = { touchedAt: -Number.MAX_VALUE, key: -1 };

export class Blobs {
  readonly #table: BlobTable;
  readonly #look: Look;
  readonly #write: Look;
  /** How far the present round of collecting has come. */
  #collected = start;

  /** `write` is like `look`, in one durable transaction. */
  constructor(table: BlobTable, look: Look, write: Look) {
    this.#table = table;
    this.#look = look;
    this.#write = write;
  }

  async put(sha256: string, bytes: Uint8Array, at: number): Promise<void> {
    if (this.#touch(sha256, at, true)) return;
    const key = this.#write(() => this.#table.begin(bytes.length, at));
    try {
      for (let from = 0; from < bytes.length; from += chunkBytes) {
        const chunk = bytes.subarray(from, from + chunkBytes);
        this.#write(() => this.#table.writeChunk(key, from / chunkBytes, chunk));
        await nextTurn();
      }
      // Somebody else may have been faster: these chunks are then swept.
      if (this.#touch(sha256, at, true)) return;
      this.#write((generation) => this.#table.name(key, sha256, generation));
    } finally {
      this.#table.end(key);
    }
  }

  touch(sha256: string, at: number): boolean {
    return this.#touch(sha256, at, false);
  }

  find(sha256: string): BlobRow | undefined {
    const found = this.#look((generation) => this.#table.find(sha256, generation));
    return found && { sha256, sizeBytes: found.sizeBytes, touchedAt: found.touchedAt };
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    const found = this.#look((generation) => this.#table.find(sha256, generation));
    if (found === undefined) return undefined;
    const bytes = new Uint8Array(found.sizeBytes);
    const turns = new Turns();
    for (let from = 0; from < bytes.length; from += chunkBytes) {
      const chunk = this.#look((generation) => {
        // Collected meanwhile, it may lack chunks.
        if (this.#table.find(sha256, generation)?.key !== found.key) return undefined;
        return this.#table.readChunk(found.key, from / chunkBytes);
      });
      if (chunk === undefined) return this.read(sha256);
      bytes.set(chunk, from);
      await turns.rest();
    }
    return bytes;
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

  /** False when there is none. One of a cleared generation can only be revived by its bytes. */
  #touch(sha256: string, at: number, canRevive: boolean): boolean {
    return this.#look((generation) => {
      const found = this.#table.find(sha256, canRevive ? 0 : generation);
      if (found === undefined) return false;
      if (found.generation < generation || needsTouch(found, at)) {
        this.#write(() => this.#table.touch(found.key, generation, at));
      }
      return true;
    });
  }
}
