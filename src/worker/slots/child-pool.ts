// The pool from which slots take their children: spares that are ready already, or being started. A
// child that was taken never comes back; the slot that took it ends it.

import type { Child, ChildListener } from './child.ts';
import { startLooseTimer, type Timer } from './loose-timer.ts';
import { settleMs, Spares } from './spares.ts';

export interface ChildPoolOptions<C> {
  readonly start: () => C;
  /** Spares at a time, at most. */
  readonly most: number;
  /**
   * Whether all slots have a ready child. No spare is started before the first time that they do.
   */
  readonly areServed: () => boolean;
}

/** How often the pool checks whether it has too many spares. */
const tendEveryMs = 5_000;

export class ChildPool<C extends Child> {
  readonly #options: ChildPoolOptions<C>;
  readonly #rule: Spares;
  /** In the order of their start; those not ready yet included. */
  readonly #spares = new Set<C>();
  #wereServed = false;
  /** A spare has ended before it was ready, and no child has become ready since. */
  #doNotStart = false;
  #isClosed = false;
  #timer: Timer | null = null;

  constructor(options: ChildPoolOptions<C>) {
    this.#options = options;
    this.#rule = new Spares(options.most);
  }

  /** Takes a ready spare if there is one, else the one that was started first, else a new child. */
  take(listener: ChildListener): C {
    this.#rule.taken(performance.now());
    const spares = [...this.#spares];
    const child = spares.find(({ isReady }) => isReady) ?? spares[0] ?? this.#start();
    this.#spares.delete(child);
    const before = child.listener;
    child.listener = {
      childReady: (ready) => {
        listener.childReady(ready);
        before?.childReady(ready);
      },
      childSaid: (speaker, message) => {
        listener.childSaid(speaker, message);
      },
      childEnded: (ended) => {
        listener.childEnded(ended);
      },
    };
    this.#tend();
    return child;
  }

  /** Attempts were handed to a slot. */
  worked(): void {
    this.#rule.worked(performance.now());
    if (this.#spares.size > 0) return;
    this.#tend();
    if (!this.#isClosed) this.#timer ??= startLooseTimer(() => this.#look(), settleMs);
  }

  /** Starts no more children. The executor ends the spares. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #start(): C {
    const child = this.#options.start();
    const startedAt = performance.now();
    this.#spares.add(child);
    child.listener = {
      childReady: () => {
        this.#rule.started(performance.now() - startedAt);
        this.#doNotStart = false;
        this.#tend();
      },
      childSaid: () => {},
      childEnded: () => {
        this.#spares.delete(child);
        if (!child.isReady) this.#doNotStart = true;
        this.#tend();
      },
    };
    return child;
  }

  /**
   * Starts as many spares as are wanted. Spares that are too many are ended at the next periodic
   * check.
   */
  #tend(): void {
    this.#wereServed ||= this.#options.areServed();
    if (!this.#wereServed || this.#doNotStart || this.#isClosed) return;
    const wanted = this.#rule.wanted(performance.now());
    while (this.#spares.size < wanted) this.#start();
    if (this.#spares.size > 0) this.#timer ??= startLooseTimer(() => this.#look(), tendEveryMs);
  }

  #look(): void {
    this.#timer = null;
    const wanted = this.#rule.wanted(performance.now());
    for (const spare of [...this.#spares].slice(wanted)) {
      this.#spares.delete(spare);
      spare.listener = null;
      spare.kill('retired');
    }
    this.#tend();
  }
}
