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
  /** The body of an escape for what this host has, and whether it gets there without any wall. */
  escapeOf(escape: Escape): { readonly body: string; readonly isOpen: boolean };
  /**
   * For positive controls: evaluates the text of an async function outside of any sandbox, among the
   * globals of this host. Resolves to what it returns, or to `'threw'`.
   */
  outside(functionText: string): Promise<unknown>;
  /** The same in a realm of its own, which nothing else ever shares. */
  inFreshRealm(functionText: string): Promise<unknown>;
}
