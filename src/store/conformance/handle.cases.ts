// Jobs by what a person says instead of an id.

import { expect, test } from 'vitest';
import { batch, jobRow, startAt } from './rows.ts';
import type { StoreBench } from './store-bench.ts';

export function handleCases(bench: StoreBench): void {
  const ids = ['01a2-aaaa-1111', '01a2-bbbb-2222', '01a3-cccc-1111', '01a3-cccc-9111'];
  const jobs = ids.map((id, key) => jobRow(key, { id, name: key % 2 === 0 ? 'even' : null }));

  test.each<[string, readonly number[]]>([
    ['01a2', [1, 0]],
    ['01A2-AAAA', [0]],
    ['1111', [2, 0]],
    ['-1111', [2, 0]],
    ['cccc-1111', [2]],
    ['even', [2, 0]],
    ['EVEN', []],
    ['cccc', []],
    ['01a', []],
    ['111', []],
    ['%%%%', []],
    ['____', []],
    ['', []],
    ['01a3-cccc-1111', [2]],
    ['x01a3-cccc-1111', []],
  ])('finds the jobs that %j may mean, newest first', async (handle, keys) => {
    const { store } = bench;
    await store.commit(batch({ jobs }), startAt);
    const found = await store.listMeantJobs(handle, 10);
    expect(found.map(({ spec }) => spec.key)).toEqual(keys);
  });

  test('finds no more than it was asked for, and nothing of another generation', async () => {
    const { store } = bench;
    await store.commit(batch({ jobs }), startAt);
    expect((await store.listMeantJobs('01a3', 1)).map(({ spec }) => spec.key)).toEqual([3]);
    await store.commit(batch({ sequence: 2, generation: 2 }), startAt);
    expect(await store.listMeantJobs('01a3', 9)).toEqual([]);
    expect(await store.listMeantJobs('1111', 9)).toEqual([]);
    expect(await store.listMeantJobs('even', 9)).toEqual([]);
  });
}
