// How fast the workers of a trace are, and how long its jobs' tasks: from run times alone. Tasks of one job are
// assumed to be drawn alike, wherever they run, so with the run time r of a task of job j on worker w
//
//   log r = a(j) + b(w) + chance,   speed of w = exp(-b(w))
//
// the two-way layout with unequal numbers in its cells, fitted by least squares (Yates: The Analysis of Multiple
// Classifications with Unequal Numbers in the Different Classes, JASA 29, 1934). The normal equations say that each
// a is the mean of log r - b over the tasks of its job, and each b the mean of log r - a over those of its worker;
// taking turns in that solves them (Gauss-Seidel). Only ratios of speeds can be told: the median worker has 1.
// Workers that share no job, not even by way of others, cannot be compared, and each such group has its own median.

import { quantileOfSorted } from '../statistics/quantile.ts';

export interface RunTime {
  readonly job: number;
  readonly worker: number;
  /** More than 0. */
  readonly seconds: number;
}

export interface Speeds {
  /** By worker: work seconds a second; those that ran nothing are not in it. */
  readonly byWorker: ReadonlyMap<number, number>;
  /** How many groups of workers cannot be compared with each other; 1 when all can. */
  readonly groups: number;
}

const mostTurns = 10_000;
/** Of all turns together, each cell of each: some seconds. */
const mostSteps = 200_000_000;
/** Of a logarithm, in one turn: the estimate stands. */
const still = 1e-10;

interface Cell {
  readonly job: number;
  readonly worker: number;
  runs: number;
  /** Of the logarithms. */
  sum: number;
}

export function estimateSpeeds(runTimes: Iterable<RunTime>): Speeds {
  const cells = cellsOf(runTimes);
  const b = fit(cells);
  const groups = groupsOf(cells);
  const byWorker = new Map<number, number>();
  for (const group of groups) {
    const middle = median(group.map((worker) => b.get(worker)!));
    for (const worker of group) byWorker.set(worker, Math.exp(middle - b.get(worker)!));
  }
  return { byWorker, groups: groups.length };
}

function cellsOf(runTimes: Iterable<RunTime>): readonly Cell[] {
  const cells = new Map<string, Cell>();
  for (const { job, worker, seconds } of runTimes) {
    const key = `${job}/${worker}`;
    const cell = cells.get(key) ?? { job, worker, runs: 0, sum: 0 };
    cell.runs++;
    cell.sum += Math.log(seconds);
    cells.set(key, cell);
  }
  return [...cells.values()];
}

/** The b of each worker. */
function fit(cells: readonly Cell[]): ReadonlyMap<number, number> {
  const a = new Map<number, number>();
  const b = new Map(cells.map(({ worker }) => [worker, 0]));
  const jobs = Map.groupBy(cells, ({ job }) => job);
  const workers = Map.groupBy(cells, ({ worker }) => worker);
  const turns = Math.min(mostTurns, Math.max(100, mostSteps / cells.length));
  for (let turn = 0; turn < turns; turn++) {
    for (const [job, own] of jobs)
      a.set(
        job,
        meanWithout(own, ({ worker }) => b.get(worker)!),
      );
    let moved = 0;
    for (const [worker, own] of workers) {
      const next = meanWithout(own, ({ job }) => a.get(job)!);
      moved = Math.max(moved, Math.abs(next - b.get(worker)!));
      b.set(worker, next);
    }
    if (moved < still) break;
  }
  return b;
}

/** Mean over all runs of the cells, without the other effect. */
function meanWithout(cells: readonly Cell[], other: (cell: Cell) => number): number {
  let [runs, sum] = [0, 0];
  for (const cell of cells) {
    runs += cell.runs;
    sum += cell.sum - cell.runs * other(cell);
  }
  return sum / runs;
}

/** Workers that are connected by jobs. */
function groupsOf(cells: readonly Cell[]): readonly (readonly number[])[] {
  const workers = Map.groupBy(cells, ({ worker }) => worker);
  const jobs = Map.groupBy(cells, ({ job }) => job);
  const met = new Set<number>();
  const groups: number[][] = [];
  for (const first of workers.keys()) {
    if (met.has(first)) continue;
    met.add(first);
    const group = [first];
    // It grows while it is walked.
    for (const worker of group) {
      for (const { job } of workers.get(worker)!) {
        for (const { worker: other } of jobs.get(job)!) {
          if (met.has(other)) continue;
          met.add(other);
          group.push(other);
        }
      }
    }
    groups.push(group);
  }
  return groups;
}

/** Of at least one number. */
export function median(values: readonly number[]): number {
  return quantileOfSorted(Float64Array.from(values).sort(), 0.5);
}
