// Who asks for the change that is being made. It stands beside the call, not in it: whatever the call goes
// through, the batch that makes the change knows whose will it was, and writes that in the same commit.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditAction } from '../../protocol/audit.ts';

export interface Asker {
  readonly action: AuditAction;
  /** What is changed; undefined: the change itself tells, and without that it was none. */
  readonly object: string | null | undefined;
  readonly tokenId: string | null;
  readonly role: string | null;
  readonly owner: string | null;
  readonly address: string | null;
  /** The change is in a commit, with who has asked for it. */
  isWritten: boolean;
  /** It was answered: what comes later is not by its will. */
  isOver: boolean;
}

const asking = new AsyncLocalStorage<Asker | undefined>();

export function askedBy<T>(asker: Asker, work: () => T): T {
  return asking.run(asker, work);
}

/** For what goes on by itself, whoever gave the occasion. */
export function askedByNobody<T>(work: () => T): T {
  return asking.getStore() === undefined ? work() : asking.run(undefined, work);
}

/** Undefined when nobody asks whose will must be written. */
export function whoAsks(): Asker | undefined {
  const asker = asking.getStore();
  return asker === undefined || asker.isOver || asker.isWritten ? undefined : asker;
}
