// Of a worker that only goes on working little is sent; of any other the whole row.

import { expect, onTestFinished, test } from 'vitest';
import { batch, startAt, workerRow } from '../../conformance/rows.ts';
import type { WorkerRow } from '../../rows.ts';
import { openPostgresStore } from '../open.ts';
import { makeSchema } from '../testing/schemas.ts';
import { WorkerTable } from './worker-table.ts';

const first = workerRow(1, { id: 'one' });
const works = (row: WorkerRow, totalCompleted: number): WorkerRow => ({
  ...row,
  totalCompleted,
  busyMs: totalCompleted * 10,
  smoothedTaskMs: 9.5,
  energyJoules: totalCompleted / 3,
});

test('only counters are sent of one that is known', () => {
  const table = new WorkerTable();
  const sent = (...rows: readonly WorkerRow[]) =>
    table.statements(rows).map(({ values }) => values.length);
  const [whole] = sent(first);
  expect(whole).toBe(31);
  expect(sent(works(first, 1))).toEqual([6]);
  const renamed = { ...works(first, 2), givenName: 'Ann' };
  expect(sent(renamed)).toEqual([whole]);
  // Twice in a batch: the second may not overtake the first.
  expect(sent(works(renamed, 3), { ...renamed, deregisteredAt: 5 })).toEqual([6, whole]);
  expect(sent(works(renamed, 4))).toEqual([whole]);
  table.forget();
  expect(sent(works(renamed, 5))).toEqual([whole]);
});

test('a worker reads as it was written, whatever was sent of it', async () => {
  const schema = makeSchema();
  let store = await openPostgresStore(schema.address, { connections: 1 });
  onTestFinished(async () => {
    await store.close();
    await schema.remove();
  });
  let sequence = 0;
  const write = async (...workers: readonly WorkerRow[]) => {
    await store.commit(batch({ sequence: ++sequence, workers }), startAt);
    const { workers: read } = await store.load();
    expect(read).toEqual([workers.at(-1)]);
  };
  await write(first);
  await write(works(first, 7));
  const labelled = { ...works(first, 8), labels: { room: 'attic' } };
  await write(works(first, 6), labelled);
  await write(works(labelled, 9));
  await store.close();
  store = await openPostgresStore(schema.address, { connections: 1 });
  await write(works(labelled, 10));
  await write(works(labelled, 11), works(labelled, 12));
});
