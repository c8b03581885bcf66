import { expect, test } from 'vitest';
import { storeCases } from '../conformance/store.cases.ts';
import { batch, jobRow, startAt, taskRow } from '../conformance/rows.ts';
import { createMemoryDisk } from './memory-disk.ts';
import { createMemoryStore } from './memory-store.ts';

storeCases('memory', async () => {
  const disk = createMemoryDisk();
  return {
    open: async () => createMemoryStore(disk),
    programs: async () => [...disk.programs.values()].map(({ text }) => text.json).sort(),
    remove: async () => undefined,
  };
});

test('a store of before the crash can no longer write to the disk', async () => {
  const disk = createMemoryDisk();
  const before = createMemoryStore(disk);
  const after = createMemoryStore(disk);
  const write = before.commit(batch({ jobs: [jobRow(1)] }), startAt);
  await expect(write).rejects.toMatchObject({ code: 'store_closed' });
  await expect(before.confirm()).rejects.toMatchObject({ code: 'store_closed' });
  expect((await after.load()).jobs).toEqual([]);
});

test('refuses a task whose job does not exist and writes nothing of that batch', async () => {
  const store = createMemoryStore();
  const write = store.commit(batch({ jobs: [jobRow(1)], tasks: [taskRow(2, 0)] }), startAt);
  await expect(write).rejects.toThrow('does not exist');
  expect((await store.load()).jobs).toEqual([]);
});
