// For tests in which a process, or what it writes to, is ended amid its commits: each commit completes some tasks,
// gives out as many for the next one, and has the job that counts them, and a checkpoint that replaces the one before
// and whose state is a blob that was stored first.

import { writeSync } from 'node:fs';
import type { Store } from '../store.ts';
import { batch, blobOf, completedRow, jobRow, newCheckpoint, startAt, taskRow } from './rows.ts';

export const tasksPerBatch = 20;
/** More than one chunk. */
export const blobBytes = 270_000;

/** Prints the sequence of every commit that was acknowledged. Ends with the process, or when the store fails. */
export async function commitForever(store: Store): Promise<never> {
  const { sequence: last } = await store.load();
  for (let sequence = last + 1; ; sequence++) {
    const completed = sequence * tasksPerBatch;
    const first = completed - tasksPerBatch;
    const places = Array.from({ length: tasksPerBatch }, (_, i) => i);
    const tasks = [
      ...places.map((i) => completedRow(1, first + i)),
      ...places.map((i) => taskRow(1, completed + i, { runBeforeMs: 0 })),
    ];
    const jobs = [jobRow(1, { taskCount: 1_000_000 }, { status: 'running', completed })];
    const { sha256, bytes } = blobOf(blobBytes, sequence);
    await store.putBlob(sha256, bytes, startAt + sequence);
    const state = { encoding: 'blob', blobSha256: sha256 } as const;
    const checkpoints = [newCheckpoint(sequence, 1, {}, state)];
    const droppedStates = [sequence - 1];
    const rows = { sequence, jobs, tasks, checkpoints, droppedStates };
    await store.commit(batch(rows), startAt + sequence);
    writeSync(1, `${sequence}\n`);
  }
}
