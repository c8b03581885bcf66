// Blobs are written and read chunk by chunk, with turns of the event loop in between: a large one takes a
// second or two.

import type { BlobReading } from '../reading.ts';
import type { BlobRow } from '../rows.ts';
import type { BlobDraft, BlobStaging, StagedBlob } from '../staging.ts';
import { needsTouch } from '../visibility.ts';
import type { BlobSize, Writing } from '../writing.ts';
import { SqliteBlobDraft } from './blob-draft.ts';
import type { Connection } from './connection.ts';
import { firstPlace, type BlobEntry, type BlobTable, chunkBytes } from './tables/blob-table.ts';
import { Turns } from '../turns.ts';

export class SqliteBlobs implements BlobReading, BlobStaging, Pick<Writing, 'collectBlobs'> {
  readonly #connection: Connection;
  readonly #table: BlobTable;
  /** How far the present round of collecting has come. */
  #collected = firstPlace;

  constructor(connection: Connection, table: BlobTable) {
    this.#connection = connection;
    this.#table = table;
  }

  beginBlob(): BlobDraft {
    return new SqliteBlobDraft(this.#connection, this.#table);
  }

  resumeBlob(staged: StagedBlob): BlobDraft {
    return new SqliteBlobDraft(this.#connection, this.#table, staged);
  }

  async putBlob(sha256: string, bytes: Uint8Array, at: number): Promise<void> {
    const isThere = (await this.#find(sha256)) !== undefined;
    if (isThere && (await this.touchBlob(sha256, at))) return;
    const draft = this.beginBlob();
    try {
      await draft.append(bytes);
      await draft.finish(sha256, at);
    } finally {
      draft.abandon();
    }
  }

  async touchBlob(sha256: string, at: number): Promise<boolean> {
    return (await this.touchAll([sha256], at)).length > 0;
  }

  ownBlob(sha256: string, owner: string): Promise<void> {
    const connection = this.#connection;
    return connection.durably(() =>
      connection.transact((generation) => {
        const found = this.#table.find(sha256, generation);
        if (found !== undefined) this.#table.own(found.key, owner);
      }),
    );
  }

  async isBlobOf(sha256: string, owner: string): Promise<boolean> {
    return this.#connection.read((generation) => {
      const found = this.#table.find(sha256, generation);
      return found !== undefined && this.#table.isOwn(found, owner, generation);
    });
  }

  async blobBytesOf(owner: string): Promise<number> {
    return this.#connection.read(() => this.#table.bytesOf(owner));
  }

  /** Touches the blobs that exist. One of a cleared generation does not: its bytes must be stored again. */
  touchAll(hashes: readonly string[], at: number): Promise<readonly BlobSize[]> {
    const connection = this.#connection;
    return connection.durably((generation) => {
      const found = hashes
        .filter((sha256) => !this.#table.isDamaged(sha256))
        .flatMap((sha256) => this.#table.find(sha256, generation) ?? []);
      const stale = found.filter((blob) => needsTouch(blob, at));
      if (stale.length > 0) {
        connection.transact(() => {
          for (const { key } of stale) this.#table.touch(key, generation, at);
        });
      }
      return found.map(({ sha256, sizeBytes }) => ({ sha256, sizeBytes }));
    });
  }

  async findBlob(sha256: string): Promise<BlobRow | undefined> {
    const found = await this.#find(sha256);
    return found && { sha256, sizeBytes: found.sizeBytes, touchedAt: found.touchedAt };
  }

  async readBlob(sha256: string): Promise<Uint8Array | undefined> {
    const found = await this.#find(sha256);
    if (found === undefined) return undefined;
    const bytes = new Uint8Array(found.sizeBytes);
    const turns = new Turns();
    for (let from = 0; from < bytes.length; await turns.rest()) {
      const part = await this.#readPart(sha256, from);
      if (part === undefined) return undefined;
      bytes.set(part, from);
      from += part.length;
    }
    return bytes;
  }

  async readBlobPart(sha256: string, fromByte: number): Promise<Uint8Array | undefined> {
    return this.#readPart(sha256, fromByte);
  }

  /** Collected blobs are invisible at once; their bytes are swept. */
  collectBlobs(before: number, rows: number): Promise<boolean> {
    const connection = this.#connection;
    return connection.unsynced((generation) => {
      const page = this.#table.listOlder(generation, this.#collected, before, rows);
      const unneeded = page.filter(({ sha256 }) => !this.#table.isReferenced(sha256, generation));
      if (unneeded.length > 0) {
        connection.transact(() => {
          for (const { key } of unneeded) {
            this.#table.hide(key);
            this.#table.disown(key);
          }
        });
      }
      const last = page.length < rows ? undefined : page.at(-1);
      this.#collected = last ?? firstPlace;
      return last !== undefined;
    });
  }

  #find(sha256: string): Promise<BlobEntry | undefined> {
    return this.#connection.read((generation) => this.#table.find(sha256, generation));
  }

  /** Bytes up to the end of the chunk. A name always has the same bytes, even if the blob was stored anew. */
  #readPart(sha256: string, fromByte: number): Promise<Uint8Array | undefined> {
    return this.#connection.read((generation) => {
      const found = this.#table.find(sha256, generation);
      if (found === undefined) return undefined;
      if (fromByte >= found.sizeBytes) return new Uint8Array();
      const number = Math.floor(fromByte / chunkBytes);
      return this.#table.readChunk(found, number).subarray(fromByte - number * chunkBytes);
    });
  }
}
