// The clock of a program. It tells nothing about the device but how time goes by: every attempt begins at
// 2000-01-01T00:00:00Z, and a sleep moves the clock and does not wait.

/** 2000-01-01T00:00:00Z since 1970, in ns. */
const epoch = 946_684_800_000_000_000n;
/** The monotonic clock begins here: some runtimes take 0 for a clock that does not go. */
const begin = 1_000_000_000n;
/** As coarse as in pages: a finer clock tells of what else is going on in the processor. */
export const clockStepNs = 100_000n;
const stepsPerMs = 10;

export class TaskClock {
  readonly #nowMs: () => number;
  readonly #startedAt: number;
  /** Time that the program has slept, or that went by before its checkpoint. */
  #passedNs: bigint;

  /** `passedNs`: from the checkpoint that it goes on from. */
  constructor(nowMs: () => number, passedNs = 0n) {
    this.#nowMs = nowMs;
    this.#startedAt = nowMs();
    this.#passedNs = passedNs;
  }

  /** Since the begin of the attempt, or of that which a checkpoint goes on with. */
  get passedNs(): bigint {
    const steps = Math.floor((this.#nowMs() - this.#startedAt) * stepsPerMs);
    return BigInt(Math.max(0, steps)) * clockStepNs + this.#passedNs;
  }

  get monotonicNs(): bigint {
    return begin + this.passedNs;
  }

  get realNs(): bigint {
    return epoch + this.passedNs;
  }

  sleep(ns: bigint): void {
    // A clock that does not fit into 64 bits would go backwards.
    if (this.#passedNs + ns < longestNs) this.#passedNs += ns;
  }
}

/** A hundred years. */
const longestNs = 3_155_760_000_000_000_000n;
