import { expect, onTestFinished, test } from 'vitest';
import { batch, completedRow, failedRow, jobRow, startAt } from '../conformance/rows.ts';
import { createMemoryStore } from '../memory/memory-store.ts';
import { openPostgresStore } from './open.ts';
import { makeSchema } from './testing/schemas.ts';

async function openStore() {
  const schema = makeSchema();
  const store = await openPostgresStore(schema.address, { connections: 2 });
  onTestFinished(async () => {
    await store.close();
    await schema.remove();
  });
  return { store, schema };
}

test('a page of results is bounded by characters, however many bytes each has', async () => {
  const { store } = await openStore();
  const memory = createMemoryStore();
  const texts = ['x', 'é', '漢', '🦊', '\u0000', '\u0001'];
  const tasks = Array.from({ length: 300 }, (_, index) =>
    completedRow(1, index, texts[index % texts.length]!.repeat((index * 37) % 900)),
  );
  tasks[40] = { ...failedRow(1, 40), errorMessage: '漢'.repeat(5_000) };
  const job = jobRow(1, { taskCount: 1_000 });
  for (const each of [store, memory]) await each.commit(batch({ jobs: [job], tasks }), startAt);
  for (const from of [0, 39, 40, 123, 299, 300]) {
    for (const bytes of [1, 256, 1_000, 5_000, 40_000, 1e6]) {
      for (const limit of [0, 1, 7, 500]) {
        const expected = await memory.listResults(1, from, limit, bytes);
        expect(await store.listResults(1, from, limit, bytes)).toEqual(expected);
      }
    }
  }
});

test('a task of a job in which every one has ended, and that has no row, is damaged', async () => {
  const { store, schema } = await openStore();
  const ended = { status: 'failed', completed: 3, failed: 1, completedAt: startAt } as const;
  const tasks = [0, 1, 2].map((index) => completedRow(1, index));
  const rows = batch({
    jobs: [jobRow(1, { taskCount: 4 }, ended)],
    tasks: [...tasks, failedRow(1, 3)],
  });
  await store.commit(rows, startAt);
  expect(await store.listTasks(1, 1, 9)).toHaveLength(3);
  await schema.ask('delete from tasks where task_index in (1, 3)');
  const damaged = (index: number) => {
    const damage = expect.stringContaining(`task job-1.${index} is damaged`) as string;
    return { jobKey: 1, index, damage };
  };
  expect(await store.listResults(1, 0, 9, 1e6)).toEqual([
    tasks[0],
    damaged(1),
    tasks[2],
    damaged(3),
  ]);
  expect(await store.listResults(1, 1, 1, 1e6)).toEqual([damaged(1)]);
  expect(await store.listResults(1, 4, 9, 1e6)).toEqual([]);
  expect(await store.findTask(1, 4)).toBeUndefined();
  const fault = { code: 'value_damaged' };
  await expect(store.findTask(1, 3)).rejects.toMatchObject(fault);
  await expect(store.listTasks(1, 0, 9)).rejects.toMatchObject(fault);
  await expect(store.listTasks(1, 2, 9)).rejects.toMatchObject(fault);
});
