// Blobs of a memory disk.

import type { BlobReading } from '../reading.ts';
import type { BlobRow } from '../rows.ts';
import type { BlobDraft, BlobStaging, StagedBlob } from '../staging.ts';
import { StoreFault } from '../store.ts';
import { needsTouch } from '../visibility.ts';
import type { Writing } from '../writing.ts';
import type { MemoryDisk, StoredBlob } from './memory-disk.ts';
import type { OpenDisk } from './open-disk.ts';

export class MemoryBlobs implements BlobReading, BlobStaging, Pick<Writing, 'collectBlobs'> {
  readonly #open: OpenDisk;

  /** Drafts that may be ended elsewhere, by their keys. */
  readonly #staged = new Map<number, Uint8Array>();
  #nextStaged = 1;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async putBlob(sha256: string, bytes: Uint8Array, at: number): Promise<void> {
    putBlob(this.#open.disk, sha256, bytes, at);
  }

  beginBlob(): BlobDraft {
    const parts: Uint8Array[] = [];
    let key: number | undefined;
    return {
      append: async (bytes) => void parts.push(bytes),
      stage: async () => {
        key = this.#nextStaged++;
        const bytes = Buffer.concat(parts);
        this.#staged.set(key, bytes);
        return { key, member: '', sizeBytes: bytes.length };
      },
      finish: async (sha256, at, owner) => this.#finish(sha256, Buffer.concat(parts), at, owner),
      abandon: () => {
        if (key !== undefined) this.#staged.delete(key);
      },
    };
  }

  resumeBlob({ key }: StagedBlob): BlobDraft {
    const draft = this.beginBlob();
    return {
      ...draft,
      finish: async (sha256, at, owner) => {
        const bytes = this.#staged.get(key);
        this.#staged.delete(key);
        if (bytes === undefined && findBlob(this.#open.disk, sha256) === undefined) {
          throw new StoreFault('store_deposed', 'The blob was removed while it was written.');
        }
        return this.#finish(sha256, bytes ?? new Uint8Array(), at, owner);
      },
      abandon: () => void this.#staged.delete(key),
    };
  }

  #finish(sha256: string, bytes: Uint8Array, at: number, owner: string | undefined): boolean {
    const { disk } = this.#open;
    const isNew = findBlob(disk, sha256) === undefined;
    putBlob(disk, sha256, bytes, at);
    if (owner !== undefined) findBlob(disk, sha256)!.owners.add(owner);
    return isNew;
  }

  async touchBlob(sha256: string, at: number): Promise<boolean> {
    return touchBlob(this.#open.disk, sha256, at);
  }

  async ownBlob(sha256: string, owner: string): Promise<void> {
    findBlob(this.#open.disk, sha256)?.owners.add(owner);
  }

  async isBlobOf(sha256: string, owner: string): Promise<boolean> {
    const blob = findBlob(this.#open.disk, sha256);
    if (blob === undefined) return false;
    if (blob.owners.has(owner)) return true;
    return this.#open.folders({ owner }).some(({ blobs }) => blobs.has(sha256));
  }

  async blobBytesOf(owner: string): Promise<number> {
    const { blobs, generation } = this.#open.disk;
    return [...blobs.values()]
      .filter((blob) => blob.generation === generation)
      .filter(({ owners, broughtTo }) => owners.has(owner) || broughtTo.has(owner))
      .reduce((sum, { row }) => sum + row.sizeBytes, 0);
  }

  async findBlob(sha256: string): Promise<BlobRow | undefined> {
    return findBlob(this.#open.disk, sha256)?.row;
  }

  async readBlob(sha256: string): Promise<Uint8Array | undefined> {
    return findBlob(this.#open.disk, sha256)?.bytes;
  }

  async readBlobPart(sha256: string, fromByte: number): Promise<Uint8Array | undefined> {
    return findBlob(this.#open.disk, sha256)?.bytes.subarray(fromByte);
  }

  async collectBlobs(before: number): Promise<boolean> {
    const { disk } = this.#open;
    const needed = neededBlobs(disk);
    for (const [sha256, { row }] of disk.blobs) {
      if (row.touchedAt < before && !needed.has(sha256)) disk.blobs.delete(sha256);
    }
    return false;
  }
}

export function findBlob(disk: MemoryDisk, sha256: string): StoredBlob | undefined {
  const blob = disk.blobs.get(sha256);
  return blob?.generation === disk.generation ? blob : undefined;
}

function putBlob(disk: MemoryDisk, sha256: string, bytes: Uint8Array, at: number): void {
  if (touchBlob(disk, sha256, at)) return;
  const row = { sha256, sizeBytes: bytes.length, touchedAt: at };
  const { generation } = disk;
  disk.blobs.set(sha256, {
    row,
    generation,
    bytes: Uint8Array.from(bytes),
    owners: new Set(),
    broughtTo: new Set(),
  });
}

export function touchBlob(disk: MemoryDisk, sha256: string, at: number): boolean {
  const blob = findBlob(disk, sha256);
  if (blob === undefined) return false;
  if (needsTouch(blob.row, at)) {
    disk.blobs.set(sha256, { ...blob, row: { ...blob.row, touchedAt: at } });
  }
  return true;
}

function neededBlobs(disk: MemoryDisk): ReadonlySet<string> {
  const needed = new Set<string>();
  const addAll = (hashes: Iterable<string>) => {
    for (const sha256 of hashes) needed.add(sha256);
  };
  for (const staged of disk.staged.values()) if (!staged.dropped) addAll(staged.blobs);
  for (const folder of disk.jobs.values()) {
    if (folder.row.spec.generation === disk.generation) addAll(folder.blobs);
  }
  for (const { state, checkpoint } of disk.states.values()) {
    const { generation } = disk.jobs.get(checkpoint.jobKey)!.row.spec;
    if (generation === disk.generation && state.encoding === 'blob') needed.add(state.blobSha256);
  }
  return needed;
}
