// How far tasks are, in millionths: whole numbers, so that the sum of a job is exact however often its tasks
// move it up and down.

import type { AttemptRecord, JobRecord, TaskRecord } from './records.ts';

/** Of `JobRecord.liveMillionths`: a task that is done. */
export const wholeMillionths = 1_000_000;

/** Of the live attempt that has come farthest. An attempt that has said nothing is where it resumed. */
export function taskMillionths({ live }: TaskRecord): number {
  // Asked four times for every task, most of which have one attempt.
  if (live.length === 0) return 0;
  if (live.length === 1) return attemptMillionths(live[0]!);
  return Math.max(...live.map(attemptMillionths));
}

/** Call it after every change of what `taskMillionths` reads, with what that was before. */
export function moveProgress(task: TaskRecord, before: number): void {
  task.job.liveMillionths += taskMillionths(task) - before;
}

/** 0 to 1: tasks that completed or failed, and the shares of those that run. What was cancelled is not done. */
export function jobProgress({ spec, counts, liveMillionths }: JobRecord): number {
  return (counts.completed + counts.failed + liveMillionths / wholeMillionths) / spec.taskCount;
}

function attemptMillionths({ progress, resumedFrom }: AttemptRecord): number {
  if (progress === 0 && resumedFrom === null) return 0;
  const share = Math.max(progress, resumedFrom?.progress ?? 0);
  return Math.round(Math.min(share, 1) * wholeMillionths);
}
