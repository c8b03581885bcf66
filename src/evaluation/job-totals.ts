// Sums over the jobs of a period, taken one job at a time: there may be hundreds of thousands.

export interface CountedJob {
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly createdAt: number;
  /** Null while the job is open. */
  readonly completedAt: number | null;
  readonly taskCount: number;
  /** Tasks that completed or failed. */
  readonly completed: number;
  readonly failed: number;
}

const stillOpen = { status: 'running', completedAt: null } as const;

/** All null when there is nothing to summarise. */
export interface TimeSummary {
  readonly mean: number | null;
  /** The middle time, or the mean of the two in the middle. */
  readonly median: number | null;
  /** The smallest time that at least 95 % of all do not exceed (nearest rank). */
  readonly p95: number | null;
  readonly max: number | null;
}

export class JobTotals {
  readonly jobs = { total: 0, completed: 0, failed: 0, cancelled: 0, running: 0 };
  readonly tasks = { total: 0, completed: 0, failed: 0 };
  readonly #from: number;
  readonly #until: number;
  readonly #now: number;
  readonly #executionSeconds: number[] = [];
  #coveredFrom: number;
  #coveredMs = 0;

  /**
   * From `from` to before `until`: what ended before it is not to be added, and what ended behind it was open then.
   * Open jobs last until its end, or until now.
   */
  constructor(period: { readonly from: number; readonly until?: number; readonly now: number }) {
    this.#from = period.from;
    this.#until = period.until ?? Infinity;
    this.#now = period.now;
    this.#coveredFrom = Infinity;
  }

  /**
   * Open jobs first, then in the reverse order of their ends: so the union of the intervals needs no
   * sorting. An end that comes out of order counts as earlier than it was. One that was submitted after the period
   * does not count.
   */
  add(job: CountedJob): void {
    const { createdAt } = job;
    if (createdAt >= this.#until) return;
    const isLater = job.completedAt !== null && job.completedAt >= this.#until;
    const { status, completedAt } = isLater ? stillOpen : job;
    this.jobs.total++;
    if (status !== 'pending') this.jobs[status]++;
    this.tasks.total += job.taskCount;
    this.tasks.completed += job.completed;
    this.tasks.failed += job.failed;
    if (status === 'completed' && completedAt !== null) {
      this.#executionSeconds.push(Math.max(0, completedAt - createdAt) / 1000);
    }
    this.#cover(Math.max(this.#from, createdAt), completedAt ?? Math.min(this.#now, this.#until));
  }

  /** Length of the union of the intervals from creation to end, within the period. */
  get coveredSeconds(): number {
    return this.#coveredMs / 1000;
  }

  /** The times of jobs that ended with every task completed. */
  get executionTime(): TimeSummary {
    return summarise(this.#executionSeconds);
  }

  /** Adds the part of the interval before `#coveredFrom`: everything from there on is counted already. */
  #cover(start: number, end: number): void {
    const uncoveredEnd = Math.min(end, this.#coveredFrom);
    if (start >= uncoveredEnd) return;
    this.#coveredMs += uncoveredEnd - start;
    this.#coveredFrom = start;
  }
}

export function summarise(values: readonly number[]): TimeSummary {
  const count = values.length;
  if (count === 0) return { mean: null, median: null, p95: null, max: null };
  const sorted = Float64Array.from(values).sort();
  const middle = count >> 1;
  const median = count % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / count,
    median,
    p95: sorted[Math.ceil(0.95 * count) - 1]!,
    max: sorted[count - 1]!,
  };
}
