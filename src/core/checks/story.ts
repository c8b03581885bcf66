// The life of one task in lines that a person can read: what an assertion prints when an invariant
// is broken, and what a scenario or a simulation prints when it fails.

import type { StoryLog } from './story-log.ts';
import type { AttemptRecord, JobRecord, TaskRecord } from '../records.ts';
import { sinceCreation } from './story-times.ts';
import { taskId } from '../task-key.ts';

/** From the record alone, or, with a log, with everything that happened to the task on the way. */
export function story(task: TaskRecord, log?: StoryLog): string {
  const { job, index } = task;
  const since = sinceCreation(job);
  const lines = [
    `task ${taskId(job.spec.id, index)}: ${task.status}, attempt ${task.attempt}`,
    `  job ${job.spec.id}: ${job.status}, ${countsText(job)}`,
    `  budgets used: ${task.errors} of ${job.spec.maxAttempts} errors, ${task.timeouts} of ${job.spec.maxAttempts} time-outs, ${task.losses} of ${job.spec.maxLostAttempts} losses`,
  ];
  if (log !== undefined) for (const line of log.lines(job.spec.id, index)) lines.push(`  ${line}`);
  for (const past of task.past) {
    lines.push(`  attempt ${past.attempt} on ${past.workerId}: ${past.outcome}`);
  }
  for (const live of task.live) lines.push(`  ${liveText(live, since)}`);
  if (task.avoid.length > 0) lines.push(`  rather not on ${task.avoid.join(', ')}`);
  lines.push(`  ${outlook(task, since)}`);
  return lines.join('\n');
}

/** An assertion about a task that failed: the program has a bug. */
export function broken(what: string, task?: TaskRecord, log?: StoryLog): Error {
  return new Error(
    task === undefined
      ? `Bug: ${what}.`
      : `Bug: ${what}.\nThe story of the task:\n${story(task, log)}`,
  );
}

function countsText(job: JobRecord): string {
  const { assigned, running, completed, failed, cancelled } = job.counts;
  const ended = `${completed} completed, ${failed} failed, ${cancelled} cancelled`;
  return `${job.spec.taskCount} tasks (${assigned} assigned, ${running} running, ${ended})`;
}

function liveText(live: AttemptRecord, since: (at: number) => string): string {
  const { attempt, worker, assignedAt, startedAt } = live;
  const start = startedAt === null ? 'not started' : `started ${since(startedAt)}`;
  const dispatch = live.sequence === 0 ? 'not sent' : `sent in frame ${live.sequence}`;
  const recall = live.recalled ? ', recalled' : '';
  const missed = live.missedAt === null ? '' : `, missing from a heartbeat ${since(live.missedAt)}`;
  return `attempt ${attempt} on ${worker.id}: assigned ${since(assignedAt)}, ${dispatch}, ${start}${recall}${missed}`;
}

function outlook(task: TaskRecord, since: (at: number) => string): string {
  switch (task.status) {
    case 'pending':
      return task.notBefore > 0
        ? `waits until ${since(task.notBefore)} for its next attempt`
        : 'waits for a worker';
    case 'assigned':
    case 'running':
      return `waits for the report of ${task.live.map(({ worker }) => worker.id).join(', ')}`;
    case 'completed':
      return `completed by attempt ${task.accepted?.attempt ?? '?'}${endText(task, since)}`;
    case 'failed':
      return `failed for good${endText(task, since)}: ${task.error?.type}: ${task.error?.message}`;
    case 'cancelled':
      return `cancelled with its job${endText(task, since)}`;
  }
}

function endText(task: TaskRecord, since: (at: number) => string): string {
  return task.completedAt === null ? '' : ` ${since(task.completedAt)}`;
}
