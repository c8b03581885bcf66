// What the scheduler saw when it last decided, kept so that the table behind the decision can be made
// when somebody asks for it. Keeping costs a copy of two columns per pass and nothing per placement.

import type { Snapshot, WorkerView } from '../core/snapshot.ts';
import type { SchedulerConfig } from '../core/snapshot.ts';

export interface LoggedDecision {
  readonly at: number;
  readonly jobId: string;
  readonly index: number;
  readonly workerId: string;
  readonly config: SchedulerConfig;
  /** Mean over the pass. */
  readonly microseconds: number;
  /** Decisions in the pass. */
  readonly placements: number;
  /** The workers as they were right before the decision. */
  readonly snapshot: Snapshot;
  readonly eligible: Uint8Array;
  readonly row: number;
}

/** Everything of one pass; the last placement of the newest pass is the last decision. */
export class PassRecord {
  private placements = 0;
  private readonly workers: readonly WorkerView[];
  private readonly version: number;
  private readonly observed: readonly WorkerView['observed'][];
  private readonly idleSince: Float64Array;
  private readonly active: Int32Array;
  private readonly assigned: Int32Array;
  private row = -1;
  private mask: Uint8Array = new Uint8Array();
  private jobId = '';
  private index = 0;

  constructor(snapshot: Snapshot) {
    const { workers } = snapshot;
    this.workers = workers;
    this.version = snapshot.version;
    this.observed = workers.map((worker) => worker.observed);
    this.idleSince = Float64Array.from(workers, (worker) => worker.idleSince);
    this.active = Int32Array.from(workers, (worker) => worker.activeTasks);
    this.assigned = Int32Array.from(workers, (worker) => worker.assignedSinceHeartbeat);
  }

  /** The columns follow one placement behind: they stay as the newest decision found them. */
  note(row: number, mask: Uint8Array, jobId: string, index: number): void {
    if (this.row >= 0) {
      this.active[this.row]!++;
      this.assigned[this.row]!++;
    }
    this.placements++;
    this.row = row;
    this.mask = mask;
    this.jobId = jobId;
    this.index = index;
  }

  /** Undefined when nothing was placed. `microseconds` is the length of the whole pass. */
  finish(at: number, config: SchedulerConfig, microseconds: number): LoggedDecision | undefined {
    const { row, workers } = this;
    const chosen = workers[row];
    if (chosen === undefined) return undefined;
    const eligible = this.mask.slice();
    // It may have been masked since: full, after this very task.
    eligible[row] = 1;
    return {
      at,
      jobId: this.jobId,
      index: this.index,
      workerId: chosen.id,
      config,
      microseconds: microseconds / this.placements,
      placements: this.placements,
      snapshot: {
        version: this.version,
        workers: workers.map((worker, i) => ({
          id: worker.id,
          type: worker.type,
          slots: worker.slots,
          activeTasks: this.active[i]!,
          assignedSinceHeartbeat: this.assigned[i]!,
          idleSince: this.idleSince[i]!,
          observed: this.observed[i]!,
        })),
      },
      eligible,
      row,
    };
  }
}
