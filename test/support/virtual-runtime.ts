// A runtime whose time stands still until a test lets it pass. Ids and tokens are counted, so that a
// test can foretell them; what was deferred runs when the test says so.

import type { Runtime } from '../../src/coordinator/runtime.ts';

interface Timer {
  at: number;
  readonly order: number;
  readonly fn: () => void;
}

export class VirtualRuntime implements Runtime {
  /** Ids handed out before counted ones, in order. */
  readonly names: string[] = [];
  private nowMs = 0;
  private deferred: (() => void)[] = [];
  private readonly timers = new Set<Timer>();
  private made = 0;
  private setMs = 0;

  now = (): number => this.nowMs;
  followClock = (): number => {
    const byMs = this.setMs;
    this.setMs = 0;
    this.nowMs += byMs;
    for (const timer of this.timers) timer.at += byMs;
    return byMs;
  };
  defer = (fn: () => void): void => void this.deferred.push(fn);
  newId = (): string => this.names.shift() ?? `id${++this.made}`;
  newToken = (): string => `token${++this.made}`;
  chance = (): number => 0.5;
  hash = (text: string): string => `hash of ${text}`;
  /** Nothing takes time. */
  microseconds = (): number => this.nowMs * 1000;

  setTimer = (at: number, fn: () => void): (() => void) => {
    const timer = { at, order: ++this.made, fn };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  };

  /** Lets everything run that needs no time to pass. */
  async settle(): Promise<void> {
    for (;;) {
      // A turn of the real event loop: every promise that can resolve has resolved then.
      await new Promise((resolve) => setImmediate(resolve));
      const due = this.firstTimer(this.nowMs);
      if (this.deferred.length === 0 && due === undefined) return;
      const deferred = this.deferred;
      this.deferred = [];
      for (const fn of deferred) fn();
      if (due !== undefined && this.timers.delete(due)) due.fn();
    }
  }

  /** Lets time pass, and fires no timer. */
  pass(ms: number): void {
    this.nowMs += ms;
  }

  /** Lets time pass, firing timers at their moments. */
  async advance(ms: number): Promise<void> {
    let left = ms;
    await this.settle();
    for (;;) {
      const next = this.firstTimer(this.nowMs + left);
      if (next === undefined) break;
      const passed = Math.max(0, next.at - this.nowMs);
      this.nowMs += passed;
      left -= passed;
      await this.settle();
    }
    this.nowMs += left;
    await this.settle();
  }

  /** Time passes while the process does not run, so timers that fall due are late. */
  stall(ms: number): void {
    this.nowMs += ms;
  }

  /** Sets the clock forward or back while the process runs. */
  setClock(byMs: number): void {
    this.setMs += byMs;
  }

  /** Kills the process: none of its timers fires any more. */
  kill(): void {
    this.followClock();
    this.deferred = [];
    this.timers.clear();
  }

  private firstTimer(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.at > until) continue;
      if (
        first === undefined ||
        timer.at < first.at ||
        (timer.at === first.at && timer.order < first.order)
      ) {
        first = timer;
      }
    }
    return first;
  }
}
