// Inputs of submissions that arrive, on a memory disk.

import type { MemoryDisk } from './memory-disk.ts';

/** False when the input before them is not there. */
export function stageInputs(
  disk: MemoryDisk,
  jobKey: number,
  fromIndex: number,
  inputs: readonly string[],
  blobs: readonly string[],
): boolean {
  let staged = disk.staged.get(jobKey);
  const isNext = fromIndex === 0 || staged?.inputs[fromIndex - 1] !== undefined;
  if (!isNext || staged?.dropped === true) return false;
  if (staged === undefined) {
    staged = { inputs: [], blobs: new Set(), dropped: false };
    disk.staged.set(jobKey, staged);
  }
  for (let i = 0; i < inputs.length; i++) staged.inputs[fromIndex + i] = inputs[i]!;
  for (const sha256 of blobs) staged.blobs.add(sha256);
  return true;
}

/** Whether all of so many inputs are there: each was stored behind the one before. */
export function isWhole(disk: MemoryDisk, jobKey: number, count: number): boolean {
  const staged = disk.staged.get(jobKey);
  return staged?.dropped === false && staged.inputs[count - 1] !== undefined;
}
