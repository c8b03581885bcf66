import type { JobRecord, TaskRecord } from '../records.ts';

/** A task that was never assigned. */
export function createTask(job: JobRecord, index: number): TaskRecord {
  return {
    job,
    index,
    status: 'pending',
    attempt: 0,
    live: [],
    past: [],
    untaken: [],
    errors: 0,
    losses: 0,
    timeouts: 0,
    notBefore: 0,
    waitsSince: 0,
    retry: null,
    avoid: [],
    workerId: null,
    assignedAt: null,
    startedAt: null,
    completedAt: null,
    accepted: null,
    resultJson: null,
    runMs: null,
    error: null,
    recovery: null,
    checkpoints: [],
  };
}
