// Where the cases that every sandbox has to pass are run: one place per kind of children.

import type { AttemptKey } from '../../src/worker/executor.ts';
import type { Escape } from '../fixtures/sandbox-escapes.ts';
import type { TaskHarness } from './task-harness.ts';

export interface PlaceOptions {
  readonly slots?: number;
  readonly memoryLimitMb?: number;
  readonly softKillMs?: number;
  readonly stateLimitBytes?: number;
  readonly outputMessagesPerSecond?: number;
  readonly onUnsaved?: (key: AttemptKey, why: string) => void;
}

export interface SandboxPlace {
  readonly name: string;
  /** Children of its own, one slot unless told otherwise; whoever opens it closes it. */
  open(options?: PlaceOptions): TaskHarness | Promise<TaskHarness>;
  /** What the body of an escape is among the globals of this host. */
  bodyOf(escape: Escape): string;
  /** Whether something succeeds here without any wall. */
  isOpen(attempt: Pick<Escape, 'isOpen' | 'isOpenInBrowser'>): boolean;
  /** Whether its engine tells the line of an error that it finds when it compiles. */
  readonly tellsLines: boolean;
  /**
   * For positive controls: evaluates the text of an async function outside of any sandbox, among the
   * globals of this host. Resolves to what it returns, or to `'threw'`.
   */
  outside(functionText: string): Promise<unknown>;
  /** The same in a realm of its own, which nothing else ever shares. */
  inFreshRealm(functionText: string): Promise<unknown>;
}
