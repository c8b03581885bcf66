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

/** Work is summed within hours, these within days: so that what is over can be kept as a sum. The longest first. */
export const spansMs = [86_400_000, 3_600_000] as const;

/**
 * Per worker, by its id. Hours are summed by themselves, then days, then all: fractions are rounded the same,
 * whether a span comes as rows or as the sum that was kept of it.
 */
export class WorkSums {
  readonly #total = new Level(Infinity);
  readonly #levels = [this.#total, ...spansMs.map((spanMs) => new Level(spanMs))];

  /** Rows come in the order of time. */
  add(row: WorkRow): void {
    this.#enter(this.#levels.length - 1, row.bucketAt).add(row);
  }

  /** What `list` gave for a whole span, in the place of its rows. */
  addSpan(spanMs: number, beginsAt: number, works: readonly WorkSum[]): void {
    const place = this.#levels.findIndex((level) => level.spanMs === spanMs);
    this.#foldFrom(place);
    const level = this.#enter(place - 1, beginsAt);
    for (const work of works) level.add(work);
  }

  list(): readonly WorkSum[] {
    this.#foldFrom(1);
    return [...this.#total.byWorker.values()].sort((a, b) => (a.workerId < b.workerId ? -1 : 1));
  }

  /** The level, ready for what happened at that time. */
  #enter(place: number, at: number): Level {
    if (at >= this.#levels[place]!.until) {
      for (let i = 1; i <= place; i++) {
        if (at < this.#levels[i]!.until) continue;
        this.#foldFrom(i);
        this.#levels[i]!.begin(at);
      }
    }
    return this.#levels[place]!;
  }

  /** Adds the sums of a level and of those within it to the one around it. */
  #foldFrom(first: number): void {
    for (let i = this.#levels.length - 1; i >= first; i--) {
      const { byWorker } = this.#levels[i]!;
      for (const work of byWorker.values()) this.#levels[i - 1]!.add(work);
      byWorker.clear();
    }
  }
}

/** The sums of one span: the one that is gone through. */
class Level {
  readonly spanMs: number;
  readonly byWorker = new Map<string, MutableSum>();
  until: number;

  constructor(spanMs: number) {
    this.spanMs = spanMs;
    this.until = spanMs === Infinity ? Infinity : -Infinity;
  }

  begin(at: number): void {
    this.until = spanBegin(at, this.spanMs) + this.spanMs;
  }

  add(work: WorkSum): void {
    const { workerId } = work;
    let sum = this.byWorker.get(workerId);
    if (sum === undefined) this.byWorker.set(workerId, (sum = { workerId, ...nothing }));
    addWork(sum, work);
  }
}

/** The begin of the span in which a moment lies. */
export function spanBegin(at: number, spanMs: number): number {
  return Math.floor(at / spanMs) * spanMs;
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

/** Where the first bucket begins that is not of the period any more. */
export function bucketsEnd(until: number | undefined): number {
  return until === undefined ? Infinity : spanBegin(until, workBucketMs);
}

/** The beginning of the first bucket of a period. */
export function firstBucket(since: number | undefined): number {
  return since === undefined ? -Infinity : spanBegin(since, workBucketMs);
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
