// Blobs: whole or not there, kept as long as something refers to them.

import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import type { StoreBench } from './store-bench.ts';
import { batch, blobOf, jobRow, newCheckpoint, startAt } from './rows.ts';

const hour = 3_600_000;
const sizes = [0, 1, 256 * 1024, 256 * 1024 + 1, 3_000_000];

export function blobCases(bench: StoreBench): void {
  test('gives back the bytes of a blob after it was opened again', async () => {
    const blobs = sizes.map((size) => blobOf(size));
    for (const { sha256, bytes } of blobs) await bench.store.putBlob(sha256, bytes, startAt);
    const reopened = await bench.reopen();
    expect((await reopened.load()).hasBlobs).toBe(true);
    for (const { sha256, bytes } of blobs) {
      expect(await reopened.findBlob(sha256)).toEqual({
        sha256,
        sizeBytes: bytes.length,
        touchedAt: startAt,
      });
      expect(Buffer.compare((await reopened.readBlob(sha256))!, bytes)).toBe(0);
    }
    expect(await reopened.findBlob('ab'.repeat(32))).toBeUndefined();
    expect(await reopened.readBlob('ab'.repeat(32))).toBeUndefined();
  });

  test('a blob that is put by two at a time is there once, and whole', async () => {
    const { store } = bench;
    const { sha256, bytes } = blobOf(900_000);
    const other = blobOf(700_000, 2);
    await Promise.all([
      store.putBlob(sha256, bytes, startAt),
      store.putBlob(other.sha256, other.bytes, startAt),
      store.putBlob(sha256, bytes, startAt),
    ]);
    await sweepAll(store);
    expect(Buffer.compare((await store.readBlob(sha256))!, bytes)).toBe(0);
    expect(Buffer.compare((await store.readBlob(other.sha256))!, other.bytes)).toBe(0);
  });

  test('names a blob that was staged elsewhere, as if it had been sent here', async () => {
    const { store } = bench;
    for (const size of sizes) {
      const { sha256, bytes } = blobOf(size, 11);
      const draft = store.beginBlob();
      await draft.append(bytes);
      const staged = await draft.stage();
      expect(staged.sizeBytes).toBe(size);
      await sweepAll(store);
      expect(await store.findBlob(sha256)).toBeUndefined();
      expect(await store.resumeBlob(staged).finish(sha256, startAt, 'ann')).toBe(true);
      draft.abandon();
      await sweepAll(store);
      expect(Buffer.compare((await store.readBlob(sha256))!, bytes)).toBe(0);
      expect(await store.isBlobOf(sha256, 'ann')).toBe(true);
    }
  });

  test('a blob that is staged and there already is touched, and becomes one more owner’s', async () => {
    const { store } = bench;
    const { sha256, bytes } = blobOf(600_000);
    await store.putBlob(sha256, bytes, startAt);
    const draft = store.beginBlob();
    await draft.append(bytes);
    const staged = await draft.stage();
    const at = startAt + hour;
    expect(await store.resumeBlob(staged).finish(sha256, at, 'ann')).toBe(false);
    draft.abandon();
    expect(await store.findBlob(sha256)).toMatchObject({ touchedAt: at });
    expect(await store.isBlobOf(sha256, 'ann')).toBe(true);
    await sweepAll(store);
    expect(Buffer.compare((await store.readBlob(sha256))!, bytes)).toBe(0);
  });

  test('what was staged and abandoned cannot be named any more', async () => {
    const { store } = bench;
    const { sha256, bytes } = blobOf(600_000);
    const draft = store.beginBlob();
    await draft.append(bytes);
    const staged = await draft.stage();
    draft.abandon();
    // The draft is let go beside: the sweep comes after it.
    await store.putBlob(blobOf(9).sha256, blobOf(9).bytes, startAt);
    await sweepAll(store);
    await expect(store.resumeBlob(staged).finish(sha256, startAt)).rejects.toMatchObject({
      code: 'store_deposed',
    });
    expect(await store.findBlob(sha256)).toBeUndefined();
  });

  test('takes a blob in pieces of any size, and gives it out in parts', async () => {
    const { store } = bench;
    for (const size of sizes) {
      const { sha256, bytes } = blobOf(size, 7);
      const draft = store.beginBlob();
      for (let from = 0, step = 1; from < size; from += step, step = (step * 5) % 300_007) {
        await draft.append(bytes.subarray(from, from + step));
      }
      await sweepAll(store);
      expect(await store.findBlob(sha256)).toBeUndefined();
      expect(await draft.finish(sha256, startAt)).toBe(true);
      draft.abandon();
      expect(Buffer.compare((await store.readBlob(sha256))!, bytes)).toBe(0);
      const parts: Uint8Array[] = [];
      for (let from = 0; from < size; from += parts.at(-1)!.length) {
        parts.push((await store.readBlobPart(sha256, from))!);
      }
      expect(Buffer.compare(Buffer.concat(parts), bytes)).toBe(0);
      expect(await store.readBlobPart(sha256, size)).toEqual(new Uint8Array());
      const again = store.beginBlob();
      await again.append(bytes);
      expect(await again.finish(sha256, startAt + hour)).toBe(false);
      expect((await store.findBlob(sha256))?.touchedAt).toBe(startAt + hour);
    }
    expect(await store.readBlobPart('ab'.repeat(32), 0)).toBeUndefined();
  });

  test('what was given up on the way is not there', async () => {
    const { store } = bench;
    const { sha256, bytes } = blobOf(600_000);
    const draft = store.beginBlob();
    await draft.append(bytes);
    draft.abandon();
    await sweepAll(store);
    expect(await store.findBlob(sha256)).toBeUndefined();
    await store.putBlob(sha256, bytes, startAt);
    expect(Buffer.compare((await store.readBlob(sha256))!, bytes)).toBe(0);
  });

  test('sweeping takes nothing of a blob that is being written or read', async () => {
    const { store } = bench;
    const { sha256, bytes } = blobOf(3_000_000);
    const written = store.putBlob(sha256, bytes, startAt);
    await sweepAll(store);
    await written;
    const read = store.readBlob(sha256);
    await sweepAll(store);
    expect(Buffer.compare((await read)!, bytes)).toBe(0);
  });

  test('a touch begins its age anew, to the minute', async () => {
    const { store } = bench;
    const { sha256, bytes } = blobOf(10);
    await store.putBlob(sha256, bytes, startAt);
    const touchedAt = async () => (await store.findBlob(sha256))?.touchedAt;
    expect(await store.touchBlob(sha256, startAt + 59_999)).toBe(true);
    expect(await touchedAt()).toBe(startAt);
    expect(await store.touchBlob(sha256, startAt + 60_000)).toBe(true);
    expect(await touchedAt()).toBe(startAt + 60_000);
    await store.putBlob(sha256, bytes, startAt + hour);
    expect(await touchedAt()).toBe(startAt + hour);
    expect(await store.touchBlob('ab'.repeat(32), startAt)).toBe(false);
  });

  test('collects what is old and nothing refers to', async () => {
    const { store } = bench;
    const [old, young] = [await put(store, 1, startAt), await put(store, 2, startAt + hour)];
    await collectAll(store, startAt + hour);
    expect(await store.findBlob(old)).toBeUndefined();
    expect(await store.readBlob(old)).toBeUndefined();
    expect(await store.touchBlob(old, startAt)).toBe(false);
    expect(await store.findBlob(young)).toBeDefined();
    await sweepAll(store);
    const reopened = await bench.reopen();
    expect(await reopened.findBlob(old)).toBeUndefined();
    await put(reopened, 1, startAt);
    expect((await reopened.readBlob(old))?.length).toBe(1_000);
  });

  test('keeps a blob as long as a job refers to it', async () => {
    const { store } = bench;
    const blobs = [await put(store, 1), await put(store, 2), await put(store, 3)];
    const blobReferences = [
      { jobKey: 1, sha256: blobs[0]! },
      { jobKey: 1, sha256: blobs[0]! },
      { jobKey: 2, sha256: blobs[0]! },
      { jobKey: 2, sha256: blobs[1]! },
      { jobKey: 9, sha256: blobs[2]! },
    ];
    await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], blobReferences }), startAt);
    await collectAll(store);
    expect(await known(store, blobs)).toEqual([true, true, false]);
    await store.commit(batch({ sequence: 2, deletedJobs: [2] }), startAt);
    await collectAll(store);
    expect(await known(store, blobs)).toEqual([true, false, false]);
    await sweepAll(store);
    await store.commit(batch({ sequence: 3, deletedJobs: [1] }), startAt);
    await collectAll(await bench.reopen());
    expect(await known(bench.store, blobs)).toEqual([false, false, false]);
  });

  test('keeps a blob as long as it is the state of a checkpoint that is kept', async () => {
    const { store } = bench;
    const blobs = [await put(store, 1), await put(store, 2)];
    const checkpoints = blobs.map((blobSha256, i) =>
      newCheckpoint(i + 1, 1, {}, { encoding: 'blob', blobSha256 }),
    );
    await store.commit(batch({ jobs: [jobRow(1)], checkpoints }), startAt);
    await collectAll(store);
    expect(await known(store, blobs)).toEqual([true, true]);
    await store.commit(batch({ sequence: 2, droppedStates: [1] }), startAt);
    await collectAll(store);
    expect(await known(store, blobs)).toEqual([false, true]);
    await store.commit(batch({ sequence: 3, deletedJobs: [1] }), startAt);
    await collectAll(store);
    expect(await known(store, blobs)).toEqual([false, false]);
  });

  test('keeps the blobs of a submission that arrives, and of the job it becomes', async () => {
    const { store } = bench;
    const blobs = [await put(store, 1), await put(store, 2), await put(store, 3)];
    await store.stageInputs(1, 0, ['0', '1'], [blobs[0]!, blobs[0]!]);
    await store.stageInputs(1, 2, ['2'], [blobs[1]!]);
    await store.stageInputs(2, 0, ['0'], [blobs[2]!]);
    await collectAll(store);
    expect(await known(store, blobs)).toEqual([true, true, true]);
    await store.dropStaged(2);
    await store.commit(batch({ jobs: [jobRow(1)] }), startAt);
    await collectAll(store);
    await sweepAll(store);
    await (await bench.reopen()).load();
    await collectAll(bench.store);
    expect(await known(bench.store, blobs)).toEqual([true, true, false]);
    await bench.store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
    await collectAll(bench.store);
    expect(await known(bench.store, blobs)).toEqual([false, false, false]);
  });

  test('a round of collecting comes by every blob, whatever the size of its steps', async () => {
    const { store } = bench;
    const blobs: string[] = [];
    for (let seed = 1; seed <= 12; seed++) blobs.push(await put(store, seed, startAt + (seed % 3)));
    const blobReferences = blobs.slice(0, 7).map((sha256) => ({ jobKey: 1, sha256 }));
    await store.commit(batch({ jobs: [jobRow(1)], blobReferences }), startAt);
    for (let calls = 0; await store.collectBlobs(startAt + hour, 2); calls++) {
      expect(calls).toBeLessThan(10);
    }
    expect(await known(store, blobs)).toEqual(blobs.map((_, i) => i < 7));
  });

  test('a new generation has no blobs, and may have the same ones again', async () => {
    const { store } = bench;
    const blobs = [await put(store, 1), await put(store, 2), await put(store, 3)];
    const blobReferences = [{ jobKey: 1, sha256: blobs[0]! }];
    await store.commit(batch({ jobs: [jobRow(1)], blobReferences }), startAt);
    await store.commit(batch({ sequence: 2, generation: 2 }), startAt);
    expect(await known(store, blobs)).toEqual([false, false, false]);
    expect((await store.load()).hasBlobs).toBe(false);
    expect(await store.readBlob(blobs[0]!)).toBeUndefined();
    expect(await store.touchBlob(blobs[0]!, startAt)).toBe(false);
    await put(store, 1, startAt + 9);
    await sweepAll(store);
    expect(await known(store, blobs)).toEqual([true, false, false]);
    expect((await store.readBlob(blobs[0]!))?.length).toBe(1_000);
    await put(store, 2);
    expect((await store.readBlob(blobs[1]!))?.length).toBe(1_000);
    await collectAll(store);
    expect(await known(store, blobs)).toEqual([false, false, false]);
  });
}

async function put(store: Store, seed: number, at = startAt): Promise<string> {
  const { sha256, bytes } = blobOf(1_000, seed);
  await store.putBlob(sha256, bytes, at);
  return sha256;
}

async function known(store: Store, blobs: readonly string[]): Promise<readonly boolean[]> {
  return Promise.all(blobs.map(async (sha256) => (await store.findBlob(sha256)) !== undefined));
}

async function collectAll(store: Store, before = startAt + hour): Promise<void> {
  for (let calls = 0; await store.collectBlobs(before, 5); calls++) expect(calls).toBeLessThan(100);
}

async function sweepAll(store: Store): Promise<void> {
  for (let calls = 0; await store.sweep(5); calls++) expect(calls).toBeLessThan(100);
}
