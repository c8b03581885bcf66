// How time goes on in a simulation: one thing happens after the other, and between two of them
// everything runs that is ready. It ends at a moment, or when what is waited for is there.

import { BrokenPromise } from './broken-promise.ts';
import type { Clock } from './clock.ts';

const stepsPerMoment = 10_000;

export class RunLoop {
  steps = 0;
  private readonly clock: Clock;
  private readonly bug: () => Error | null;
  private moment: { at: number; steps: number };

  /** `bug` is what was found so far: the first ends the simulation. */
  constructor(clock: Clock, bug: () => Error | null) {
    this.clock = clock;
    this.bug = bug;
    this.moment = { at: clock.now, steps: 0 };
  }

  async run(until: number, isDone: () => boolean): Promise<void> {
    while (!isDone() && this.clock.step(until)) {
      this.steps++;
      await this.settle();
      this.watchTime();
      const bug = this.bug();
      if (bug !== null) throw bug;
    }
  }

  /** Reads wait for commits, and commits for the clock: it must go on meanwhile. */
  async during(work: Promise<void>): Promise<void> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    for (;;) {
      // Whatever it asks for is asked for by then, also where nothing else is to happen.
      await this.settle();
      if (isDone) return work;
      if (this.clock.isEmpty) throw new BrokenPromise('An answer is missing, and nothing happens.');
      await this.run(Infinity, () => isDone);
    }
  }

  /** Lets promises that are ready go on; nothing in a simulation waits for anything real. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Who asks for a turn again and again without end would keep a real machine busy for nothing. */
  private watchTime(): void {
    if (this.clock.now === this.moment.at) {
      if (++this.moment.steps < stepsPerMoment) return;
      throw new BrokenPromise(`Time stands still after ${stepsPerMoment} steps at one moment.`);
    }
    this.moment = { at: this.clock.now, steps: 0 };
  }
}
