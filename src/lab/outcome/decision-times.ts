// How long a scheduler takes to decide. It is measured on the machine that plays, so it is told apart from everything
// that repeats, and only when it is asked for.
//
// A decision is all that the algorithm does for one task: to look over the cluster (once for a pass of the
// coordinator, so the first decision of a pass pays for it), to name a worker, to take into account that it got the
// task. The coordinator's own work is not in it. Passes that place nothing are no decisions.

import {
  type HistogramData,
  LogHistogram,
  meanIn,
  quantileIn,
} from '../statistics/log-histogram.ts';

/** Of one contender, in all runs of a scenario together. Nothing in it repeats. */
export interface DecisionTime extends TimeSpread {
  readonly contender: string;
  /** What reading the clock itself added to each decision, about; it is not subtracted. */
  readonly clock_microseconds: number;
  /** By how many workers there were to choose from. */
  readonly by_candidates: readonly (TimeSpread & {
    readonly at_least: number;
    readonly at_most: number;
  })[];
}

/** Null: nothing was decided. */
export interface TimeSpread {
  readonly decisions: number;
  readonly mean_microseconds: number | null;
  readonly p50_microseconds: number | null;
  readonly p95_microseconds: number | null;
}

/** Can be sent to a thread. */
export interface DecisionTimesData {
  /** By the most candidates of a class: 1, 10, 100 … */
  readonly classes: ReadonlyMap<number, HistogramData>;
  /** Calls of the scheduler that were measured. */
  readonly calls: number;
  /** What it costs to measure one of them. */
  readonly clockMicroseconds: number;
}

/** Of one run: what is spent counts for the next decision, and after one for that until anything is asked again. */
export class DecisionTimes implements DecisionTimesData {
  readonly classes = new Map<number, LogHistogram>();
  readonly clockMicroseconds: number;
  calls = 0;
  #spent = 0;
  #candidates = 0;

  constructor(clockMicroseconds: number) {
    this.clockMicroseconds = clockMicroseconds;
  }

  spend(microseconds: number): void {
    this.#spent += microseconds;
    this.calls++;
  }

  /** A task was placed, with so many workers to choose from. */
  decide(candidates: number): void {
    this.#candidates = candidates;
  }

  /** The scheduler is asked anew. */
  ask(): void {
    if (this.#candidates === 0) return;
    const most = leastPowerOfTen(this.#candidates);
    let found = this.classes.get(most);
    if (found === undefined) this.classes.set(most, (found = new LogHistogram()));
    found.add(this.#spent);
    this.#spent = 0;
    this.#candidates = 0;
  }

  /** A pass begins, or the run is over: what was spent since the last decision was for none. */
  endPass(): void {
    this.ask();
    this.#spent = 0;
  }
}

/** Of several runs. */
export function decisionTimeOf(
  contender: string,
  runs: readonly DecisionTimesData[],
): DecisionTime {
  const classes = new Map<number, LogHistogram>();
  const all = new LogHistogram();
  let clock = 0;
  for (const run of runs) {
    clock += run.calls * run.clockMicroseconds;
    for (const [most, times] of run.classes) {
      const found = classes.get(most) ?? new LogHistogram();
      classes.set(most, found);
      found.addAll(times);
      all.addAll(times);
    }
  }
  return {
    contender,
    ...spreadOf(all),
    clock_microseconds: all.count === 0 ? 0 : clock / all.count,
    by_candidates: [...classes]
      .sort(([a], [b]) => a - b)
      .map(([most, times]) => ({
        at_least: most === 1 ? 1 : most / 10 + 1,
        at_most: most,
        ...spreadOf(times),
      })),
  };
}

function spreadOf(times: HistogramData): TimeSpread {
  const { count } = times;
  const isNone = count === 0;
  return {
    decisions: count,
    mean_microseconds: isNone ? null : meanIn(times),
    p50_microseconds: isNone ? null : quantileIn(times, 0.5),
    p95_microseconds: isNone ? null : quantileIn(times, 0.95),
  };
}

function leastPowerOfTen(number: number): number {
  let power = 1;
  while (power < number) power *= 10;
  return power;
}
