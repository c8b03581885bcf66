// What the coordinator needs of the outside world: time, chance and a way to go on later. The server
// gives it the real ones, the simulator virtual ones; nothing else in this room reads a clock.

export interface Runtime {
  /** Milliseconds since the epoch; only `followClock` makes it jump. */
  readonly now: () => number;
  /**
   * Takes over a clock that was set meanwhile, and returns by how much `now` has jumped: whole
   * milliseconds, mostly 0. For the writer loop alone, which shifts all deadlines by as much.
   */
  readonly followClock: () => number;
  /** A stopwatch for figures that are shown; nothing is decided by it. */
  readonly microseconds: () => number;
  /** Runs `fn` soon, after what is running now. */
  readonly defer: (fn: () => void) => void;
  /** Calls `fn` at or shortly after the moment `at`; returns what cancels it. */
  readonly setTimer: (at: number, fn: () => void) => () => void;
  /** A new job or worker id (UUID v7). */
  readonly newId: () => string;
  /** A new secret of at least 128 bits, in characters that JSON and URLs leave alone. */
  readonly newToken: () => string;
  /** From 0 to below 1. */
  readonly chance: () => number;
  /** SHA-256 as hex; for worker tokens, of which only the hash is stored, and for checkpoint states. */
  readonly hash: (text: string) => string;
}
