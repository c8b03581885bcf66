// Blobs of a memory disk.

import { needsTouch } from '../visibility.ts';
import type { MemoryDisk, StoredBlob } from './memory-disk.ts';

export function putBlob(disk: MemoryDisk, sha256: string, bytes: Uint8Array, at: number): void {
  if (touchBlob(disk, sha256, at)) return;
  const row = { sha256, sizeBytes: bytes.length, touchedAt: at };
  disk.blobs.set(sha256, { row, generation: disk.generation, bytes: Uint8Array.from(bytes) });
}

export function touchBlob(disk: MemoryDisk, sha256: string, at: number): boolean {
  const blob = findBlob(disk, sha256);
  if (blob === undefined) return false;
  if (needsTouch(blob.row, at)) {
    disk.blobs.set(sha256, { ...blob, row: { ...blob.row, touchedAt: at } });
  }
  return true;
}

export function findBlob(disk: MemoryDisk, sha256: string): StoredBlob | undefined {
  const blob = disk.blobs.get(sha256);
  return blob?.generation === disk.generation ? blob : undefined;
}

export function collectBlobs(disk: MemoryDisk, before: number): void {
  const needed = neededBlobs(disk);
  for (const [sha256, { row }] of disk.blobs) {
    if (row.touchedAt < before && !needed.has(sha256)) disk.blobs.delete(sha256);
  }
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
