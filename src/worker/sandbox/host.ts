// The port between the sandbox and its platform: all that it needs beyond the language. The other
// files of this folder are the same on every platform. An implementation takes the functions that
// it uses before the realm is locked and before any task code has run. No function or object of it
// is ever handed to task code.

import type { ObjectKinds } from './object-kinds.ts';

export interface Host {
  /**
   * Names on the global object that the platform or the library looks up after the lock. All others that
   * are not of the language are removed. No compartment gets any of them.
   */
  readonly globals: readonly string[];
  readonly kinds: ObjectKinds;

  /**
   * Runs the library of the hardened realm in the global scope of this realm, as sloppy code. It must not
   * return before the library has run.
   */
  loadLibrary(path: string): void;

  /**
   * Calls back in a later turn of the event loop: all microtasks have run by then, and messages and
   * timers that were due were served. A timer of 0 ms will do if the platform does not clamp it to more.
   */
  soon(callback: () => void): void;

  /** Calls back once, not before the delay is over. Only `stopTimer` understands what it returns. */
  startTimer(callback: () => void, delayMs: number): unknown;
  stopTimer(timer: unknown): void;

  /**
   * CPU time of the sandbox up to now, in µs; only differences count. A platform that cannot measure it
   * may return the time of a clock: the CPU time of an attempt is then its run time.
   */
  cpuMicros(): number;

  /** Bytes of the text in UTF-8; half of a surrogate pair counts as U+FFFD, which replaces it. */
  byteLength(text: string): number;

  /** Text of the bytes in UTF-8. */
  toText(utf8: Uint8Array): string;

  /**
   * The line, from 1, at which the engine's compiler finds an error in a script. Must not run the script.
   * A platform that cannot compile without running it returns null: the author learns no line then.
   */
  lineOfSyntaxError(source: string): number | null;
}
