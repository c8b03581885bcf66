// Which states of a task are final: only a retry of its job brings it out of them.

import type { TaskStatus } from './records.ts';

export const finalTaskStatuses = ['completed', 'failed', 'cancelled'] as const;

export function isFinalTask(status: TaskStatus): boolean {
  return status !== 'pending' && status !== 'assigned' && status !== 'running';
}
