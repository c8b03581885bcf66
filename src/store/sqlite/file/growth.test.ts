import { join } from 'node:path';
import { expect, test } from 'vitest';
import { batch, completedRow, jobRow, startAt } from '../../conformance/rows.ts';
import { openSqliteStore } from '../open.ts';
import { makeDirectory } from '../testing/directory.ts';
import { measureGrowth } from './growth.ts';

const day = 86_400_000;

/** Jobs of ten tasks that ended so many days after the start. */
async function fileOf(days: readonly number[]): Promise<string> {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  const ended = (at: number) => ({ status: 'completed', completedAt: at }) as const;
  await store.commit(
    batch({
      jobs: days.map((each, i) => jobRow(i + 1, {}, ended(startAt + each * day))),
      tasks: days.flatMap((_, i) => [completedRow(i + 1, 0, `"${'x'.repeat(50_000)}"`)]),
    }),
    startAt,
  );
  await store.close();
  return path;
}

test('a database grows by what the tasks of the last week take in it', async () => {
  const path = await fileOf([0, 1, 2, 3, 16, 18]);
  const { bytes, bytesPerDay } = measureGrowth(path, startAt + 20 * day);
  expect(bytes).toBeGreaterThan(300_000);
  // Two of six jobs in the four days since the first of them ended.
  expect(bytesPerDay! / bytes).toBeCloseTo(2 / 6 / 4);
});

test('of a history that is too short, or of nothing lately, no rate is told or none', async () => {
  expect(measureGrowth(await fileOf([0]), startAt + 1000).bytesPerDay).toBeNull();
  expect(measureGrowth(await fileOf([]), startAt).bytesPerDay).toBeNull();
  expect(measureGrowth(await fileOf([0]), startAt + 30 * day).bytesPerDay).toBeNull();
});
