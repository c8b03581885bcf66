// Attempts as workers name them, between the wire and the core.

import type { NamedAttempt } from '../../core/commands.ts';
import type { Executed } from '../../core/execute.ts';
import { parseTaskId, taskId } from '../../core/task-key.ts';
import type { AttemptRef, StopOrder } from '../../protocol/messages.ts';

/** An attempt as the worker names it, or undefined when the id cannot be one of ours. */
export function namedAttempt(ref: AttemptRef): NamedAttempt | undefined {
  const parsed = parseTaskId(ref.task_id);
  if (parsed === undefined) return undefined;
  return { jobId: parsed.jobId, index: parsed.index, attempt: ref.attempt, token: ref.token };
}

/** Orders of the core to stop attempts, as the wire has them. */
export function stopOrders(executed: Executed): StopOrder[] {
  return (executed.stop ?? []).map(({ jobId, index, attempt, reason }) => ({
    task_id: taskId(jobId, index),
    attempt,
    reason,
  }));
}
