// Where slots get their children from: spares that are warm already, or on their way. A child that is
// taken never comes back; who is done with it ends it.

import type { ChildListener, EndCause, SandboxChild } from './sandbox-child.ts';
import { Spares } from './spares.ts';

export interface PoolChild {
  readonly isReady: boolean;
  listener: ChildListener | null;
  kill(cause: EndCause): void;
}

export interface ChildPoolOptions<Child> {
  readonly start: () => Child;
  /** Most spares at a time. */
  readonly most: number;
  /** All slots have a child that is ready: before, nothing is started beside theirs. */
  readonly areServed: () => boolean;
}

/** How often it is asked whether spares may go. */
const tendEveryMs = 5_000;

export class ChildPool<Child extends PoolChild = SandboxChild> {
  readonly #options: ChildPoolOptions<Child>;
  readonly #rule: Spares;
  /** Those on their way included; in the order of their start. */
  readonly #spares = new Set<Child>();
  #wereServed = false;
  /** A spare has ended before it was ready, and no child has become ready since. */
  #doNotStart = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: ChildPoolOptions<Child>) {
    this.#options = options;
    this.#rule = new Spares(options.most);
  }

  /** A warm one if there is any, else the one that will be ready first. */
  take(listener: ChildListener): Child {
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

  /** Attempts came. */
  worked(): void {
    this.#rule.worked(performance.now());
    if (this.#spares.size === 0) this.#tend();
  }

  /** Starts nothing more. Who started the spares ends them. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #start(): Child {
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

  /** As many as are wanted are on their way or there. Those too many go later, at a look. */
  #tend(): void {
    this.#wereServed ||= this.#options.areServed();
    if (!this.#wereServed || this.#doNotStart || this.#isClosed) return;
    const wanted = this.#rule.wanted(performance.now());
    while (this.#spares.size < wanted) this.#start();
    if (this.#spares.size > 0) this.#timer ??= setTimeout(() => this.#look(), tendEveryMs).unref();
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
