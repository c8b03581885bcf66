// Reads tasks with what a late report or the next attempt needs: past attempts that kept their token, and checkpoints
// whose state is kept.

import { taskKey } from '../../../core/task-key.ts';
import type { StoredTask, TaskRow } from '../../rows.ts';
import type { Query } from '../driver/statement.ts';
import { listPast } from './attempt-table.ts';
import { listKept } from './checkpoint-table.ts';
import { openJobCodes } from '../../enumerations.ts';
import { text } from './kinds.ts';
import { listUnfinished, toTask } from './task-table.ts';
import { isVisible } from './visible.ts';

const ids = text();
const openText = `select key, id from jobs where ${isVisible('jobs')} and status in (${openJobCodes})`;

/** So many at a time take some milliseconds, and others have a turn before the next. */
const atOnce = 2_000;

/** The pending and assigned tasks of all open jobs that can be seen, by the key of the job and by index. */
export async function listUnfinishedTasks(query: Query): Promise<readonly StoredTask[]> {
  const jobs = await query(openText);
  const jobIds = new Map(jobs.map(([key, id]) => [key as number, ids.decode(id!)]));
  const rows = await listUnfinished(query);
  const tasks: StoredTask[] = [];
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce).map(toTask);
    for (const task of await completeTasks(query, some, jobIds)) tasks.push(task);
  }
  return tasks;
}

/** `jobIds` has the ids of their jobs by key. */
export async function completeTasks(
  query: Query,
  rows: readonly TaskRow[],
  jobIds: ReadonlyMap<number, string>,
): Promise<readonly StoredTask[]> {
  const past = await listPast(query, rows.filter(mayHavePast));
  const kept = await listKept(query, rows);
  return rows.map((row) => {
    const key = taskKey(row.jobKey, row.index);
    const jobId = jobIds.get(row.jobKey)!;
    return {
      row,
      past: past.get(key) ?? [],
      checkpoints: (kept.get(key) ?? []).map((cells) => ({ ...cells, jobId })),
    };
  });
}

/** A live first attempt has none before it. */
function mayHavePast({ attempt, status }: TaskRow): boolean {
  return attempt !== 1 || status !== 'assigned';
}
