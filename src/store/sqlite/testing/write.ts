// Commits batch after batch, each of `tasksPerBatch` new rows and the job that counts them, and
// prints the sequence of every one that was acknowledged. Ends by being killed.

import { writeSync } from 'node:fs';
import { batch, completedRow, jobRow, startAt } from '../../testing/rows.ts';
import { openSqliteStore } from '../open.ts';

const tasksPerBatch = 20;
const store = openSqliteStore(process.argv[2]!);
const { sequence: last } = await store.load();
for (let sequence = last + 1; ; sequence++) {
  const completed = sequence * tasksPerBatch;
  const first = completed - tasksPerBatch;
  const tasks = Array.from({ length: tasksPerBatch }, (_, i) => completedRow(1, first + i));
  const jobs = [jobRow(1, { taskCount: 1_000_000 }, { status: 'running', completed })];
  await store.commit(batch({ sequence, jobs, tasks }), startAt + sequence);
  writeSync(1, `${sequence}\n`);
}
