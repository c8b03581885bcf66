// A submitted job with every default filled in.

import type { JobSpec } from '../records.ts';

export function jobSpec(given: Partial<JobSpec> & Pick<JobSpec, 'id' | 'key'>): JobSpec {
  return {
    generation: 1,
    name: null,
    clientId: 'anonymous',
    priority: 0,
    programKind: 'javascript',
    taskCount: 1,
    rangeStart: 0,
    taskPriorities: null,
    maxAttempts: 3,
    maxLostAttempts: 5,
    retryDelayMs: 1000,
    attemptTimeoutMs: null,
    progressTimeoutMs: null,
    onTaskFailure: 'continue',
    lateResults: 'accept',
    requirements: null,
    checkpointIntervalMs: null,
    speculation: null,
    createdAt: 0,
    ...given,
  };
}
