// What a sandbox asks of the platform that it runs on, beyond the language: everything else in this folder
// is the same everywhere. Whoever implements it takes hold of the functions behind it before the realm is
// locked and before any task code has run. No function or object of it is ever handed to task code.

import type { ObjectKinds } from './object-kinds.ts';

export interface Host {
  /**
   * Names on the global object that the platform itself or the library looks up after the lock. Nothing
   * else that is not of the language stays there. No compartment gets them.
   */
  readonly globals: readonly string[];
  readonly kinds: ObjectKinds;

  /**
   * Runs the library of the hardened realm in the global scope of this realm, as sloppy code. It must not
   * return before the library has run.
   */
  loadLibrary(path: string): void;

  /**
   * Calls back in a turn of the event loop of its own: all microtasks have run by then, and messages and
   * timers that were due have had their turn. So a timer of 0 ms does if it is not clamped to more.
   */
  soon(callback: () => void): void;

  /** Calls back once, not before the delay is over. What it returns means something to `stopTimer` alone. */
  startTimer(callback: () => void, delayMs: number): unknown;
  stopTimer(timer: unknown): void;

  /**
   * CPU time that was used here up to now, in µs; only differences count. A platform that cannot tell
   * may answer with a clock: an attempt has then used as much as it ran.
   */
  cpuMicros(): number;

  /** Of the text in UTF-8; half of a surrogate pair counts as U+FFFD, which it becomes. */
  byteLength(text: string): number;

  /**
   * The line, from 1, at which the engine's compiler finds an error in a script. Must not run the script.
   * A platform that cannot compile without running answers null: the author is not told the line then.
   */
  lineOfSyntaxError(source: string): number | null;
}
