// When a program that is to stop is left in the middle of what it does. Most programs know nothing of the order: they are
// left at their next call of the host. One that has asked whether it shall stop means to write a last state and to
// end by itself, and has some time for it.

const graceMs = 2_000;

export class StopOrder {
  readonly #nowMs: () => number;
  #seenAt: number | null = null;
  #hasAsked = false;
  #hasOffered = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isSeen(): boolean {
    return this.#seenAt !== null;
  }

  asked(): void {
    this.#hasAsked = true;
  }

  /** The program has left a state; if it is to stop, there is nothing more to wait for. */
  offered(): void {
    this.#hasOffered = this.isSeen;
  }

  /** `isStopped`: the order is there. */
  leavesNow(isStopped: boolean): boolean {
    if (!isStopped) return false;
    this.#seenAt ??= this.#nowMs();
    return !this.#hasAsked || this.#hasOffered || this.#nowMs() - this.#seenAt > graceMs;
  }
}
