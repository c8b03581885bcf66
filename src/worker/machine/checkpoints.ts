// Checkpoints of one attempt on their way: one unacknowledged, and the newest that came meanwhile.

import type { PackedState } from '../executor.ts';

export interface LocalCheckpoint {
  readonly sequence: number;
  readonly progress: number;
  readonly state: PackedState;
  readonly runMs: number;
}

export class CheckpointFlow {
  /** Newest acknowledged sequence, 0 before the first. */
  acknowledged = 0;
  private unacknowledged: LocalCheckpoint | null = null;
  private waiting: LocalCheckpoint | null = null;

  /** Something is not acknowledged yet. */
  get isPending(): boolean {
    return this.unacknowledged !== null || this.waiting !== null;
  }

  /** Returns what must be sent now. Without a connection it waits, and replaces what waited. */
  offer(checkpoint: LocalCheckpoint, isConnected: boolean): LocalCheckpoint | null {
    if (!isConnected || this.unacknowledged !== null) {
      this.waiting = checkpoint;
      return null;
    }
    this.unacknowledged = checkpoint;
    return checkpoint;
  }

  /** Acknowledged or rejected: either way the coordinator is done with it. */
  settle(isAccepted: boolean): LocalCheckpoint | null {
    if (isAccepted && this.unacknowledged !== null) {
      this.acknowledged = this.unacknowledged.sequence;
    }
    return this.sendWaiting();
  }

  /** A new connection: only the newest is worth sending. */
  resend(): LocalCheckpoint | null {
    this.waiting ??= this.unacknowledged;
    return this.sendWaiting();
  }

  /** The attempt fails: what waits for an answer to another must be said before. */
  flush(): LocalCheckpoint | null {
    return this.waiting === null ? null : this.sendWaiting();
  }

  private sendWaiting(): LocalCheckpoint | null {
    this.unacknowledged = this.waiting;
    this.waiting = null;
    return this.unacknowledged;
  }
}
