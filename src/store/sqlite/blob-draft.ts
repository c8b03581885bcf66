// A blob that is being received: whole chunks are written as they come, each in a transaction of its own,
// the last one together with the name. A small blob is one transaction.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlobDraft, StagedBlob } from '../staging.ts';
import { StoreFault } from '../store.ts';
import { needsTouch } from '../visibility.ts';
import type { Connection } from './connection.ts';
import { type BlobTable, chunkBytes } from './tables/blob-table.ts';
import { closed } from './file/faults.ts';

export class SqliteBlobDraft implements BlobDraft {
  readonly #connection: Connection;
  readonly #table: BlobTable;
  /** Key of the blob; null before the first chunk. */
  #key: number | null = null;
  #chunks = 0;
  #sizeBytes = 0;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #isOver = false;

  constructor(connection: Connection, table: BlobTable, staged?: StagedBlob) {
    this.#connection = connection;
    this.#table = table;
    if (staged === undefined) return;
    this.#key = staged.key;
    this.#sizeBytes = staged.sizeBytes;
  }

  async append(bytes: Uint8Array): Promise<void> {
    const connection = this.#connection;
    let rest = bytes;
    while (this.#pendingBytes + rest.length >= chunkBytes) {
      const fitting = chunkBytes - this.#pendingBytes;
      this.#take(rest.subarray(0, fitting));
      rest = rest.subarray(fitting);
      await connection.unsynced(() => this.#transact(() => this.#flush()));
      await nextTurn();
    }
    if (rest.length > 0) this.#take(rest);
  }

  /** Nobody else works on this file: whose it is need not be said. */
  async stage(): Promise<StagedBlob> {
    const key = await this.#connection.unsynced(() =>
      this.#transact(() => {
        if (this.#pendingBytes > 0) this.#flush();
        return this.#begun();
      }),
    );
    return { key, member: '', sizeBytes: this.#sizeBytes };
  }

  async finish(sha256: string, at: number, owner?: string): Promise<boolean> {
    try {
      return await this.#connection.durably(() =>
        this.#transact((generation) => this.#name(sha256, at, owner, generation)),
      );
    } finally {
      this.abandon();
    }
  }

  abandon(): void {
    this.#isOver = true;
    if (this.#key !== null) this.#table.end(this.#key);
    this.#key = null;
    this.#pending = [];
  }

  /** True when it is there from now on, and was not before. */
  #name(sha256: string, at: number, owner: string | undefined, generation: number): boolean {
    const found = this.#table.find(sha256, 0);
    if (found !== undefined && this.#table.isDamaged(sha256)) {
      this.#table.hide(found.key);
    } else if (found !== undefined) {
      // The same blob was finished by another draft before: these chunks are swept.
      const isOld = found.generation < generation;
      if (isOld || needsTouch(found, at)) this.#table.touch(found.key, generation, at);
      // Who had it before the database was cleared does not have it now.
      if (isOld) this.#table.disown(found.key);
      if (owner !== undefined) this.#table.own(found.key, owner);
      return isOld;
    }
    if (this.#pendingBytes > 0) this.#flush();
    const key = this.#begun();
    if (!this.#table.isDraft(key)) {
      throw new StoreFault('store_deposed', 'The blob was removed while it was written.');
    }
    const row = { sha256, sizeBytes: this.#sizeBytes, touchedAt: at };
    this.#table.name(key, row, generation);
    if (owner !== undefined) this.#table.own(key, owner);
    return true;
  }

  /** The draft may be abandoned while it waits for the lock. */
  #transact<T>(work: (generation: number) => T): T {
    if (this.#isOver) throw closed();
    return this.#connection.transact(work);
  }

  #take(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#sizeBytes += bytes.length;
  }

  #flush(): void {
    const bytes = this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending);
    this.#table.writeChunk(this.#begun(), this.#chunks++, bytes);
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  #begun(): number {
    this.#key ??= this.#table.begin();
    return this.#key;
  }
}
