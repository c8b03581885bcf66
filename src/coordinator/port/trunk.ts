// The way from the member of a cluster at which workers are to the one that decides, as the first one sees it. Each
// connection of a worker has a number on it.

import type { BareAssignMessage } from '../../protocol/bare-assign.ts';
import type { AttemptRef, CoordinatorMessage, WorkerMessage } from '../../protocol/messages.ts';

export interface TrunkPort {
  /** A connection has come, and says hello next. */
  open(n: number, opening: Opening): void;
  /** Messages of one frame, which had so many bytes. */
  pass(n: number, messages: readonly WorkerMessage[], bytes: number): void;
  /** The connection is gone. */
  gone(n: number): void;
  /** Something that an attempt needs cannot be read: it was not sent. */
  unreadable(n: number, ref: Pick<AttemptRef, 'task_id' | 'token'>, problem: string): void;
  /** The state of a checkpoint of the task cannot be read. */
  damaged(taskId: string, checkpointId: number): void;
  /** The other side has not read what it was sent: nothing more should be read from workers. */
  readonly isBehind: boolean;
  /** Resolves when it has, or when the trunk is gone. */
  caughtUp(): Promise<void>;
}

export interface Opening {
  /** That was shown; null where nobody needs one. */
  readonly token: string | null;
  /** From which it has come. */
  readonly address: string | null;
}

/** What comes the other way. */
export interface TrunkEars {
  out(n: number, messages: readonly (CoordinatorMessage | BareAssignMessage)[]): void;
  /** The connection is to be closed, by the usual code if there is none. */
  end(n: number, reason: string, code: number | undefined): void;
  /** The trunk is gone. Nothing follows. */
  lost(because: string): void;
}
