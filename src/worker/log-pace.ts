// How much a worker says in its log: much of it is what its coordinator makes it say, and that must not fill
// the disk of the machine.

/** More of one line tells nothing more. */
const longestDetail = 4_000;
const windowMs = 10_000;
const linesPerWindow = 200;

export class LogPace {
  #windowFrom = -Infinity;
  #lines = 0;

  /** The sentences to log in place of this one: at most itself, in part, and what is left out from here on. */
  take(detail: string, nowMs: number): readonly string[] {
    if (nowMs - this.#windowFrom >= windowMs) {
      this.#windowFrom = nowMs;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > linesPerWindow) return [];
    const line = detail.length > longestDetail ? `${detail.slice(0, longestDetail)}…` : detail;
    return this.#lines < linesPerWindow ? [line] : [line, leftOut];
  }
}

const leftOut = 'More is not written for some seconds: it is too much at once.';
