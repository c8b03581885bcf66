// Sentences about stored values that are not what was written, or can no longer be read.

import { taskId } from '../core/task-key.ts';
import type { DamagedTask } from './rows.ts';
import { StoreFault } from './store.ts';

export function damagedTask(job: { readonly id: string }, jobKey: number, index: number) {
  const damage =
    `What is stored of task ${taskId(job.id, index)} is damaged. Restore a backup of the database, ` +
    'or submit its input again.';
  return { jobKey, index, damage } satisfies DamagedTask;
}

/** For rows that are missing, or lie in a wrong place. */
export function damagedTasks(jobId: string): string {
  return `What is stored of the tasks of job ${jobId} is damaged. Restore a backup of the database.`;
}

export function damagedInput(jobId: string, index: number): string {
  return (
    `The stored input of task ${taskId(jobId, index)} is damaged. Restore a backup of the database, ` +
    'or submit the input again.'
  );
}

export function damagedProgram(jobId: string): string {
  return (
    `The stored program of job ${jobId} is damaged. Restore a backup of the database, or submit the ` +
    'job again.'
  );
}

export function damagedAttempt(jobId: string, index: number, attempt: number): string {
  return `The stored error of attempt ${attempt} of task ${taskId(jobId, index)} is damaged.`;
}

export function damagedBlob(sha256: string): string {
  return `The stored blob ${sha256} is damaged. Upload it again, or restore a backup of the database.`;
}

/** A fault of one value: the rest of the store is served. */
export function valueFault(sentence: string, cause?: unknown): StoreFault {
  return new StoreFault('value_damaged', sentence, cause);
}

export function isDamaged(row: object): row is DamagedTask {
  return 'damage' in row;
}
