// Blobs are written and read chunk by chunk, each in a statement of its own: nothing is held while somebody sends or
// takes them slowly.

import type { BlobReading } from '../reading.ts';
import type { BlobRow } from '../rows.ts';
import type { BlobDraft, BlobStaging, StagedBlob } from '../staging.ts';
import { needsTouch } from '../visibility.ts';
import type { BlobSize, Writing } from '../writing.ts';
import { PostgresBlobDraft } from './blob-draft.ts';
import type { Reader } from './driver/reader.ts';
import { readChunk } from './tables/blob-bytes.ts';
import {
  findBlobs,
  firstPlace,
  hideUnneeded,
  isOwnBlob,
  listOlder,
  ownBlob,
  sumBytesOf,
  touchBlobs,
} from './tables/blob-table.ts';

export class PostgresBlobs implements BlobReading, BlobStaging, Pick<Writing, 'collectBlobs'> {
  readonly #reader: Reader;
  readonly #member: string;
  /** How far the present round of collecting has come. */
  #collected = firstPlace;

  constructor(reader: Reader, member: string) {
    this.#reader = reader;
    this.#member = member;
  }

  beginBlob(): BlobDraft {
    return new PostgresBlobDraft(this.#reader, this.#member);
  }

  resumeBlob(staged: StagedBlob): BlobDraft {
    return new PostgresBlobDraft(this.#reader, this.#member, staged);
  }

  async putBlob(sha256: string, bytes: Uint8Array, at: number): Promise<void> {
    if (await this.touchBlob(sha256, at)) return;
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
    return this.#reader.write((query) => ownBlob(query, sha256, owner));
  }

  isBlobOf(sha256: string, owner: string): Promise<boolean> {
    return isOwnBlob(this.#reader.query, sha256, owner);
  }

  blobBytesOf(owner: string): Promise<number> {
    return sumBytesOf(this.#reader.query, owner);
  }

  /** Touches the blobs that exist. One of a cleared generation does not: its bytes must be stored again. */
  async touchAll(hashes: readonly string[], at: number): Promise<readonly BlobSize[]> {
    if (hashes.length === 0) return [];
    const found = await findBlobs(this.#reader.query, hashes);
    const stale = [...found.values()].filter((blob) => needsTouch(blob, at));
    const names = stale.map(({ sha256 }) => sha256);
    const touched =
      names.length === 0
        ? new Set<string>()
        : await this.#reader.write((query) => touchBlobs(query, names, at));
    // What was collected in between is not there.
    const gone = new Set(names.filter((sha256) => !touched.has(sha256)));
    return hashes.flatMap((sha256) => {
      const blob = gone.has(sha256) ? undefined : found.get(sha256);
      return blob === undefined ? [] : { sha256, sizeBytes: blob.sizeBytes };
    });
  }

  async findBlob(sha256: string): Promise<BlobRow | undefined> {
    return (await findBlobs(this.#reader.query, [sha256])).get(sha256);
  }

  async readBlob(sha256: string): Promise<Uint8Array | undefined> {
    const found = await this.findBlob(sha256);
    if (found === undefined) return undefined;
    const bytes = new Uint8Array(found.sizeBytes);
    for (let from = 0; from < bytes.length; ) {
      const part = await this.readBlobPart(sha256, from);
      if (part === undefined) return undefined;
      bytes.set(part, from);
      from += part.length;
    }
    return bytes;
  }

  readBlobPart(sha256: string, fromByte: number): Promise<Uint8Array | undefined> {
    return readChunk(this.#reader.query, sha256, fromByte);
  }

  /** Collected blobs are invisible at once; their bytes are swept. */
  async collectBlobs(before: number, rows: number): Promise<boolean> {
    const page = await listOlder(this.#reader.query, this.#collected, before, rows);
    const keys = page.map(({ key }) => key);
    if (keys.length > 0) {
      await this.#reader.write((query) => hideUnneeded(query, keys, before));
    }
    const last = page.length < rows ? undefined : page.at(-1);
    this.#collected = last ?? firstPlace;
    return last !== undefined;
  }
}
