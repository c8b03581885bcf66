// How good a run could have been, if every task completes. The lower bound is beaten by no schedule, whatever it
// knows. Longest task first is a schedule that knows how long every task will take: a yardstick and no optimum, others
// may be shorter. Both leave out what devices do beside: other programs, absences, batteries, the network.

import { type DevicePlan, type JobPlan, type Plan, sizeOf } from '../scenario/plan.ts';
import { sum } from './sum.ts';

export interface Bounds {
  /** In seconds from the first arrival. */
  readonly lower_bound_seconds: number;
  /** Makespan of longest task first; null where there are too many tasks and devices to try. */
  readonly longest_first_seconds: number | null;
}

export function boundsOf(plan: Plan): Bounds {
  return { lower_bound_seconds: lowerBound(plan), longest_first_seconds: longestFirst(plan) };
}

/**
 * Tasks need a slot for all of their time, and a core for as much of it as they compute: the larger bound of the two
 * holds. Where all tasks only compute, slots without a core of their own add nothing.
 */
function lowerBound({ devices, jobs }: Plan): number {
  const inSlots = boundBy(
    jobs,
    placesOf(devices, ({ slots }) => slots),
    (work) => work,
  );
  const onCores = boundBy(
    jobs,
    placesOf(devices, ({ slots, cores }) => Math.min(slots, cores)),
    (work, cpuShare) => work * cpuShare,
  );
  return Math.max(inSlots, onCores);
}

/**
 * For every moment r at which a job comes: what comes from then on cannot be done before
 * r + max(all work / all speeds, the k largest tasks / the k fastest places). Exact for tasks that may be
 * interrupted and moved (Horvath, Lam, Sethi: A Level Algorithm for Preemptive Scheduling, JACM 24(1), 1977);
 * the case k = 1 is the critical path of Graham (Bounds on Multiprocessing Timing Anomalies, 1969).
 */
function boundBy(
  jobs: readonly JobPlan[],
  places: readonly number[],
  needed: (work: number, cpuShare: number) => number,
): number {
  const speeds = [...places].sort((a, b) => b - a);
  const first = jobs[0]!.atMs;
  let bound = 0;
  // From the last job backwards: each step adds what comes earlier.
  const largest = new LargestTasks(speeds.length);
  let work = 0;
  const capacity = sum(speeds);
  for (let place = jobs.length - 1; place >= 0; place--) {
    const job = jobs[place]!;
    for (let index = 0; index < job.workSeconds.length; index++) {
      const each = needed(job.workSeconds[index]!, sizeOf(job.cpuShares, index));
      work += each;
      largest.add(each);
    }
    const isFirstThen = place === 0 || jobs[place - 1]!.atMs < job.atMs;
    if (!isFirstThen) continue;
    const after = Math.max(work / capacity, largest.least(speeds));
    bound = Math.max(bound, (job.atMs - first) / 1000 + after);
  }
  return bound;
}

/** The largest tasks so far, as many as there are places. */
class LargestTasks {
  readonly #most: number;
  #sizes: number[] = [];
  #isSorted = true;

  constructor(most: number) {
    this.#most = most;
  }

  add(size: number): void {
    this.#sizes.push(size);
    this.#isSorted = false;
    if (this.#sizes.length >= 4 * this.#most + 1024) this.#trim();
  }

  /** The k largest need at least their sum / the sum of the k fastest places, for every k. */
  least(speeds: readonly number[]): number {
    if (!this.#isSorted) this.#trim();
    let [size, speed, least] = [0, 0, 0];
    for (let k = 0; k < this.#sizes.length && k < speeds.length; k++) {
      size += this.#sizes[k]!;
      speed += speeds[k]!;
      least = Math.max(least, size / speed);
    }
    return least;
  }

  #trim(): void {
    this.#sizes = [...Float64Array.from(this.#sizes).sort().reverse().subarray(0, this.#most)];
    this.#isSorted = true;
  }
}

/** The speeds at which devices can do tasks side by side. */
function placesOf(
  devices: readonly DevicePlan[],
  count: (device: DevicePlan) => number,
): readonly number[] {
  return devices.flatMap((device) => Array.from({ length: count(device) }, () => device.speed));
}

/** Of a core, that a task asks for in the mean of its time. */
function meanCpuShare(jobs: readonly JobPlan[]): number {
  let [computed, whole] = [0, 0];
  for (const { workSeconds, cpuShares } of jobs) {
    for (let index = 0; index < workSeconds.length; index++) {
      const work = workSeconds[index]!;
      computed += work * sizeOf(cpuShares, index);
      whole += work;
    }
  }
  return whole === 0 ? 1 : computed / whole;
}

/** More would take longer than the run itself. */
const mostTries = 200_000_000;

/**
 * Job after job in the order of their arrival, the longest task first, each to the place where it ends first, also
 * when that is not free yet. Tasks that wait share cores as far as they ask for no more (LPT; Graham: Bounds on Multiprocessing Timing Anomalies, 1969, for places of one speed:
 * at most 4/3 of the optimum of jobs that come together).
 */
function longestFirst({ devices, jobs }: Plan): number | null {
  const share = meanCpuShare(jobs);
  const places = groupsOf(
    placesOf(devices, ({ slots, cores }) => Math.min(slots, Math.floor(cores / share + 1e-9))),
  );
  const tasks = sum(jobs.map(({ workSeconds }) => workSeconds.length));
  if (tasks * places.length > mostTries) return null;
  const first = jobs[0]!.atMs;
  let end = 0;
  for (const { arrival, works } of arrivalsOf(jobs, first)) {
    for (const work of works) {
      let best: Group | undefined;
      let bestEnd = Infinity;
      for (const group of places) {
        const endsAt = Math.max(arrival, group.free[0]!) + work / group.speed;
        if (endsAt >= bestEnd) continue;
        best = group;
        bestEnd = endsAt;
      }
      replaceFirst(best!.free, bestEnd);
      end = Math.max(end, bestEnd);
    }
  }
  return end;
}

/** Tasks that come at the same moment, the longest first. */
function arrivalsOf(
  jobs: readonly JobPlan[],
  first: number,
): readonly { readonly arrival: number; readonly works: Float64Array }[] {
  const moments = new Map<number, number[]>();
  for (const { atMs, workSeconds } of jobs) {
    const works = moments.get(atMs) ?? [];
    for (const work of workSeconds) works.push(work);
    moments.set(atMs, works);
  }
  return [...moments].map(([atMs, works]) => ({
    arrival: (atMs - first) / 1000,
    works: Float64Array.from(works).sort().reverse(),
  }));
}

/** Places of the same speed: a heap of the moments at which each is free. */
interface Group {
  readonly speed: number;
  readonly free: number[];
}

function groupsOf(speeds: readonly number[]): readonly Group[] {
  const groups = new Map<number, Group>();
  for (const speed of speeds) {
    const group = groups.get(speed) ?? { speed, free: [] };
    group.free.push(0);
    groups.set(speed, group);
  }
  return [...groups.values()];
}

/** The least of a heap becomes a larger one. */
function replaceFirst(heap: number[], value: number): void {
  let place = 0;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++;
    if (heap[child]! >= value) break;
    heap[place] = heap[child]!;
    place = child;
  }
  heap[place] = value;
}
