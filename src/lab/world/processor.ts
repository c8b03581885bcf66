// The processor of a device. Its cores are shared fairly: when tasks and other programs together ask for more
// than there is, all of them get as much slower. Between two changes every task does its work at the same rate,
// so one sum of work tells how far each of them is.

import type { Clock } from '../../simulator/clock.ts';

export interface Computation {
  /** Work seconds that were there to do when it began. */
  readonly work: number;
  /** The common sum when it began. */
  readonly from: number;
  readonly onDone: () => void;
}

/** Work seconds by which two that end together may differ by rounding. */
const nothing = 1e-9;

export class Processor {
  readonly #clock: Clock;
  readonly #cores: number;
  readonly #speed: number;
  readonly #running = new Set<Computation>();
  /** Share of the processor that other programs ask for. */
  #others = 0;
  /** What a task would have done that was there from the beginning, in work seconds. */
  #sum = 0;
  #summedAt: number;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, { cores, speed }: { readonly cores: number; readonly speed: number }) {
    this.#clock = clock;
    this.#cores = cores;
    this.#speed = speed;
    this.#summedAt = clock.now;
  }

  get busy(): number {
    return this.#running.size;
  }

  /** As a device measures it: tasks and other programs, 0 to 100. */
  get loadPercent(): number {
    return Math.min(100, 100 * (this.#others + this.#running.size / this.#cores));
  }

  /** Seconds of one core that the task has had, when it has done so much of its work. */
  cpuSeconds(work: number): number {
    return work / this.#speed;
  }

  setOthers(percent: number): void {
    this.#advance();
    this.#others = percent / 100;
    this.#plan();
  }

  /** `onDone` is called when so many work seconds are done. */
  begin(work: number, onDone: () => void): Computation {
    this.#advance();
    const computation = { work, from: this.#sum, onDone };
    this.#running.add(computation);
    this.#plan();
    return computation;
  }

  /** Work seconds that it has done so far. */
  doneBy(computation: Computation): number {
    this.#advance();
    return Math.min(computation.work, this.#sum - computation.from);
  }

  end(computation: Computation): void {
    this.#advance();
    if (this.#running.delete(computation)) this.#plan();
  }

  /** Nothing of it goes on. */
  stop(): void {
    this.#running.clear();
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Work seconds a second, of each task. */
  #rate(): number {
    const asked = this.#others * this.#cores + this.#running.size;
    return asked <= this.#cores ? this.#speed : (this.#speed * this.#cores) / asked;
  }

  #advance(): void {
    const { now } = this.#clock;
    if (this.#running.size > 0) this.#sum += (this.#rate() * (now - this.#summedAt)) / 1000;
    this.#summedAt = now;
  }

  #plan(): void {
    this.#cancel?.();
    this.#cancel = null;
    let least = Infinity;
    for (const { work, from } of this.#running) least = Math.min(least, from + work - this.#sum);
    if (least === Infinity) return;
    const afterMs = (Math.max(0, least) / this.#rate()) * 1000;
    this.#cancel = this.#clock.after(afterMs, () => this.#finish());
  }

  #finish(): void {
    this.#cancel = null;
    this.#advance();
    // The first is done, whatever rounding has left of it.
    const first = Math.min(...[...this.#running].map(({ work, from }) => from + work));
    const done = [...this.#running].filter(({ work, from }) => from + work <= first + nothing);
    for (const each of done) this.#running.delete(each);
    this.#plan();
    for (const { onDone } of done) onDone();
  }
}
