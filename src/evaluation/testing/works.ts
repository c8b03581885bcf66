// What workers did, for tests: nothing, unless a test says so.

import type { WorkerWork } from '../worker-work.ts';

export function work(workerId: string, rest: Partial<WorkerWork> = {}): WorkerWork {
  return {
    workerId,
    name: null,
    isRegistered: true,
    type: 'pc',
    platform: 'linux',
    activeTasks: 0,
    completed: 0,
    failed: 0,
    retried: 0,
    completedMs: 0,
    busyMs: 0,
    energyJoules: 0,
    wastedMs: 0,
    ...rest,
  };
}
