// When a list is read again because something in it has changed: soon after the first change, and however many
// follow, one read at a time with a pause between two.

const soonMs = 300;

export interface ChangeReadsOptions {
  /** Reads it, and calls `begin` when it is asked for. */
  readonly read: () => Promise<void>;
  /** What is on its way already may be of before. */
  readonly onItsWay: () => Promise<void> | null;
  /** How long what was read stands. */
  readonly pauseMs: () => number;
}

export class ChangeReads {
  readonly #options: ChangeReadsOptions;
  #hasChanged = false;
  #isDue = false;
  #begunMs = Number.NEGATIVE_INFINITY;

  constructor(options: ChangeReadsOptions) {
    this.#options = options;
  }

  note(): void {
    this.#hasChanged = true;
    if (this.#isDue) return;
    this.#isDue = true;
    const leftMs = this.#begunMs + this.#options.pauseMs() - performance.now();
    setTimeout(() => void this.#turn(), Math.max(soonMs, leftMs));
  }

  /** It is asked for now, for whatever reason. */
  begin(): void {
    this.#hasChanged = false;
    this.#begunMs = performance.now();
  }

  async #turn(): Promise<void> {
    const { read, onItsWay } = this.#options;
    await onItsWay();
    this.#isDue = false;
    if (this.#hasChanged) await read();
  }
}
