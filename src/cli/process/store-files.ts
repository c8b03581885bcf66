// How much room the database takes, and how much is left: asked of the file system, not of the database.

import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StoreFiles } from '../../server/file-metrics.ts';

export function storeFiles(path: string): StoreFiles {
  return {
    storeBytes: sizeOf(path),
    logBytes: sizeOf(`${path}-wal`),
    freeBytes: freeBytes(dirname(path)),
  };
}

/** For this user, on the disk of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
