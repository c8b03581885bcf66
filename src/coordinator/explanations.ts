// Why the scheduler decides as it does, made from the newest decision when somebody asks.

import { isAvailable } from '../core/eligibility.ts';
import { pendingCount } from '../core/job-status.ts';
import type { Weights } from '../core/snapshot.ts';
import { takeSnapshot, type State } from '../core/state.ts';
import { taskId } from '../core/task-key.ts';
import type { LastDecision, RankedWorkerResource, SchedulingInfo } from '../protocol/resources.ts';
import { createScheduler } from '../scheduling/registry.ts';
import type { Ranking } from '../scheduling/scheduler.ts';
import { effectiveWeights } from '../scheduling/weights.ts';
import type { LoggedDecision } from './decision-log.ts';
import { time } from './views.ts';

export function schedulingInfo(state: State, logged: LoggedDecision | null): SchedulingInfo {
  const { config, counters } = state;
  const ranking = logged === null ? presentRanking(state) : decisionRanking(logged);
  const selected = logged === null ? -1 : logged.row;
  return {
    algorithm: config.algorithm,
    weighting: config.weighting,
    effective_weights: weightsInForce(state),
    pending_tasks: pendingTasks(state),
    active_tasks: activeTasks(state),
    decisions_total: counters.decisions,
    last_decision: logged === null ? null : lastDecision(logged, ranking),
    workers: ranking.workers.map((worker) => rankedWorker(worker, worker.row === selected)),
  };
}

/** Score of each worker in the last decision; empty before the first. */
export function lastScores(logged: LoggedDecision | null): ReadonlyMap<string, number | null> {
  if (logged === null) return new Map();
  return new Map(decisionRanking(logged).workers.map(({ workerId, score }) => [workerId, score]));
}

export function weightsInForce(state: State): Readonly<Weights> & Record<string, number> {
  return effectiveWeights(state.config, takeSnapshot(state));
}

function decisionRanking(logged: LoggedDecision): Ranking {
  return createScheduler(logged.config).rank(logged.snapshot, logged.eligible);
}

function presentRanking(state: State): Ranking {
  const snapshot = takeSnapshot(state);
  const eligible = Uint8Array.from(snapshot.workers, (worker) =>
    isAvailable(worker) && worker.activeTasks < worker.slots ? 1 : 0,
  );
  return createScheduler(state.config).rank(snapshot, eligible);
}

function lastDecision(logged: LoggedDecision, ranking: Ranking): LastDecision {
  const { at, config, jobId, index, workerId, microseconds } = logged;
  return {
    at: time(at),
    algorithm: config.algorithm,
    effective_weights: effectiveWeights(config, logged.snapshot),
    task_id: taskId(jobId, index),
    job_id: jobId,
    worker_id: workerId,
    reason: ranking.selected === logged.row ? ranking.reason : turnReason(logged),
    duration_microseconds: Math.round(microseconds * 1000) / 1000,
  };
}

/** Algorithms with a memory (a turn, a credit) choose by it, not by the table alone. */
function turnReason({ config, workerId }: LoggedDecision): string {
  return config.algorithm === 'wrr'
    ? `${workerId} had the most credit by its share`
    : `it was the turn of ${workerId}`;
}

function rankedWorker(worker: Ranking['workers'][number], selected: boolean): RankedWorkerResource {
  const { workerId, rank, score, eligible, criteria, details } = worker;
  return { worker_id: workerId, rank, score, eligible, selected, criteria, details };
}

function pendingTasks(state: State): number {
  let pending = 0;
  for (const job of state.jobs.values()) {
    if (job.completedAt === null) pending += pendingCount(job);
  }
  return pending;
}

function activeTasks(state: State): number {
  let active = 0;
  for (const worker of state.workers.values()) active += worker.activeTasks;
  return active;
}
