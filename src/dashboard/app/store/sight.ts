// Whether somebody sees the page. A tab that nobody has seen for a minute gives its connections back: a browser has six
// for a host, and tabs that lie open would take them from the one that is looked at.

export class Sight {
  readonly #isHidden: () => boolean;
  readonly #patienceMs: number;
  #seen = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
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
      this.#timer = setTimeout(() => this.#seen.abort(), this.#patienceMs);
    } else if (this.#seen.signal.aborted) {
      this.#seen = new AbortController();
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
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
