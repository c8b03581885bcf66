// Sums as every store makes them. Rows must come in the same order from each: some have fractions.

import {
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

export function addWork(a: Counters, b: Counters): Counters {
  return {
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    retried: a.retried + b.retried,
    completedMs: a.completedMs + b.completedMs,
    busyMs: a.busyMs + b.busyMs,
    energyJoules: a.energyJoules + b.energyJoules,
  };
}

/** Per worker, by its id. */
export class WorkSums {
  readonly #byWorker = new Map<string, WorkSum>();

  add(row: WorkSum | WorkRow): void {
    const { workerId } = row;
    const before = this.#byWorker.get(workerId) ?? { workerId, ...nothing };
    this.#byWorker.set(workerId, { workerId, ...addWork(before, row) });
  }

  list(): readonly WorkSum[] {
    return [...this.#byWorker.values()].sort((a, b) => (a.workerId < b.workerId ? -1 : 1));
  }
}

/** Per bucket, oldest first. */
export class ThroughputSums {
  readonly #byBucket = new Map<number, ThroughputSum>();
  readonly #from: number;
  readonly #bucketMs: number;

  constructor(from: number, bucketMs: number) {
    this.#from = from;
    this.#bucketMs = bucketMs;
  }

  add(second: ThroughputSum): void {
    const at = second.at - ((second.at - this.#from) % this.#bucketMs);
    const { completed, failed } = this.#byBucket.get(at) ?? { completed: 0, failed: 0 };
    this.#byBucket.set(at, {
      at,
      completed: completed + second.completed,
      failed: failed + second.failed,
    });
  }

  list(): readonly ThroughputSum[] {
    return [...this.#byBucket.values()].sort((a, b) => a.at - b.at);
  }
}

export class RecoverySums {
  #sum: RecoverySum = { events: 0, recovered: 0, resumed: 0, msToResume: 0, workSavedSeconds: 0 };

  add({ outcome, lostAt, resumedAt, workSavedSeconds }: Omit<RecoveryRow, 'jobId'>): void {
    const { events, recovered, resumed, msToResume } = this.#sum;
    const wentOn = outcome !== 'requeued' && outcome !== 'failed';
    this.#sum = {
      events: events + 1,
      recovered: recovered + (wentOn ? 1 : 0),
      resumed: resumed + (resumedAt === null ? 0 : 1),
      msToResume: msToResume + (resumedAt === null ? 0 : resumedAt - lostAt),
      workSavedSeconds: this.#sum.workSavedSeconds + workSavedSeconds,
    };
  }

  get total(): RecoverySum {
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
};
