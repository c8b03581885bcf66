// What must be there of `endless-commits.ts`, however that ended.

import { expect } from 'vitest';
import type { Store } from '../store.ts';
import { blobBytes, tasksPerBatch } from './endless-commits.ts';
import { blobOf } from './rows.ts';

/** The newest sequence in what `commitForever` has printed; the last line may not be whole. */
export function newestPrinted(text: string): number {
  return Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1));
}

/** All of so many commits is there, and nothing of another. Blobs of older ones are collected, halves are swept. */
export async function expectWhole(store: Store): Promise<number> {
  const { sequence, jobs, tasks } = await store.load();
  const rows = await store.listTasks(1, 0, 1_000_000);
  expect(rows.map(({ index, status }) => [index, status])).toEqual(
    Array.from({ length: (sequence + 1) * tasksPerBatch }, (_, i) => [
      i,
      i < sequence * tasksPerBatch ? 'completed' : 'assigned',
    ]),
  );
  expect(tasks.map(({ row }) => row.token)).toEqual(
    rows.slice(-tasksPerBatch).map(({ index }) => `token-1-${index}`),
  );
  expect(jobs[0]?.completed).toBe(sequence * tasksPerBatch);
  expect(await store.listCheckpoints(1, null, 1_000_000)).toHaveLength(sequence);
  expect(await store.readCheckpointState(sequence - 1)).toBeUndefined();
  const { sha256, bytes } = blobOf(blobBytes, sequence);
  const state = { encoding: 'blob', blobSha256: sha256 };
  expect(await store.readCheckpointState(sequence)).toEqual(state);
  while (await store.collectBlobs(Infinity, 100));
  while (await store.sweep(1_000));
  expect(Buffer.compare((await store.readBlob(sha256))!, bytes)).toBe(0);
  return sequence;
}
