import type { JobRecord, TaskRecord } from '../records.ts';

// One for all tasks: most have nothing in any of their lists but one live attempt, and a list of its own would outlive
// with the task what else is made for it.
const none: readonly never[] = Object.freeze([]);

/** A task that was never assigned. */
export function createTask(job: JobRecord, index: number): TaskRecord {
  return {
    job,
    index,
    status: 'pending',
    attempt: 0,
    live: none,
    past: none,
    untaken: none,
    errors: 0,
    losses: 0,
    timeouts: 0,
    notBefore: 0,
    waitsSince: 0,
    retry: null,
    avoid: none,
    workerId: null,
    assignedAt: null,
    startedAt: null,
    completedAt: null,
    accepted: null,
    resultJson: null,
    runMs: null,
    error: null,
    recovery: null,
    checkpoints: none,
  };
}
