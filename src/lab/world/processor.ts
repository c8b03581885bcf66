// The processor of a device. Its cores are shared fairly: when tasks and other programs together ask for more than there
// is, all of them get as much less. A task that also waits (for the network, a clock) asks for a share of a core, and is slowed
// in that share of its time only. Between two changes all tasks that ask for the same do their work at the same rate, so
// one sum of work for each such group tells how far each of them is.

import type { Clock } from '../../simulator/clock.ts';

export interface Computation {
  /** Work seconds that were there to do when it began. */
  readonly work: number;
  /** The sum of its group when it began. */
  readonly from: number;
  readonly group: Group;
  readonly onDone: () => void;
}

/** Computations that ask for the same. */
interface Group {
  /** Of a core, more than 0 to 1. */
  readonly cpuShare: number;
  readonly running: Set<Computation>;
  /** What a task would have done that was there from the beginning, in work seconds. */
  sum: number;
}

/** Work seconds by which two that end together may differ by rounding. */
const nothing = 1e-9;

export class Processor {
  readonly #clock: Clock;
  readonly #cores: number;
  readonly #speed: number;
  /** By the share of a core; those in which something runs. */
  readonly #groups = new Map<number, Group>();
  /** Share of the processor that other programs ask for. */
  #others = 0;
  #summedAt: number;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, { cores, speed }: { readonly cores: number; readonly speed: number }) {
    this.#clock = clock;
    this.#cores = cores;
    this.#speed = speed;
    this.#summedAt = clock.now;
  }

  /** Tasks that it works on. */
  get busy(): number {
    let count = 0;
    for (const { running } of this.#groups.values()) count += running.size;
    return count;
  }

  /** As a device measures it: tasks and other programs, 0 to 100. */
  get loadPercent(): number {
    return Math.min(100, 100 * (this.#others + this.#askedCores() / this.#cores));
  }

  /** Seconds of one core that the task has had, when it has done so much of its work. */
  cpuSeconds(work: number, cpuShare: number): number {
    return (work * cpuShare) / this.#speed;
  }

  setOthers(percent: number): void {
    this.#advance();
    this.#others = percent / 100;
    this.#plan();
  }

  /** `onDone` is called when so many work seconds are done. `cpuShare`: of a core, while nobody slows it; up to 1. */
  begin(work: number, cpuShare: number, onDone: () => void): Computation {
    this.#advance();
    let group = this.#groups.get(cpuShare);
    if (group === undefined) {
      group = { cpuShare, running: new Set(), sum: 0 };
      this.#groups.set(cpuShare, group);
    }
    const computation = { work, from: group.sum, group, onDone };
    group.running.add(computation);
    this.#plan();
    return computation;
  }

  /** Work seconds that it has done so far. */
  doneBy({ work, from, group }: Computation): number {
    this.#advance();
    return Math.min(work, group.sum - from);
  }

  end(computation: Computation): void {
    this.#advance();
    if (this.#remove(computation)) this.#plan();
  }

  /** Nothing of it goes on. */
  stop(): void {
    this.#groups.clear();
    this.#cancel?.();
    this.#cancel = null;
  }

  #remove(computation: Computation): boolean {
    const { group } = computation;
    if (!group.running.delete(computation)) return false;
    // A group of the same share may have come since all was stopped.
    if (group.running.size === 0 && this.#groups.get(group.cpuShare) === group) {
      this.#groups.delete(group.cpuShare);
    }
    return true;
  }

  /** By tasks. */
  #askedCores(): number {
    let cores = 0;
    for (const { cpuShare, running } of this.#groups.values()) cores += cpuShare * running.size;
    return cores;
  }

  /** How many times as long computing takes as it would alone. */
  #slowness(): number {
    return Math.max(1, (this.#others * this.#cores + this.#askedCores()) / this.#cores);
  }

  /** Work seconds a second, of each task of a group. */
  #rate({ cpuShare }: Group, slowness: number): number {
    return this.#speed / (1 - cpuShare + cpuShare * slowness);
  }

  #advance(): void {
    const { now } = this.#clock;
    const seconds = (now - this.#summedAt) / 1000;
    this.#summedAt = now;
    if (seconds === 0 || this.#groups.size === 0) return;
    const slowness = this.#slowness();
    for (const group of this.#groups.values()) group.sum += this.#rate(group, slowness) * seconds;
  }

  #plan(): void {
    this.#cancel?.();
    this.#cancel = null;
    const slowness = this.#slowness();
    let next: Group | null = null;
    let leastSeconds = Infinity;
    for (const group of this.#groups.values()) {
      const left = Math.max(0, firstEnd(group) - group.sum) / this.#rate(group, slowness);
      if (left >= leastSeconds) continue;
      leastSeconds = left;
      next = group;
    }
    if (next === null) return;
    const group = next;
    this.#cancel = this.#clock.after(leastSeconds * 1000, () => this.#finish(group));
  }

  #finish(group: Group): void {
    this.#cancel = null;
    this.#advance();
    // The first is done, whatever rounding has left of it.
    const first = firstEnd(group);
    const done = [...group.running].filter(({ work, from }) => from + work <= first + nothing);
    for (const each of done) this.#remove(each);
    this.#plan();
    for (const { onDone } of done) onDone();
  }
}

/** The sum of the group at which the first of it is done. */
function firstEnd({ running }: Group): number {
  let least = Infinity;
  for (const { work, from } of running) least = Math.min(least, from + work);
  return least;
}
