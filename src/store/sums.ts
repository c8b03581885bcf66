// Sums as every store makes them. Rows must come in the same order from each: some have fractions.

import {
  type CheckpointRow,
  type CheckpointSum,
  type RecoveryRow,
  type RecoverySum,
  type ThroughputSum,
  type WorkRow,
  type WorkSum,
  workBucketMs,
} from './rows.ts';

/** Length of the buckets in which work is counted per job. */
export const secondMs = 1_000;

type Counters = Omit<WorkSum, 'workerId'>;
type MutableSum = { -readonly [K in keyof WorkSum]: WorkSum[K] };

export function addWork(sum: { -readonly [K in keyof Counters]: number }, row: Counters): void {
  sum.completed += row.completed;
  sum.failed += row.failed;
  sum.retried += row.retried;
  sum.completedMs += row.completedMs;
  sum.busyMs += row.busyMs;
  sum.energyJoules += row.energyJoules;
  sum.wastedMs += row.wastedMs;
}

/** Per worker, by its id. */
export class WorkSums {
  readonly #byWorker = new Map<string, MutableSum>();

  add(row: WorkRow): void {
    const { workerId } = row;
    let sum = this.#byWorker.get(workerId);
    if (sum === undefined) this.#byWorker.set(workerId, (sum = { workerId, ...nothing }));
    addWork(sum, row);
  }

  list(): readonly WorkSum[] {
    return [...this.#byWorker.values()].sort((a, b) => (a.workerId < b.workerId ? -1 : 1));
  }
}

/** Per bucket, oldest first. */
export class ThroughputSums {
  readonly #byBucket = new Map<number, { at: number; completed: number; failed: number }>();
  readonly #from: number;
  readonly #bucketMs: number;

  constructor(from: number, bucketMs: number) {
    this.#from = from;
    this.#bucketMs = bucketMs;
  }

  add(second: ThroughputSum): void {
    const at = second.at - ((second.at - this.#from) % this.#bucketMs);
    let sum = this.#byBucket.get(at);
    if (sum === undefined) this.#byBucket.set(at, (sum = { at, completed: 0, failed: 0 }));
    sum.completed += second.completed;
    sum.failed += second.failed;
  }

  list(): readonly ThroughputSum[] {
    return [...this.#byBucket.values()].sort((a, b) => a.at - b.at);
  }
}

export class RecoverySums {
  readonly #sum = { events: 0, recovered: 0, resumed: 0, msToResume: 0, workSavedSeconds: 0 };

  add({ outcome, lostAt, resumedAt, workSavedSeconds }: Omit<RecoveryRow, 'jobId'>): void {
    this.#sum.events++;
    if (outcome !== 'requeued' && outcome !== 'failed') this.#sum.recovered++;
    if (resumedAt !== null) {
      this.#sum.resumed++;
      this.#sum.msToResume += resumedAt - lostAt;
    }
    this.#sum.workSavedSeconds += workSavedSeconds;
  }

  get total(): RecoverySum {
    return this.#sum;
  }
}

export class CheckpointSums {
  readonly #sum = { count: 0, storedBytes: 0 };

  add({ storedBytes }: Pick<CheckpointRow, 'storedBytes'>): void {
    this.#sum.count++;
    this.#sum.storedBytes += storedBytes;
  }

  get total(): CheckpointSum {
    return this.#sum;
  }
}

/** The beginning of the first bucket of a period. */
export function firstBucket(since: number | undefined): number {
  return since === undefined ? -Infinity : Math.floor(since / workBucketMs) * workBucketMs;
}

const nothing: Counters = {
  completed: 0,
  failed: 0,
  retried: 0,
  completedMs: 0,
  busyMs: 0,
  energyJoules: 0,
  wastedMs: 0,
};
