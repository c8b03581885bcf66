// Makes the stored state that a coordinator starts from, out of a memory disk.

import { adminOwner } from '../../core/owner.ts';
import type { PastAttempt } from '../../core/records.ts';
import { isFinalTask } from '../../core/task-status.ts';
import type { JobCounters, JobRow, StoredState, StoredTask, TaskRow } from '../rows.ts';
import { isClosed, isUnfinished } from '../visibility.ts';
import { indicesInOrder } from './index-order.ts';
import type { JobFolder, MemoryDisk } from './memory-disk.ts';

export function loadDisk(disk: MemoryDisk): StoredState {
  for (const staged of disk.staged.values()) staged.dropped = true;
  const folders = [...disk.jobs.values()]
    .filter((folder) => folder.row.spec.generation === disk.generation)
    .sort((a, b) => a.row.spec.key - b.row.spec.key);
  const open = folders.filter((folder) => !isClosed(folder.row));
  const openKeys = new Set(open.map((folder) => folder.row.spec.key));
  const recoveries = [...disk.recoveries.values()].filter(
    (row) => openKeys.has(row.jobKey) && isUnfinished(row),
  );
  const workers = [...disk.workers.values()].filter(
    (row) => row.generation === disk.generation && row.deregisteredAt === null,
  );
  return {
    generation: disk.generation,
    sequence: disk.sequence,
    config: disk.config,
    jobs: open.map((folder) => folder.row),
    tasks: open.flatMap(openTasks),
    workers: workers.sort((a, b) => a.key - b.key),
    recoveries: recoveries.sort((a, b) => a.id - b.id),
    counters: countAll(folders.map((folder) => folder.row)),
    ownerCounters: countOwn(folders.map((folder) => folder.row)),
    totals: disk.totals,
    nextWorkerKey: disk.nextWorkerKey,
    nextRecoveryId: disk.nextRecoveryId,
    nextCheckpointId: disk.nextCheckpointId,
    nextNotificationId: Math.max(0, ...disk.notifications.keys()) + 1,
    hasSchedulerChanges: disk.schedulerChanges.length > 0,
    hasBlobs: [...disk.blobs.values()].some(({ generation }) => generation === disk.generation),
    lastCommitAt: disk.lastCommitAt,
  };
}

export function withoutResult(row: TaskRow): TaskRow {
  return row.resultJson === null
    ? withoutAccount(row)
    : { ...row, account: null, resultJson: null };
}

/** Accounts are read only where they are asked for. */
export function withoutAccount(row: TaskRow): TaskRow {
  return row.account === null ? row : { ...row, account: null };
}

export function storedTask(folder: JobFolder, row: TaskRow): StoredTask {
  const past: PastAttempt[] = [];
  for (const { attempt, workerId, token, outcome } of folder.attempts.get(row.index)?.values() ??
    []) {
    if (token !== null) past.push({ attempt, workerId, token, outcome });
  }
  past.sort((a, b) => a.attempt - b.attempt);
  return { row, past, checkpoints: folder.kept.get(row.index) ?? [] };
}

function openTasks(folder: JobFolder): StoredTask[] {
  const tasks: StoredTask[] = [];
  for (const index of indicesInOrder(folder)) {
    const row = folder.tasks.get(index)!;
    if (!isFinalTask(row.status)) tasks.push(storedTask(folder, row));
  }
  return tasks;
}

function countOwn(jobs: readonly JobRow[]): ReadonlyMap<string, JobCounters> {
  const owned = jobs.filter(({ spec }) => spec.owner !== adminOwner);
  const byOwner = Map.groupBy(owned, ({ spec }) => spec.owner);
  return new Map([...byOwner].map(([owner, rows]) => [owner, count(rows)]));
}

function countAll(jobs: readonly JobRow[]): StoredState['counters'] {
  const { storedBytes: _, ...counters } = count(jobs);
  return counters;
}

function count(jobs: readonly JobRow[]): JobCounters {
  const counters = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
  let tasks = 0;
  let tasksCompleted = 0;
  let storedBytes = 0;
  for (const job of jobs) {
    counters[job.status]++;
    tasks += job.spec.taskCount;
    tasksCompleted += job.completed;
    storedBytes += job.storedBytes;
  }
  return { total: jobs.length, ...counters, tasks, tasksCompleted, storedBytes };
}
