// Replays a pass up to one of its decisions. The same configuration, memory, snapshot and calls
// make the same choice, so the table that is made here is the one that the scheduler chose from.

import type { Snapshot, WorkerView } from '../../core/snapshot.ts';
import { createScheduler } from '../../scheduling/registry.ts';
import type {
  Contest,
  Scheduler,
  TabledRanking,
  TabledScheduler,
} from '../../scheduling/scheduler.ts';
import type { LoggedDecision } from './decision-log.ts';
import type { PassListener, PassRecord } from './pass-record.ts';

export interface ReplayedDecision {
  /** The workers right before the decision. */
  readonly snapshot: Snapshot;
  /** The rows from which the choice was made. */
  readonly eligible: Uint8Array;
  readonly ranking: TabledRanking;
  /** The row that would have got the task if the selected one had not been there; costs a ranking of its own. */
  runnerUp(): number;
}

export function replayDecision({ pass, place, placement }: LoggedDecision): ReplayedDecision {
  const stage = new Stage(pass);
  pass.tellUntil(place, stage);
  const eligible = without(stage.masks[placement.contest]!, placement.except ?? []);
  const { scheduler, snapshot } = stage;
  return {
    snapshot,
    eligible,
    ranking: scheduler.rank(eligible),
    runnerUp: () => scheduler.rank(without(eligible, [placement.row], true)).selected,
  };
}

/** A scheduler in the state in which the real one was after this pass. */
export function replayPass(pass: PassRecord): Scheduler {
  const stage = new Stage(pass);
  pass.tellUntil(pass.placements, stage);
  return stage.scheduler;
}

class Stage implements PassListener {
  readonly scheduler: TabledScheduler;
  readonly snapshot: Snapshot;
  /** The rows that are left in each contest. */
  readonly masks: Uint8Array[] = [];
  private readonly contests: Contest[] = [];
  private readonly workers: CountedWorker[];

  constructor(pass: PassRecord) {
    this.workers = workersOf(pass);
    this.snapshot = { version: pass.view.version, workers: this.workers };
    this.scheduler = createScheduler(pass.config, pass.memory);
    this.scheduler.begin(this.snapshot);
  }

  opened(mask: Uint8Array): void {
    this.masks.push(mask.slice());
    this.contests.push(this.scheduler.contest(mask));
  }

  placed(contest: number, row: number): void {
    const worker = this.workers[row]!;
    worker.activeTasks++;
    worker.assignedSinceHeartbeat++;
    this.contests[contest]!.take(row);
  }

  dropped(contest: number, row: number): void {
    this.masks[contest]![row] = 0;
    this.contests[contest]!.drop(row);
  }
}

type CountedWorker = WorkerView & { activeTasks: number; assignedSinceHeartbeat: number };

function workersOf({ view, active, assigned, idleSince }: PassRecord): CountedWorker[] {
  const { members, observed } = view;
  return members.ids.map((id, row) => ({
    id,
    type: members.types[row]!,
    slots: members.slots[row]!,
    activeTasks: active[row]!,
    assignedSinceHeartbeat: assigned[row]!,
    idleSince: idleSince[row]!,
    observed: observed[row]!,
  }));
}

/** The mask without some rows; the whole mask when no other row is left, unless `mustBe`. */
function without(mask: Uint8Array, rows: readonly number[], mustBe = false): Uint8Array {
  const fewer = mask.slice();
  for (const row of rows) fewer[row] = 0;
  return mustBe || fewer.includes(1) ? fewer : mask.slice();
}
