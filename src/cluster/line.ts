// The line of a member to the leader, as it hears of it: whether the leader can be reached says nothing about who may
// write, but when it cannot, nobody need wait for its log to stand still.

import type { LeaderPlace } from './port.ts';

export interface LineEars {
  readonly onOpen: () => void;
  /** It was open, and broke by itself. */
  readonly onReset: () => void;
  /** A try found nobody who listens, or somebody else. */
  readonly onRefused: () => void;
}

export interface Line {
  readonly isOpen: boolean;
  /** Why the newest try has come to nothing, for people; null before the first has ended. */
  readonly trouble: string | null;
  /** Hears nothing more. */
  close(): void;
}

/** Tries until it is closed. */
export type OpenLine = (place: LeaderPlace, ears: LineEars) => Line;
