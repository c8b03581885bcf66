// Checkpoints of one attempt on their way: one unacknowledged, and the newest that came meanwhile.

export interface CheckpointReport {
  readonly sequence: number;
  readonly progress: number;
  readonly stateJson: string;
}

export class CheckpointFlow {
  /** Newest acknowledged sequence, 0 before the first. */
  acknowledged = 0;
  private unacknowledged: CheckpointReport | null = null;
  private waiting: CheckpointReport | null = null;

  /** Returns what must be sent now. Without a connection it waits, and replaces what waited. */
  offer(report: CheckpointReport, isConnected: boolean): CheckpointReport | null {
    if (!isConnected || this.unacknowledged !== null) {
      this.waiting = report;
      return null;
    }
    this.unacknowledged = report;
    return report;
  }

  /** Acknowledged or rejected: either way the coordinator is done with it. */
  settle(isAccepted: boolean): CheckpointReport | null {
    if (isAccepted && this.unacknowledged !== null) {
      this.acknowledged = this.unacknowledged.sequence;
    }
    return this.sendWaiting();
  }

  /** A new connection: only the newest is worth sending. */
  resend(): CheckpointReport | null {
    this.waiting ??= this.unacknowledged;
    return this.sendWaiting();
  }

  private sendWaiting(): CheckpointReport | null {
    this.unacknowledged = this.waiting;
    this.waiting = null;
    return this.unacknowledged;
  }
}
