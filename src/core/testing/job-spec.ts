// A job with every default filled in, and without a limit of time.

import { adminOwner } from '../owner.ts';
import type { JobOptions, JobSpec } from '../records.ts';

export const plainOptions: JobOptions = {
  name: null,
  clientId: 'anonymous',
  priority: 0,
  taskPriorities: null,
  maxAttempts: 3,
  maxLostAttempts: 5,
  retryDelayMs: 1000,
  attemptTimeoutMs: null,
  progressTimeoutMs: null,
  onTaskFailure: 'continue',
  keepOutput: 'on_failure',
  liveOutput: false,
  memoryMb: 512,
  lateResults: 'accept',
  requirements: null,
  checkpointIntervalMs: null,
  speculation: null,
  retainMs: null,
  hold: false,
  notify: null,
};

export function jobSpec(given: Partial<JobSpec> & Pick<JobSpec, 'id' | 'key'>): JobSpec {
  return {
    ...plainOptions,
    generation: 1,
    programKind: 'javascript',
    taskCount: 1,
    rangeStart: 0,
    owner: adminOwner,
    createdAt: 0,
    ...given,
  };
}
