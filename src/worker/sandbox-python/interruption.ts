// When the code in the interpreter is interrupted. It is asked at every fifty steps of that: some hundred thousand
// times in a second of a plain loop, and a few times where each step calls something that takes long. So it looks at a
// clock every 64th time at most, and after the order to stop every 5 ms.

import { claimStackRoom } from '../sandbox/stack-room.ts';

/** Of a task that looks after the order by itself, and may want to leave a state. */
const graceMs = 1_000;
/** To code that goes on all the same it is said again. */
const againMs = 250;
const lookMs = 5;
const strideMost = 64;

export class Interruption {
  readonly #now: () => number;
  /** `free`: the interpreter itself works; `idle`: nothing should run, so what does is interrupted at once. */
  #state: 'free' | 'idle' | { readonly isStopped: () => boolean } = 'free';
  /** It looks at the clock when it has been asked so often. */
  #stride = 1;
  #asked = 0;
  #lookedAt = 0;
  #looksAt = 0;
  #dueAt = Infinity;
  #graceMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** An attempt begins. */
  restart(): void {
    this.#looksAt = 0;
    this.#dueAt = Infinity;
    this.#graceMs = 0;
  }

  /** It takes a step. */
  enter(isStopped: () => boolean): void {
    this.#state = { isStopped };
  }

  idle(): void {
    this.#state = 'idle';
  }

  /** The task looks after the order by itself. */
  giveGrace(): void {
    this.#graceMs = graceMs;
  }

  isDue(): boolean {
    if (this.#state === 'free') return false;
    if (this.#state === 'idle') return true;
    if (++this.#asked < this.#stride) return false;
    this.#asked = 0;
    const now = this.#now();
    this.#stride = now - this.#lookedAt > lookMs ? 1 : Math.min(2 * this.#stride, strideMost);
    this.#lookedAt = now;
    if (now < this.#looksAt) return false;
    this.#looksAt = now + lookMs;
    claimStackRoom();
    if (!this.#state.isStopped()) return false;
    if (this.#dueAt === Infinity) this.#dueAt = now + this.#graceMs;
    if (now < this.#dueAt) return false;
    this.#dueAt = now + againMs;
    return true;
  }
}
