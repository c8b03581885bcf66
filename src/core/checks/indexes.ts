// Structures that are derived from the records and kept beside them for speed: counters, the queue with its
// lanes, the heap of deadlines, the rows of the matrix, who may have room. They must agree with the records.

import { isFree, isInMatrix } from '../eligibility.ts';
import { openTaskCount } from '../job-status.ts';
import { adminOwner } from '../owner.ts';
import type { AnyDeadline, EntryRecord, JobRecord } from '../records.ts';
import type { Counters, State } from '../state.ts';
import { assert } from './assert.ts';

export function checkMatrixRows({ matrixRows, mostSlots, workers }: State): void {
  if (matrixRows === undefined) return;
  const now = [...workers.values()].filter(isInMatrix);
  assert(
    now.length === matrixRows.length && now.every((worker, row) => worker === matrixRows[row]),
    () => 'the rows kept for snapshots are not the workers in the matrix',
  );
  matrixRows.forEach((worker, row) => {
    assert(worker.row === row, () => `worker ${worker.id} takes row ${row} for ${worker.row}`);
    assert(worker.slots <= mostSlots, () => `worker ${worker.id} has more slots than anybody`);
  });
}

/** They may hold more than they have to: what does not belong is thrown out when it is seen. */
export function checkRoom({ workers, maybeFree, maybeOverfull }: State): void {
  for (const worker of workers.values()) {
    const isOverfull = worker.activeTasks > worker.slots;
    assert(!isFree(worker) || maybeFree.has(worker), () => `${worker.id} is free, unseen`);
    assert(!isOverfull || maybeOverfull.has(worker), () => `${worker.id} is overfull, unseen`);
  }
  for (const worker of [...maybeFree, ...maybeOverfull]) {
    assert(workers.get(worker.id) === worker, () => `${worker.id} is gone and may have room`);
  }
}

/** All open jobs are in memory; a final job is there only as a visitor. */
export function checkCounters({ counters, ownerCounters, jobs }: State): void {
  checkCounts(counters, [...jobs.values()]);
  for (const [owner, own] of ownerCounters) {
    assert(owner !== adminOwner && own.jobs > 0, () => `counters of ${owner}, who has no jobs`);
    checkCounts(
      own,
      [...jobs.values()].filter(({ spec }) => spec.owner === owner),
    );
  }
}

function checkCounts(counters: Counters, jobs: readonly JobRecord[]): void {
  const held = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
  let tasks = 0;
  let completed = 0;
  let open = 0;
  let stored = 0;
  for (const job of jobs) {
    held[job.status]++;
    tasks += job.spec.taskCount;
    completed += job.counts.completed;
    open += openTaskCount(job);
    stored += job.storedBytes;
  }
  const { pendingJobs, runningJobs, completedJobs, failedJobs, cancelledJobs } = counters;
  assert(
    pendingJobs === held.pending,
    () => `${pendingJobs} pending jobs, in memory ${held.pending}`,
  );
  assert(
    runningJobs === held.running,
    () => `${runningJobs} running jobs, in memory ${held.running}`,
  );
  assert(completedJobs >= held.completed, () => `${completedJobs} completed jobs, more in memory`);
  assert(failedJobs >= held.failed, () => `${failedJobs} failed jobs, more in memory`);
  assert(cancelledJobs >= held.cancelled, () => `${cancelledJobs} cancelled jobs, more in memory`);
  const sum = pendingJobs + runningJobs + completedJobs + failedJobs + cancelledJobs;
  assert(sum === counters.jobs, () => `${counters.jobs} jobs, by status ${sum}`);
  assert(counters.tasks >= tasks, () => `${counters.tasks} tasks, in memory ${tasks}`);
  assert(counters.tasksCompleted >= completed, () => `${counters.tasksCompleted} tasks completed`);
  assert(counters.openTasks === open, () => `${counters.openTasks} open tasks, in memory ${open}`);
  assert(
    counters.storedBytes >= stored,
    () => `${counters.storedBytes} bytes, in memory ${stored}`,
  );
}

export function checkQueue({ queue, jobs }: State): void {
  const inLanes = new Set<EntryRecord>();
  for (const lane of queue.lanes()) {
    assert(lane.head < lane.entries.length, () => `the lane ${lane.signature} is empty`);
    for (let i = lane.head; i < lane.entries.length; i++) {
      const entry = lane.entries[i]!;
      const name = `an entry of job ${entry.job.spec.id}`;
      assert(!inLanes.has(entry), () => `${name} is in the queue twice`);
      assert(entry.queued, () => `${name} is in the queue and not marked`);
      assert(jobs.get(entry.job.spec.id) === entry.job, () => `${name} is queued, its job is gone`);
      const before = i > lane.head ? lane.entries[i - 1]! : entry;
      assert(queue.compare(before, entry) <= 0, () => `${name} is out of order`);
      inLanes.add(entry);
    }
  }
  for (const job of jobs.values()) {
    for (const entry of job.entries) {
      assert(
        !entry.queued || inLanes.has(entry),
        () => `job ${job.spec.id} is marked and not queued`,
      );
    }
  }
}

export function checkDeadlines(state: State): void {
  const armed = state.deadlines.values();
  armed.forEach((deadline, place) => {
    const { kind, position } = deadline;
    assert(
      position === place,
      () => `a deadline (${kind}) at ${place} takes itself to be at ${position}`,
    );
    assert(isOwned(state, deadline), () => `a deadline (${kind}) is armed and nobody has it`);
  });
  assert(
    isHeap(armed, ({ at }) => at),
    'the deadlines are out of order',
  );
}

/** The record of the deadline still refers to it, and so disarms it when it no longer matters. */
function isOwned(state: State, deadline: AnyDeadline): boolean {
  switch (deadline.kind) {
    case 'retry': {
      const { task } = deadline;
      const known = state.jobs.get(task.job.spec.id)?.tasks.get(task.index);
      return known === task && task.retry === deadline;
    }
    case 'attempt_timeout': {
      const { attempt } = deadline;
      return attempt.task.live.includes(attempt) && attempt.timeout === deadline;
    }
    case 'progress_timeout': {
      const { attempt } = deadline;
      return attempt.task.live.includes(attempt) && attempt.progressTimeout === deadline;
    }
    case 'delivery': {
      const { attempt } = deadline;
      return attempt.task.live.includes(attempt) && attempt.delivery === deadline;
    }
    case 'naming': {
      const { attempt } = deadline;
      return attempt.task.live.includes(attempt) && attempt.naming === deadline;
    }
    case 'retention':
      return state.retention === deadline;
    case 'lease':
    case 'probe':
    case 'drain':
    case 'away':
    case 'admission':
    case 'grace': {
      const { worker } = deadline;
      return state.workers.get(worker.id) === worker && worker[deadline.kind] === deadline;
    }
  }
}

export function isHeap<T>(items: readonly T[], key: (item: T) => number): boolean {
  return items.every((item, i) => i === 0 || key(items[(i - 1) >> 1]!) <= key(item));
}
