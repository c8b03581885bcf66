// Whether somebody sees the page. A tab that nobody has seen for a minute gives its connections back: a browser has six
// for a host, and tabs that lie open would take them from the one that is looked at.

export class Sight {
  readonly #isHidden: () => boolean;
  readonly #patienceMs: number;
  #seen = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Null while it is seen. */
  #hiddenAtMs: number | null = null;
  #waiting: (() => void)[] = [];

  constructor(isHidden: () => boolean, patienceMs: number) {
    this.#isHidden = isHidden;
    this.#patienceMs = patienceMs;
    this.note();
  }

  /** It was hidden, or is seen again. */
  note(): void {
    clearTimeout(this.#timer);
    if (this.#isHidden()) {
      this.#hiddenAtMs = performance.now();
      this.#timer = setTimeout(() => this.#letGo(), this.#patienceMs);
      return;
    }
    // A tab that slept had no timers.
    if (this.#hiddenAtMs !== null && performance.now() - this.#hiddenAtMs >= this.#patienceMs) {
      this.#letGo();
    }
    this.#hiddenAtMs = null;
    if (!this.#seen.signal.aborted) return;
    this.#seen = new AbortController();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #letGo(): void {
    this.#seen.abort(new Error('Nobody looked at it for a while.'));
  }

  /** Aborted when nobody has seen the page for so long. */
  get signal(): AbortSignal {
    return this.#seen.signal;
  }

  /** Resolves when it is seen, or was a moment ago. */
  seen(): Promise<void> {
    if (!this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
