// Fresh tasks that are given out together are one row until they end, whoever writes and whoever reads.

import { expect, onTestFinished, test } from 'vitest';
import { batch, completedRow, jobRow, startAt, taskRow } from '../conformance/rows.ts';
import { createMemoryStore } from '../memory/memory-store.ts';
import type { TaskRow } from '../rows.ts';
import { openPostgresStore } from './open.ts';
import { makeSchema } from './testing/schemas.ts';

const count = 40;
const job = jobRow(1, { taskCount: 100 }, { status: 'running', cursors: [count] });

function freshRow(index: number, rest: Partial<TaskRow> = {}): TaskRow {
  return taskRow(1, index, { workerId: `worker-${index % 2}`, runBeforeMs: 0, ...rest });
}

async function openStore() {
  const schema = makeSchema();
  let store = await openPostgresStore(schema.address, { connections: 2 });
  onTestFinished(async () => {
    await store.close();
    await schema.remove();
  });
  const rows = async () => {
    const [found] = await schema.ask(
      'select (select count(*)::int from tasks) as tasks, (select count(*)::int from dispatches) as dispatches',
    );
    return found;
  };
  const reopen = async () => {
    await store.close();
    return (store = await openPostgresStore(schema.address, { connections: 2 }));
  };
  return { store, rows, reopen };
}

test('a task has a row when it has ended, and its dispatch goes with the last one', async () => {
  const { store, rows, reopen } = await openStore();
  const fresh = Array.from({ length: count }, (_, index) => freshRow(index));
  await store.commit(batch({ jobs: [job], tasks: fresh }), startAt);
  expect(await rows()).toEqual({ tasks: 0, dispatches: 2 });
  const done = fresh.map(({ index, workerId }) => ({ ...completedRow(1, index), workerId }));
  await store.commit(batch({ sequence: 2, tasks: done.slice(0, 30) }), startAt);
  expect(await rows()).toEqual({ tasks: 30, dispatches: 2 });
  const next = await reopen();
  expect((await next.load()).tasks.map(({ row }) => row)).toEqual(fresh.slice(30));
  // The next writer gives out more, and the rest ends.
  const more = Array.from({ length: 10 }, (_, i) => freshRow(count + i, { workerId: 'worker-3' }));
  await next.commit(batch({ sequence: 3, tasks: [...done.slice(30), ...more] }), startAt);
  expect(await rows()).toEqual({ tasks: count, dispatches: 1 });
  expect(await next.listTasks(1, 0, 99)).toEqual(
    [...done, ...more].map((row) => ({ ...row, resultJson: null })),
  );
});

test('a task that may have a row gets one again, and a single one gets its own', async () => {
  const { store, rows } = await openStore();
  const pending = freshRow(5, { status: 'pending', token: null, runBeforeMs: null });
  await store.commit(batch({ jobs: [job], tasks: [pending] }), startAt);
  const fresh = Array.from({ length: 12 }, (_, index) => freshRow(index));
  await store.commit(batch({ sequence: 2, tasks: fresh }), startAt);
  // Up to the sixth each may have one.
  expect(await rows()).toEqual({ tasks: 6, dispatches: 2 });
  await store.commit(batch({ sequence: 3, tasks: [freshRow(12)] }), startAt);
  expect(await rows()).toEqual({ tasks: 7, dispatches: 2 });
  expect((await store.load()).tasks.map(({ row }) => row)).toEqual([...fresh, freshRow(12)]);
});

test('a batch that names a task twice leaves the row that comes last', async () => {
  const { store } = await openStore();
  const fresh = Array.from({ length: 6 }, (_, index) => freshRow(index));
  const tasks = [...fresh, completedRow(1, 2), freshRow(4, { token: 'again' })];
  await store.commit(batch({ jobs: [job], tasks }), startAt);
  const expected = fresh.with(2, completedRow(1, 2)).with(4, freshRow(4, { token: 'again' }));
  expect(await store.listTasks(1, 0, 9)).toEqual(
    expected.map((row) => ({ ...row, resultJson: null })),
  );
});

test('tokens and workers come back to the letter, and pages begin and end anywhere', async () => {
  const { store } = await openStore();
  const memory = createMemoryStore();
  const texts = ['', ',', '\u0001,', '\0', '\u0001', '🦊', '0', `it's "one"`];
  const tasks = Array.from({ length: count }, (_, index) =>
    freshRow(index, {
      token: texts[index % texts.length]!,
      workerId: texts[Math.floor(index / 5) % 3]!,
    }),
  );
  const ended = [0, 7, 8, 9, 31].map((index) => completedRow(1, index));
  for (const each of [store, memory]) {
    await each.commit(batch({ jobs: [job], tasks }), startAt);
    await each.commit(batch({ sequence: 2, tasks: ended }), startAt);
  }
  for (const from of [0, 6, 9, 30, 39, 40]) {
    for (const limit of [0, 1, 3, 99]) {
      expect(await store.listTasks(1, from, limit)).toEqual(await memory.listTasks(1, from, limit));
      expect(await store.listTasksByStatus(1, 'assigned', from, limit)).toEqual(
        await memory.listTasksByStatus(1, 'assigned', from, limit),
      );
    }
  }
  const cells = { from: 3, to: 37, width: 5 };
  expect(await store.countCells(1, cells)).toEqual(await memory.countCells(1, cells));
  const cancelled = { ...job, status: 'cancelled', cancelledAt: 1, completedAt: 1 } as const;
  for (const each of [store, memory]) {
    await each.commit(batch({ sequence: 3, jobs: [cancelled] }), startAt);
  }
  for (const bytes of [1, 2_000, 1e6]) {
    expect(await store.listResults(1, 2, 30, bytes)).toEqual(
      await memory.listResults(1, 2, 30, bytes),
    );
  }
});
