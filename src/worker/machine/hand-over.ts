// Who runs next: queued attempts go to the slots in batches that are small enough for the rest to
// stay recallable, and shared out so that no slot idles beside a full one.

import type { ExecutorTask } from '../executor.ts';
import type { LocalAttempt } from './attempt.ts';
import type { MachineTuning } from './inputs.ts';
import type { Outgoing } from './outgoing.ts';
import type { AttemptQueue } from './queue.ts';
import type { Slot } from './slot.ts';

export function handOver(
  queue: AttemptQueue,
  slots: readonly Slot[],
  tuning: MachineTuning,
  out: Outgoing,
): void {
  const first = queue.first;
  if (first === null) return;
  let hungry = 0;
  for (const slot of slots) if (slot.roomFor(first.job, tuning) > 0) hungry += 1;
  if (hungry === 0) return;
  for (const slot of slots) {
    if (queue.first === null || hungry === 0) return;
    if (slot.roomFor(first.job, tuning) <= 0) continue;
    fill(slot, Math.ceil(queue.size / hungry), queue, tuning, out);
    hungry -= 1;
  }
}

/** One batch for each run of attempts of the same job at the head of the queue. */
function fill(
  slot: Slot,
  share: number,
  queue: AttemptQueue,
  tuning: MachineTuning,
  out: Outgoing,
): void {
  let left = share;
  while (left > 0 && queue.first !== null) {
    const { job } = queue.first;
    const count = Math.min(left, slot.roomFor(job, tuning));
    if (count <= 0) return;
    const tasks: ExecutorTask[] = [];
    while (tasks.length < count) {
      const attempt: LocalAttempt | null = queue.first;
      if (attempt === null || attempt.job !== job) break;
      queue.remove(attempt);
      slot.add(attempt, tuning);
      tasks.push(executorTask(attempt));
    }
    left -= tasks.length;
    out.push({ type: 'run', slot: slot.index, program: job.program, tasks });
  }
}

function executorTask(attempt: LocalAttempt): ExecutorTask {
  return {
    key: attempt.key,
    owner: attempt.owner,
    taskId: attempt.taskId,
    index: attempt.index,
    attempt: attempt.attempt,
    inputJson: attempt.inputJson,
    stateJson: attempt.stateJson,
    progress: attempt.progress ?? 0,
    timeoutMs: attempt.job.timeoutMs,
  };
}
