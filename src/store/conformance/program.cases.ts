// Programs: each is stored once, whatever number of jobs has it, and goes with the last of them.

import { expect, test } from 'vitest';
import type { StoreBench } from './store-bench.ts';
import { batch, jobRow, programRow, startAt } from './rows.ts';

const shared = programRow('{"code":"shared"}');
const other = programRow('{"code":"other"}');

export function programCases(bench: StoreBench): void {
  /** Jobs with these programs, by their keys. */
  async function submit(
    sequence: number,
    programs: Readonly<Record<number, typeof shared>>,
    generation = 1,
  ): Promise<void> {
    const given = Object.entries(programs).map(([key, program]) => [Number(key), program] as const);
    const jobs = given.map(([key]) => jobRow(key, { generation }));
    const payloads = given.map(([jobKey, program]) => ({ jobKey, program, inputs: [] }));
    await bench.store.commit(batch({ sequence, jobs, payloads }), startAt);
  }

  async function sweepAll(): Promise<void> {
    for (let calls = 0; await bench.store.sweep(5); calls++) expect(calls).toBeLessThan(100);
  }

  test('a program of several jobs is stored once, and each of them finds it', async () => {
    await submit(1, { 1: shared, 2: other, 3: shared });
    await submit(2, { 4: shared });
    expect(await bench.programs()).toEqual([other.json, shared.json]);
    const store = await bench.reopen();
    for (const key of [1, 3, 4]) {
      expect(await store.findProgram(key)).toEqual(shared);
      expect(await store.findProgramHash(key)).toBe(shared.sha256);
    }
    expect(await store.findProgram(2)).toEqual(other);
    expect(await store.findProgram(5)).toBeUndefined();
    expect(await store.findProgramHash(5)).toBeUndefined();
  });

  test('a program goes with the last job that has it', async () => {
    await submit(1, { 1: shared, 2: shared, 3: other });
    await bench.store.commit(batch({ sequence: 2, deletedJobs: [1, 3] }), startAt);
    expect(await bench.store.findProgram(1)).toBeUndefined();
    expect(await bench.store.findProgramHash(3)).toBeUndefined();
    await sweepAll();
    expect(await bench.programs()).toEqual([shared.json]);
    expect(await bench.store.findProgram(2)).toEqual(shared);

    await bench.store.commit(batch({ sequence: 3, deletedJobs: [2] }), startAt);
    await (await bench.reopen()).load();
    await sweepAll();
    expect(await bench.programs()).toEqual([]);
  });

  test('a program outlives a clear only in jobs that came after it', async () => {
    await submit(1, { 1: shared, 2: other });
    await bench.store.commit(batch({ sequence: 2, generation: 2 }), startAt);
    expect(await bench.store.findProgram(1)).toBeUndefined();
    // Before the old one is swept.
    await submit(3, { 3: shared }, 2);
    await sweepAll();
    expect(await bench.programs()).toEqual([shared.json]);
    expect(await bench.store.findProgram(3)).toEqual(shared);
  });

  test('a program of a streamed submission comes with the commit that shows its job', async () => {
    const { store } = bench;
    await submit(1, { 1: shared });
    await store.stageInputs(2, 0, ['0', '1']);
    await store.stageInputs(3, 0, ['0']);
    expect(await store.findProgram(2)).toBeUndefined();
    await submit(2, { 2: shared });
    await store.dropStaged(3);
    await sweepAll();
    expect(await bench.programs()).toEqual([shared.json]);
    expect(await store.findProgram(2)).toEqual(shared);
    expect(await store.readInputs(2, [1])).toEqual(['1']);
  });

  test('a program of a job that was cleared by its own batch is not stored', async () => {
    const payloads = [{ jobKey: 1, program: shared, inputs: [] }];
    await bench.store.commit(batch({ payloads, generation: 2 }), startAt);
    expect(await bench.programs()).toEqual([]);
  });

  test('a batch that is written twice refers to its program once', async () => {
    await submit(1, { 1: shared });
    await submit(1, { 1: shared });
    await bench.store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
    await sweepAll();
    expect(await bench.programs()).toEqual([]);
  });
}
