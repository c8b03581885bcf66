// What workers did in a batch, counted per job and worker: the increments behind evaluation.

import { isFailure } from '../../core/blame.ts';
import type { ToldEvent, ToldJob } from '../../core/told-events.ts';
import { workBucketMs, type WorkRow } from '../../store/rows.ts';

type Tally = { -readonly [K in keyof WorkRow]: WorkRow[K] };

export function tallyWork(
  events: readonly ToldEvent[],
  at: number,
  generation: number,
): readonly WorkRow[] {
  const tallies = new Map<ToldJob, Map<string, Tally>>();
  const bucketAt = at - (at % workBucketMs);
  const find = (job: ToldJob, workerId: string): Tally => {
    let ofJob = tallies.get(job);
    if (ofJob === undefined) tallies.set(job, (ofJob = new Map()));
    let tally = ofJob.get(workerId);
    if (tally === undefined) {
      tally = emptyTally(job.spec.key, workerId, bucketAt);
      ofJob.set(workerId, tally);
    }
    return tally;
  };
  for (let i = 0; i < events.length; i++) {
    const event = events[i]!;
    if (event.type === 'task_completed') {
      const { task, workerId, runMs } = event;
      if (task.job.spec.generation !== generation) continue;
      const tally = find(task.job, workerId);
      tally.completed++;
      tally.completedMs += runMs;
      tally.busyMs += runMs;
      tally.energyJoules += event.energyJoules ?? 0;
    } else if (event.type === 'attempt_ended') {
      const { attempt } = event;
      const { job } = attempt.task;
      if (event.outcome === 'superseded' && job.spec.generation === generation) {
        find(job, attempt.worker.id).wastedMs += event.runMs;
      }
      if (!isFailure(event.outcome) || job.spec.generation !== generation) continue;
      const tally = find(job, attempt.worker.id);
      tally.failed++;
      if (isTriedAgain(events, i)) tally.retried++;
      tally.busyMs += event.runMs;
    }
  }
  return [...tallies.values()].flatMap((ofJob) => [...ofJob.values()]);
}

/** What becomes of the task comes next, or behind what becomes of its worker. */
function isTriedAgain(events: readonly ToldEvent[], ended: number): boolean {
  const next = events[ended + 1];
  return (next?.type === 'worker_quarantined' ? events[ended + 2] : next)?.type === 'task_requeued';
}

function emptyTally(jobKey: number, workerId: string, bucketAt: number): Tally {
  return {
    jobKey,
    workerId,
    bucketAt,
    completed: 0,
    failed: 0,
    retried: 0,
    completedMs: 0,
    busyMs: 0,
    energyJoules: 0,
    wastedMs: 0,
  };
}
