// How the present cluster would rank under a configuration that is only proposed, and where the next tasks
// would go. It works on copies: no worker's counts, turns or credits change.

import { hasFreeSlot, isAvailable, meets } from '../../core/eligibility.ts';
import type { Requirements, WorkerRecord } from '../../core/records.ts';
import { criterionIds, type SchedulerConfig, type Snapshot } from '../../core/snapshot.ts';
import { takeSnapshot, type State } from '../../core/state.ts';
import type { SchedulerPreview } from '../../protocol/explanations.ts';
import { defaultProgramKind } from '../../protocol/program.ts';
import { createScheduler } from '../../scheduling/registry.ts';
import type { Scheduler } from '../../scheduling/scheduler.ts';
import { effectiveWeights } from '../../scheduling/weights.ts';
import type { LoggedDecision } from './decision-log.ts';
import { copiedView, shownWorkers } from './explanations.ts';
import { absence, fullness, mismatch, unwillingness } from './hindrances.ts';
import { replayPass } from './replay.ts';

export interface PreviewPlan {
  readonly config: SchedulerConfig;
  readonly newest: LoggedDecision | undefined;
  readonly requirements: Requirements | null;
  readonly tasks: number | undefined;
  /** `idle`: all slots are free. What workers measured stays as it is. */
  readonly assume: 'now' | 'idle';
  readonly now: number;
}

export function preview(state: State, plan: PreviewPlan): SchedulerPreview {
  const { config, newest, requirements, tasks, assume, now } = plan;
  const isIdle = assume === 'idle';
  const { workers: records, version } = takeSnapshot(state);
  const workers = records.map((worker) => copied(worker, isIdle));
  const snapshot: Snapshot = { version, workers };
  const scheduler = stagedScheduler(state, config, newest);
  scheduler.begin(snapshot);
  const eligible = Uint8Array.from(records, (worker) =>
    mayTake(worker, requirements, isIdle) ? 1 : 0,
  );
  const ranking = scheduler.rank(eligible);
  const chosen = workers[ranking.selected];
  return {
    algorithm: config.algorithm,
    weighting: config.weighting,
    weights: config.weights,
    effective_weights: effectiveWeights(config, snapshot),
    selected: chosen?.id ?? null,
    reason: ranking.reason,
    worker_count: workers.length,
    workers: shownWorkers(ranking, ranking.selected, (row) => [
      ...absence(records[row]!, now),
      ...unwillingness(records[row]!, now),
      ...mismatch(records[row]!, defaultProgramKind, requirements),
      ...(isIdle ? [] : fullness(records[row]!)),
    ]),
    ...(tasks === undefined ? {} : placed(scheduler, workers, eligible, tasks)),
  };
}

/**
 * A changed configuration begins without turns or credits. The one in force goes on where its last
 * pass ended: that pass is replayed, so that the scheduler at work is not touched.
 */
function stagedScheduler(
  state: State,
  config: SchedulerConfig,
  newest: LoggedDecision | undefined,
): Scheduler {
  const isInForce = newest?.pass.config === state.config && isSame(config, state.config);
  return isInForce ? replayPass(newest.pass) : createScheduler(config);
}

function isSame(a: SchedulerConfig, b: SchedulerConfig): boolean {
  if (a.algorithm !== b.algorithm || a.weighting !== b.weighting) return false;
  return criterionIds.every((id) => (a.weights[id] ?? 0) === (b.weights[id] ?? 0));
}

function mayTake(
  worker: WorkerRecord,
  requirements: Requirements | null,
  isIdle: boolean,
): boolean {
  const hasRoom = isIdle ? worker.slots > 0 : hasFreeSlot(worker);
  return isAvailable(worker) && hasRoom && meets(worker, defaultProgramKind, requirements);
}

type Copy = ReturnType<typeof copiedView>;

function copied(worker: WorkerRecord, isIdle: boolean): Copy {
  return isIdle ? { ...copiedView(worker), ...nothingAssigned } : copiedView(worker);
}

const nothingAssigned = { activeTasks: 0, assignedSinceHeartbeat: 0 };

/** Workers by the number of tasks placed on them, most first; equal ones in the order of registration. */
function placed(
  scheduler: Scheduler,
  workers: readonly Copy[],
  eligible: Uint8Array,
  tasks: number,
): Required<Pick<SchedulerPreview, 'order' | 'placements' | 'unplaced'>> {
  const contest = scheduler.contest(eligible);
  const counts = new Map<number, number>();
  const order: string[] = [];
  let left = tasks;
  for (; left > 0; left--) {
    const row = contest.best();
    const worker = workers[row];
    if (worker === undefined) break;
    worker.activeTasks++;
    worker.assignedSinceHeartbeat++;
    contest.take(row);
    if (worker.activeTasks >= worker.slots) contest.drop(row);
    counts.set(row, (counts.get(row) ?? 0) + 1);
    order.push(worker.id);
  }
  const placements = [...counts]
    .toSorted(([rowA, a], [rowB, b]) => b - a || rowA - rowB)
    .map(([row, count]) => ({ worker_id: workers[row]!.id, tasks: count }));
  return { order, placements, unplaced: left };
}
