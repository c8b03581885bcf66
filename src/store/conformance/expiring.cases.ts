// Jobs that may have been kept for long enough are found by the end of their time.

import { expect, test } from 'vitest';
import type { JobRow } from '../rows.ts';
import type { ExpiringWanted } from '../writing.ts';
import { batch, jobRow, startAt } from './rows.ts';
import type { StoreBench } from './store-bench.ts';
import { visit } from './visiting.ts';

function ended(key: number, afterMs: number, retainMs: number | null = null): JobRow {
  const completedAt = startAt + afterMs;
  const priorities = { taskPriorities: Int16Array.of(1, -1) };
  return jobRow(key, { retainMs, ...priorities }, { status: 'completed', completedAt });
}

export function expiringCases(bench: StoreBench): void {
  const keysOf = async (lists: ExpiringWanted['lists'], limit = 10) => {
    const { expiring } = await visit(bench.store, { expiring: { limit, lists } });
    return expiring.map(({ spec }) => spec.key);
  };

  test('finds jobs by the end of the time for which they are kept', async () => {
    const jobs = [
      ended(1, 50),
      ended(2, 10, 90),
      ended(3, 40),
      ended(4, 60, 5),
      ended(5, 40),
      jobRow(6, { retainMs: 1 }),
      jobRow(7, {}, { status: 'running' }),
    ];
    await bench.store.commit(batch({ jobs }), startAt);
    expect(await keysOf(['own'])).toEqual([4, 2]);
    expect(await keysOf(['others'])).toEqual([3, 5, 1]);
    expect(await keysOf(['all'])).toEqual([2, 3, 5, 1, 4]);
    expect(await keysOf(['own', 'all'], 2)).toEqual([4, 2, 3]);
    expect(await keysOf([])).toEqual([]);
  });

  test('reads them without their priorities, which may be megabytes', async () => {
    const job = ended(1, 1, 5);
    await bench.store.commit(batch({ jobs: [job] }), startAt);
    const { expiring } = await visit(bench.store, { expiring: { limit: 1, lists: ['own'] } });
    expect(expiring).toEqual([{ ...job, spec: { ...job.spec, taskPriorities: null } }]);
  });

  test('finds none that goes on again, was deleted or cleared away', async () => {
    const { store } = bench;
    const jobs = [ended(1, 1, 5), ended(2, 2), ended(3, 3, 5)];
    await store.commit(batch({ jobs }), startAt);
    const again = jobRow(1, { retainMs: 5 }, { status: 'running' });
    await store.commit(batch({ sequence: 2, jobs: [again], deletedJobs: [2] }), startAt);
    expect(await keysOf(['own', 'others', 'all'])).toEqual([3]);
    await store.commit(batch({ sequence: 3, generation: 2 }), startAt);
    expect(await keysOf(['own', 'others', 'all'])).toEqual([]);
  });

  test('knows after a restart for how long a job is kept', async () => {
    await bench.store.commit(batch({ jobs: [ended(1, 1, 5), ended(2, 2)] }), startAt);
    await bench.reopen();
    expect(await keysOf(['own'])).toEqual([1]);
    expect((await bench.store.findJob('job-1'))?.spec.retainMs).toBe(5);
    expect((await bench.store.findJob('job-2'))?.spec.retainMs).toBeNull();
  });
}
