// The checkpoints of one attempt on their way to the coordinator: one is sent and not acknowledged,
// and the newest that came meanwhile waits. Older ones are forgotten.

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
  #unacknowledged: LocalCheckpoint | null = null;
  #waiting: LocalCheckpoint | null = null;

  /** True while a checkpoint is not acknowledged yet. */
  get isPending(): boolean {
    return this.#unacknowledged !== null || this.#waiting !== null;
  }

  /** Returns what must be sent now. Null: it waits, in place of the one that waited before. */
  offer(checkpoint: LocalCheckpoint, isConnected: boolean): LocalCheckpoint | null {
    if (!isConnected || this.#unacknowledged !== null) {
      this.#waiting = checkpoint;
      return null;
    }
    this.#unacknowledged = checkpoint;
    return checkpoint;
  }

  /**
   * The coordinator acknowledged or rejected the one that was sent. Returns the next one to send.
   */
  settle(isAccepted: boolean): LocalCheckpoint | null {
    if (isAccepted && this.#unacknowledged !== null) {
      this.acknowledged = this.#unacknowledged.sequence;
    }
    return this.#sendWaiting();
  }

  /** On a new connection: returns the newest checkpoint, the only one worth sending again. */
  resend(): LocalCheckpoint | null {
    this.#waiting ??= this.#unacknowledged;
    return this.#sendWaiting();
  }

  /**
   * The attempt has failed: returns the waiting checkpoint, which must be sent before the failure.
   */
  flush(): LocalCheckpoint | null {
    return this.#waiting === null ? null : this.#sendWaiting();
  }

  #sendWaiting(): LocalCheckpoint | null {
    this.#unacknowledged = this.#waiting;
    this.#waiting = null;
    return this.#unacknowledged;
  }
}
