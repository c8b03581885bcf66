// A worker takes nothing new for one of two reasons: it is *leaving* (it said so itself: its process was
// told to end), or it is *draining* (the operator said so: it finishes what it has, and stays). On the
// wire both carry the same word: what a worker says of itself is called `draining` there. This file is
// the only one that knows; what the coordinator orders is called `drain` and means draining.

/** A field of `hello` and `heartbeat`; absent when the worker stays. */
export interface LeavingField {
  readonly draining?: boolean;
}

export function leavingField(isLeaving: boolean): LeavingField {
  return isLeaving ? { draining: true } : {};
}

export function isLeavingSaid({ draining }: LeavingField): boolean {
  return draining ?? false;
}

/** Bound of the deadline of a drain. */
export const longestDrainSeconds = 31 * 86_400;

/** The reason of an order to stop what a worker that leaves or drains has handed over. */
export const handedOver = 'handed_over';

/** The reason that a worker gives with `bye`. */
export const byeReasons = {
  /** Everything that ran has ended and is acknowledged. */
  finished: 'drained',
  /** Its time to finish was over. */
  gaveUp: 'given_up',
} as const;
