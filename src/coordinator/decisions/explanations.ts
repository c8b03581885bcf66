// Why the scheduler decides as it does, made from the newest decision when somebody asks.

import { hasFreeSlot, isAvailable } from '../../core/eligibility.ts';
import { pendingCount } from '../../core/job-status.ts';
import type { CriterionId, WorkerView } from '../../core/snapshot.ts';
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
import type { NewestDecision } from './newest-replay.ts';
import { rankedWorker, type RankingLook } from './ranking-bytes.ts';
import type { ReplayedDecision } from './replay.ts';
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

/** The scheduler as it stands, and the ranking to tell of: of the newest decision, else as it would be now. */
export interface SchedulerLook extends RankingLook {
  readonly head: SchedulerHead;
}

export type SchedulerHead = Omit<SchedulingInfo, 'workers'>;

/** Makes what an owner is told of what who sees all is told, and says whether that includes the ranking. */
export type OwnView = (
  head: SchedulerHead,
) => Promise<{ readonly head: SchedulerHead; readonly tellsWorkers: boolean }>;

export function lookAtScheduler(
  state: State,
  newest: NewestDecision | undefined,
  now: number,
): SchedulerLook {
  const { config, counters } = state;
  return {
    head: {
      algorithm: config.algorithm,
      weighting: config.weighting,
      effective_weights: weightsInForce(state),
      pending_tasks: pendingTasks(state),
      active_tasks: activeTasks(state),
      decisions_total: counters.decisions,
      decisions_by_algorithm: { ...counters.decisionsBy },
      last_decision: newest === undefined ? null : lastDecision(newest.logged, newest.replayed),
    },
    ...(newest === undefined ? presentLook(state, now) : lookBack(state, newest)),
  };
}

export function schedulingInfo({
  head,
  ranking,
  selected,
  reasonsOf,
}: SchedulerLook): SchedulingInfo {
  const workers = ranking.workers.map((worker) => rankedRow(worker, selected, reasonsOf));
  return { ...head, workers };
}

function lookBack(state: State, { logged, replayed }: NewestDecision): RankingLook {
  const grounds = groundsInMemory(state, logged);
  return {
    ranking: replayed.ranking,
    selected: logged.placement.row,
    reasonsOf: (row) => whyNot(logged, replayed, row, grounds),
  };
}

/** Of copies: criteria of a row are made when they are read, and the records may have gone on by then. */
function presentLook(state: State, now: number): RankingLook {
  const { workers: records, version } = takeSnapshot(state);
  const eligible = Uint8Array.from(records, (worker) =>
    isAvailable(worker) && hasFreeSlot(worker) ? 1 : 0,
  );
  const scheduler = createScheduler(state.config);
  scheduler.begin({ version, workers: records.map((worker) => copiedView(worker)) });
  const reasonsOf = (row: number) => presentReasons(records[row]!, now);
  return { ranking: scheduler.rank(eligible), selected: -1, reasonsOf };
}

/** What schedulers see of a worker, as it is now; its counts may be changed. */
export function copiedView(
  worker: WorkerView,
): WorkerView & { activeTasks: number; assignedSinceHeartbeat: number } {
  return {
    id: worker.id,
    type: worker.type,
    slots: worker.slots,
    activeTasks: worker.activeTasks,
    assignedSinceHeartbeat: worker.assignedSinceHeartbeat,
    idleSince: worker.idleSince,
    observed: worker.observed,
  };
}

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
  return shown.map((worker) => rankedRow(worker, selected, reasonsOf));
}

/** The reason from the table, unless the table selects another worker than the pass did. */
export function reasonOf({ pass, placement }: LoggedDecision, { ranking }: ReplayedDecision) {
  if (ranking.selected === placement.row) return ranking.reason;
  return `${pass.view.members.ids[placement.row]!} was selected`;
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

function rankedRow(
  worker: RankedWorker,
  selected: number,
  reasonsOf: ReasonsOf,
): RankedWorkerResource {
  const isSelected = worker.row === selected;
  const reasons = worker.eligible || isSelected ? [] : reasonsOf(worker.row);
  return rankedWorker(worker, isSelected, reasons);
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
