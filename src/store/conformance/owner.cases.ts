// Of two owners none finds anything of the other's, and everything of its own. That both stores answer alike
// is tested with any sequence of writes (`equality.test.ts`); here is what they must answer.

import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import {
  attemptRow,
  batch,
  blobOf,
  jobRow,
  newCheckpoint,
  recoveryRow,
  startAt,
  workerRow,
  workRow,
} from './rows.ts';
import type { StoreBench } from './store-bench.ts';

const owners = ['ann', 'bob', 'admin', 'zoe'] as const;
/** Job 1 is ann's, job 2 bob's, job 3 the admin's; zoe has none. */
const jobs = owners.slice(0, 3).map((owner, i) => {
  const ended = { status: 'completed', completed: 10, completedAt: startAt + i } as const;
  return jobRow(i + 1, { owner, name: 'same', clientId: 'same' }, ended);
});
const keys = jobs.map(({ spec }) => spec.key);

async function write(store: Store): Promise<void> {
  const rows = batch({
    jobs,
    workers: [workerRow(1)],
    attempts: keys.map((key) => attemptRow(key, 0, 1, { outcome: 'failed' })),
    recoveries: keys.map((key) => recoveryRow(key, key)),
    checkpoints: keys.map((key) => newCheckpoint(key, key)),
    work: keys.map((key) => workRow(key, 'worker-1', { completed: key })),
  });
  await store.commit(rows, startAt);
}

/** Everything that an owner may ask, as the keys of the jobs that it found. */
async function found(store: Store, owner: string): Promise<readonly (readonly number[])[]> {
  const keysOf = (rows: readonly { readonly jobKey: number }[]) => rows.map(({ jobKey }) => jobKey);
  const ofJobs = (rows: readonly (typeof jobs)[number][]) => rows.map(({ spec }) => spec.key);
  const ended = (await Array.fromAsync(store.listEndedJobs(null, owner))).flat();
  const period = { from: startAt, to: startAt + 1_000, bucketMs: 1_000 };
  return [
    ofJobs(await store.listJobs({ owner }, null, 9)),
    ofJobs(await store.listJobs({ owner, clientId: 'same', statuses: ['completed'] }, null, 9)),
    ofJobs(await store.listMeantJobs('same', 9, owner)),
    ofJobs(await store.listMeantJobs('job-', 9, owner)),
    ended.map(({ key }) => key),
    keysOf(await store.listFailures('worker-1', 9, owner)),
    keysOf(await store.listRecoveries(null, 9, { owner })),
    // As many tasks as the key of the job.
    (await store.sumWork({ owner })).map(({ completed }) => completed),
    (await store.sumThroughput({ owner, ...period })).map(({ completed }) => completed),
  ];
}

export function ownerCases(bench: StoreBench): void {
  test.each<[string, readonly number[]]>([
    ['ann', [1]],
    ['bob', [2]],
    ['admin', [3]],
    ['zoe', []],
  ])('%s finds what is its own, and nothing else', async (owner, own) => {
    await write(bench.store);
    for (const open of [async () => bench.store, () => bench.reopen()]) {
      const store = await open();
      for (const answer of await found(store, owner)) expect(answer).toEqual(own);
      expect((await store.sumRecoveries({ owner })).events).toBe(own.length);
      expect((await store.sumCheckpoints({ owner })).count).toBe(own.length);
    }
  });

  test('says whose a job is, and of a deleted one what it says of one that never was', async () => {
    const { store } = bench;
    await write(store);
    expect(await store.findJobOwner('job-1')).toBe('ann');
    expect(await store.findJobOwner('job-3')).toBe('admin');
    expect(await store.findJobOwner('job-4')).toBeUndefined();
    await store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
    expect(await store.findJobOwner('job-1')).toBeUndefined();
    for (const answer of await found(store, 'ann')) expect(answer).toEqual([]);
  });

  test('counts the jobs of each owner but the admin', async () => {
    await write(bench.store);
    const { counters, ownerCounters } = await bench.store.load();
    expect([...ownerCounters.keys()].sort()).toEqual(['ann', 'bob']);
    expect(counters).toMatchObject({ total: 3, tasksCompleted: 30 });
    expect(ownerCounters.get('ann')).toEqual({
      total: 1,
      pending: 0,
      running: 0,
      completed: 1,
      failed: 0,
      cancelled: 0,
      tasks: 10,
      tasksCompleted: 10,
      storedBytes: 0,
    });
  });

  test('sums what the jobs of an owner keep, and no longer when they are gone', async () => {
    const { store } = bench;
    const rows = [1, 2, 3].map((key) => ({
      ...jobRow(key, { owner: key < 3 ? 'ann' : 'bob' }),
      storedBytes: key,
    }));
    await store.commit(batch({ jobs: rows }), startAt);
    await store.commit(batch({ sequence: 2, jobs: [{ ...rows[0]!, storedBytes: 10 }] }), startAt);
    const stored = async () => {
      const { ownerCounters } = await (await bench.reopen()).load();
      return Object.fromEntries(
        [...ownerCounters].map(([of, { storedBytes }]) => [of, storedBytes]),
      );
    };
    expect(await stored()).toEqual({ ann: 12, bob: 3 });
    expect(await bench.store.findJob('job-1')).toMatchObject({ storedBytes: 10 });
    const reopened = await bench.reopen();
    await reopened.commit(batch({ sequence: 3, deletedJobs: [1, 3] }), startAt);
    expect(await stored()).toEqual({ ann: 2 });
  });

  test('counts each blob of an owner once, until it is collected or swept', async () => {
    const { store } = bench;
    await write(store);
    const [small, large, brought] = [blobOf(10), blobOf(300_000), blobOf(50)];
    const put = async ({ sha256, bytes }: typeof small, owner?: string) => {
      const draft = store.beginBlob();
      await draft.append(bytes);
      await draft.finish(sha256, startAt, owner);
    };
    const bytes = async () =>
      Promise.all(['ann', 'bob', 'zoe'].map((owner) => store.blobBytesOf(owner)));
    await put(small, 'ann');
    await put(small, 'ann');
    await put(small, 'bob');
    await put(large, 'bob');
    await put(brought);
    expect(await bytes()).toEqual([10, 300_010, 0]);
    const blobReferences = [small, brought].map(({ sha256 }) => ({ jobKey: 1, sha256 }));
    await store.commit(batch({ sequence: 2, blobReferences }), startAt);
    await store.commit(batch({ sequence: 3, blobReferences }), startAt);
    await store.ownBlob(brought.sha256, 'ann');
    expect(await bytes()).toEqual([60, 300_010, 0]);
    expect(await (await bench.reopen()).blobBytesOf('ann')).toBe(60);
    while (await bench.store.collectBlobs(startAt + 1, 9));
    while (await bench.store.sweep(1_000));
    expect(await bench.store.blobBytesOf('bob')).toBe(10);
    await bench.store.commit(batch({ sequence: 4, generation: 2 }), startAt);
    while (await bench.store.sweep(1_000));
    expect(await bench.store.blobBytesOf('bob')).toBe(0);
  });

  test('a blob is for who has put it, or has a job that refers to it', async () => {
    const { store } = bench;
    await write(store);
    const [put, referred] = [blobOf(300_000), blobOf(10)];
    const seen = async (sha256: string) =>
      Promise.all(owners.map((owner) => store.isBlobOf(sha256, owner)));
    for (const owner of ['ann', 'zoe']) {
      const draft = store.beginBlob();
      await draft.append(put.bytes);
      expect(await draft.finish(put.sha256, startAt, owner)).toBe(owner === 'ann');
    }
    expect(await seen(put.sha256)).toEqual([true, false, false, true]);
    await store.putBlob(referred.sha256, referred.bytes, startAt);
    expect(await seen(referred.sha256)).toEqual([false, false, false, false]);
    const reference = { jobKey: 2, sha256: referred.sha256 };
    await store.commit(batch({ sequence: 2, blobReferences: [reference] }), startAt);
    expect(await seen(referred.sha256)).toEqual([false, true, false, false]);
    await store.ownBlob(referred.sha256, 'admin');
    await store.ownBlob('ab'.repeat(32), 'ann');
    const reopened = await bench.reopen();
    expect(await reopened.isBlobOf(referred.sha256, 'admin')).toBe(true);
    expect(await reopened.isBlobOf('ab'.repeat(32), 'ann')).toBe(false);
    await reopened.commit(batch({ sequence: 3, deletedJobs: [2] }), startAt);
    expect(await reopened.isBlobOf(referred.sha256, 'bob')).toBe(false);
  });

  test('what staged inputs refer to is for their owner once the job is there', async () => {
    const { store } = bench;
    const { sha256, bytes } = blobOf(10);
    await store.putBlob(sha256, bytes, startAt);
    await store.stageInputs(7, 0, ['1'], [sha256]);
    expect(await store.isBlobOf(sha256, 'ann')).toBe(false);
    await store.commit(batch({ jobs: [jobRow(7, { owner: 'ann' })] }), startAt);
    expect(await store.isBlobOf(sha256, 'ann')).toBe(true);
    expect(await store.isBlobOf(sha256, 'bob')).toBe(false);
  });

  test('who had a blob does not have it after it was collected or cleared', async () => {
    const { store } = bench;
    const { sha256, bytes } = blobOf(10);
    const putBy = async (owner: string) => {
      const draft = store.beginBlob();
      await draft.append(bytes);
      await draft.finish(sha256, startAt, owner);
    };
    await putBy('ann');
    while (await store.collectBlobs(startAt + 1, 9));
    expect(await store.isBlobOf(sha256, 'ann')).toBe(false);
    await putBy('bob');
    expect(await store.isBlobOf(sha256, 'ann')).toBe(false);
    await store.commit(batch({ generation: 2 }), startAt);
    expect(await store.isBlobOf(sha256, 'bob')).toBe(false);
    await putBy('ann');
    expect(await store.isBlobOf(sha256, 'bob')).toBe(false);
    expect(await store.isBlobOf(sha256, 'ann')).toBe(true);
  });
}
