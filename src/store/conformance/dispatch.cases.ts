// Many fresh tasks that are given out at once, whether or not a store keeps them together: each reads as the row
// that was written, until another row of it is.

import { expect, test } from 'vitest';
import type { TaskRow } from '../rows.ts';
import type { Store } from '../store.ts';
import type { StoreBench } from './store-bench.ts';
import { batch, completedRow, jobRow, startAt, taskRow } from './rows.ts';
import { visitTasks } from './visiting.ts';

const count = 12;

/** Given out for the first time; those with an odd index to another worker. */
function freshRow(index: number, rest: Partial<TaskRow> = {}): TaskRow {
  const workerId = `worker-${1 + (index % 2)}`;
  return taskRow(1, index, { workerId, runBeforeMs: 0, ...rest });
}

const fresh = Array.from({ length: count }, (_, index) => freshRow(index));
const job = jobRow(1, { taskCount: 100 }, { status: 'running', cursors: [count] });
const stored = (row: TaskRow) => ({ row, past: [], checkpoints: [] });
const pendingRow = (index: number) =>
  freshRow(index, { status: 'pending', token: null, runBeforeMs: null, losses: 1 });

export function dispatchCases(bench: StoreBench): void {
  test('tasks that were given out together are found like any other', async () => {
    await bench.store.commit(batch({ jobs: [job], tasks: fresh }), startAt);
    await nowAndReopened(bench, async (store) => {
      expect((await store.load()).tasks).toEqual(fresh.map(stored));
      expect(await store.listTasks(1, 0, 99)).toEqual(fresh);
      expect(await store.listTasks(1, 3, 4)).toEqual(fresh.slice(3, 7));
      expect(await store.listTasksByStatus(1, 'assigned', 5, 3)).toEqual(
        fresh.slice(5, 8).map(stored),
      );
      expect(await store.listTasksByStatus(1, 'pending', 0, 9)).toEqual([]);
      expect(await store.listResults(1, 0, 99, 1e6)).toEqual([]);
      expect(await store.listAccepted(1, 0, 99)).toEqual([]);
      expect(await store.findTask(1, 7)).toEqual(fresh[7]);
      expect(await store.findTask(1, count)).toBeUndefined();
      const asked = [
        { jobKey: 1, index: 2 },
        { jobKey: 1, index: 50 },
      ];
      expect(await visitTasks(store, asked)).toEqual([stored(fresh[2]!)]);
      expect(await store.countCells(1, { from: 0, to: 16, width: 8 })).toMatchObject({
        assigned: [8, 4],
        pending: [0, 0],
      });
    });
  });

  test('the newest row of a task counts, whatever the others of its dispatch do', async () => {
    const { store } = bench;
    await store.commit(batch({ jobs: [job], tasks: fresh }), startAt);
    const done = completedRow(1, 4, '"four"');
    const tasks = [done, pendingRow(9)];
    await store.commit(batch({ sequence: 2, tasks }), startAt);
    const again = freshRow(9, { attempt: 2, token: 'again', losses: 1 });
    await store.commit(batch({ sequence: 3, tasks: [again] }), startAt);
    const now = fresh.map((row) => [done, again].find(({ index }) => index === row.index) ?? row);
    const open = now.filter((row) => row !== done);
    await nowAndReopened(bench, async (each) => {
      const withoutResult = now.map((row) => ({ ...row, resultJson: null }));
      expect(await each.listTasks(1, 0, 99)).toEqual(withoutResult);
      expect(await each.listResults(1, 0, 99, 1e6)).toEqual([done]);
      expect(await each.listTasksByStatus(1, 'assigned', 0, 99)).toEqual(open.map(stored));
      expect((await each.load()).tasks).toEqual(open.map(stored));
      expect(await each.countCells(1, { from: 0, to: 12, width: 12 })).toMatchObject({
        assigned: [11],
      });
    });
  });

  test('when the last of them has ended nothing is left of their having been together', async () => {
    const { store } = bench;
    await store.commit(batch({ jobs: [job], tasks: fresh }), startAt);
    const done = fresh.map(({ index }) => completedRow(1, index));
    await store.commit(batch({ sequence: 2, tasks: done.slice(0, 5) }), startAt);
    const reopened = await bench.reopen();
    await reopened.commit(batch({ sequence: 3, tasks: done.slice(5) }), startAt);
    await nowAndReopened(bench, async (each) => {
      expect((await each.load()).tasks).toEqual([]);
      expect(await each.listResults(1, 0, 99, 1e6)).toEqual(done);
      expect(await each.listTasksByStatus(1, 'assigned', 0, 99)).toEqual([]);
    });
  });

  test('a task that was given back before it began is given out anew, among fresh ones', async () => {
    const { store } = bench;
    await store.commit(batch({ jobs: [job], tasks: [pendingRow(3)] }), startAt);
    await store.commit(batch({ sequence: 2, tasks: fresh }), startAt);
    expect((await store.load()).tasks).toEqual(fresh.map(stored));
    expect((await (await bench.reopen()).load()).tasks).toEqual(fresh.map(stored));
  });

  test('tasks that were given out together end with their job', async () => {
    const { store } = bench;
    await store.commit(batch({ jobs: [job], tasks: fresh }), startAt);
    const ended = { status: 'cancelled', cancelledAt: startAt, completedAt: startAt } as const;
    await store.commit(batch({ sequence: 2, jobs: [{ ...job, ...ended }] }), startAt);
    await nowAndReopened(bench, async (each) => {
      const seen = (await each.listResults(1, 0, 99, 1e6)).map(
        (row) => 'status' in row && row.status,
      );
      expect(seen).toEqual(fresh.map(() => 'cancelled'));
      expect(await each.listTasksByStatus(1, 'cancelled', 10, 9)).toHaveLength(2);
      expect(await each.listTasksByStatus(1, 'assigned', 0, 9)).toEqual([]);
      expect((await each.load()).tasks).toEqual([]);
    });
  });

  test('a new generation hides tasks that were given out together, and a deleted job takes them along', async () => {
    const { store } = bench;
    const ended = { status: 'cancelled', cancelledAt: startAt, completedAt: startAt } as const;
    await store.commit(batch({ jobs: [{ ...job, ...ended }], tasks: fresh }), startAt);
    await store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
    expect(await store.findTask(1, 0)).toBeUndefined();
    const next = { ...job, spec: { ...job.spec, id: 'job-2', key: 2 } };
    const tasks = fresh.map((row) => ({ ...row, jobKey: 2 }));
    await store.commit(batch({ sequence: 3, jobs: [next], tasks }), startAt);
    await store.commit(batch({ sequence: 4, generation: 2 }), startAt);
    expect(await store.listTasks(2, 0, 9)).toEqual([]);
    while (await store.sweep(100));
    expect((await (await bench.reopen()).load()).tasks).toEqual([]);
  });
}

async function nowAndReopened(
  bench: StoreBench,
  look: (store: Store) => Promise<void>,
): Promise<void> {
  await look(bench.store);
  await look(await bench.reopen());
}
