// Checks that memory holds what is open and nothing else. A task or job leaves it with the batch
// that ends it, or that has read it. Readers, followers and connections that have gone leave
// nothing behind.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { JobRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import { taskId } from '../../core/task-key.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { visibleJobs } from './disk-view.ts';

export class MemoryChecker {
  private readonly disk: MemoryDisk;

  constructor(disk: MemoryDisk) {
    this.disk = disk;
  }

  /** After every batch. */
  check(state: State): void {
    let open = 0;
    for (const { row } of visibleJobs(this.disk)) {
      if (row.completedAt !== null) continue;
      open++;
      if (!state.jobs.has(row.spec.id)) throw new BrokenPromise(`Job ${row.spec.id} is forgotten.`);
    }
    for (const job of state.jobs.values()) checkJob(job);
    if (state.jobs.size === open) return;
    throw new BrokenPromise(`${open} jobs are open, memory has ${state.jobs.size}.`);
  }

  /** After healing. */
  judge(coordinator: RunningCoordinator, jobsInReading: readonly string[]): void {
    const { followed, sessions } = coordinator.held;
    const left = followed.find((id) => !jobsInReading.includes(id));
    if (left !== undefined) {
      throw new BrokenPromise(`Job ${left} is followed by somebody who has gone.`);
    }
    const { workers } = coordinator.state;
    if (sessions > workers.size) {
      throw new BrokenPromise(`${sessions} sessions are kept, of ${workers.size} workers.`);
    }
    for (const [key, { dropped }] of this.disk.staged) {
      if (!dropped) throw new BrokenPromise(`Inputs are kept for job ${key}, which never came.`);
    }
  }
}

function checkJob({ spec, status, completedAt, tasks }: JobRecord): void {
  if (completedAt !== null) throw new BrokenPromise(`Job ${spec.id} is ${status} and in memory.`);
  for (const task of tasks.values()) {
    const id = taskId(spec.id, task.index);
    const isOpen = task.live.length > 0 || task.status === 'pending';
    if (!isOpen) throw new BrokenPromise(`Task ${id} is ${task.status} and in memory.`);
    if (task.resultJson !== null) throw new BrokenPromise(`The result of ${id} is in memory.`);
  }
}
