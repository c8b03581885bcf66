// Why the scheduler decides as it does, made from the newest decision when somebody asks.

import { hasFreeSlot, isAvailable } from '../../core/eligibility.ts';
import { pendingCount } from '../../core/job-status.ts';
import type { CriterionId } from '../../core/snapshot.ts';
import { takeSnapshot, type State } from '../../core/state.ts';
import { taskId } from '../../core/task-key.ts';
import type { CriterionDescription } from '../../protocol/explanations.ts';
import type {
  LastDecision,
  RankedWorkerResource,
  SchedulingInfo,
} from '../../protocol/scheduling-info.ts';
import { criterionList } from '../../scheduling/methods/criteria.ts';
import { createScheduler } from '../../scheduling/registry.ts';
import type { RankedWorker, Ranking } from '../../scheduling/scheduler.ts';
import { effectiveWeights } from '../../scheduling/weights.ts';
import type { Hindrance } from '../../protocol/hindrances.ts';
import type { WorkerRecord } from '../../core/records.ts';
import type { LoggedDecision } from './decision-log.ts';
import { absence, fullness, unwillingness } from './hindrances.ts';
import { groundsInMemory, whyNot } from './ineligible.ts';
import type { PassRecord } from './pass-record.ts';
import { type ReplayedDecision, replayDecision } from './replay.ts';
import { isoTime } from '../iso-time.ts';

/** Rows of a ranking that are shown where a reader wants to understand one choice. */
const mostShown = 200;

/** The keys of the configuration are the ids. */
export const criterionDescriptions: readonly CriterionDescription[] = criterionList.map(
  ({ id, name, meaning, unit, kind, source, rule }) => ({
    id,
    config_key: id,
    name,
    meaning,
    unit,
    kind,
    source,
    rule,
  }),
);

export function schedulingInfo(
  state: State,
  newest: LoggedDecision | undefined,
  now: number,
): SchedulingInfo {
  const { config, counters } = state;
  const replayed = newest === undefined ? undefined : replayDecision(newest);
  const grounds = newest === undefined ? undefined : groundsInMemory(state, newest);
  const reasonsOf = (row: number) =>
    newest === undefined
      ? presentReasons(takeSnapshot(state).workers[row]!, now)
      : whyNot(newest, replayed!, row, grounds!);
  const ranking = replayed?.ranking ?? presentRanking(state);
  return {
    algorithm: config.algorithm,
    weighting: config.weighting,
    effective_weights: weightsInForce(state),
    pending_tasks: pendingTasks(state),
    active_tasks: activeTasks(state),
    decisions_total: counters.decisions,
    decisions_by_algorithm: { ...counters.decisionsBy },
    last_decision: newest === undefined ? null : lastDecision(newest, replayed!),
    workers: ranking.workers.map((worker) =>
      rankedWorker(worker, newest?.placement.row ?? -1, reasonsOf),
    ),
  };
}

/** Score of each worker in the last decision; empty before the first. */
export function lastScores(newest: LoggedDecision | undefined): ReadonlyMap<string, number | null> {
  if (newest === undefined) return new Map();
  const known = keptScores.get(newest.pass);
  if (known !== undefined && known.place === newest.place) return known.scores;
  const { workers } = replayDecision(newest).ranking;
  const scores = new Map(workers.map(({ workerId, score }) => [workerId, score]));
  keptScores.set(newest.pass, { place: newest.place, scores });
  return scores;
}

/** Scores by pass, because lists of workers are asked for again and again while nothing is decided. */
const keptScores = new WeakMap<
  PassRecord,
  { readonly place: number; readonly scores: ReadonlyMap<string, number | null> }
>();

export function weightsInForce(state: State): Readonly<Record<CriterionId, number>> {
  return effectiveWeights(state.config, takeSnapshot(state));
}

/** The best rows first. The selected row is among them, however far down it stands. */
export function shownWorkers(
  ranking: Ranking,
  selected: number,
  reasonsOf: ReasonsOf,
): RankedWorkerResource[] {
  const shown = ranking.workers.slice(0, mostShown);
  const chosen = ranking.workers.find(({ row }) => row === selected);
  if (chosen !== undefined && !shown.includes(chosen)) shown.push(chosen);
  return shown.map((worker) => rankedWorker(worker, selected, reasonsOf));
}

/** The reason from the table, unless the table selects another worker than the pass did. */
export function reasonOf({ pass, placement }: LoggedDecision, { ranking }: ReplayedDecision) {
  if (ranking.selected === placement.row) return ranking.reason;
  return `${pass.view.members.ids[placement.row]!} was selected`;
}

function presentRanking(state: State): Ranking {
  const snapshot = takeSnapshot(state);
  const eligible = Uint8Array.from(snapshot.workers, (worker) =>
    isAvailable(worker) && hasFreeSlot(worker) ? 1 : 0,
  );
  const scheduler = createScheduler(state.config);
  scheduler.begin(snapshot);
  return scheduler.rank(eligible);
}

function lastDecision(logged: LoggedDecision, replayed: ReplayedDecision): LastDecision {
  const { pass, placement } = logged;
  const { jobId, index, row } = placement;
  return {
    at: isoTime(pass.at),
    algorithm: pass.config.algorithm,
    effective_weights: effectiveWeights(pass.config, replayed.snapshot),
    task_id: taskId(jobId, index),
    job_id: jobId,
    worker_id: pass.view.members.ids[row]!,
    reason: reasonOf(logged, replayed),
    duration_microseconds: meanMicroseconds(logged),
  };
}

/** The mean over the pass, because one decision is too short to be measured. */
export function meanMicroseconds({ pass }: LoggedDecision): number {
  return Math.round((pass.microseconds / pass.placements) * 1000) / 1000;
}

/** Why the worker of a row could not be chosen. */
type ReasonsOf = (row: number) => readonly Hindrance[];

function rankedWorker(
  worker: RankedWorker,
  selected: number,
  reasonsOf: ReasonsOf,
): RankedWorkerResource {
  const { workerId, row, rank, score, eligible, criteria, details } = worker;
  const isSelected = row === selected;
  const reasons = eligible || isSelected ? [] : reasonsOf(row);
  return {
    worker_id: workerId,
    rank,
    score,
    eligible,
    reasons,
    selected: isSelected,
    criteria,
    details,
  };
}

/** Before the first decision: as the workers stand now. */
function presentReasons(worker: WorkerRecord, now: number): readonly Hindrance[] {
  return [...absence(worker, now), ...unwillingness(worker, now), ...fullness(worker)];
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
