// The port to what several coordinators of one database know of one another: who leads, who is there. One connection
// of each member asks it, beside the store of whoever leads.

import type { OutfitReading, Reading } from './reading.ts';
import type { BlobStaging, InputStaging } from './staging.ts';
import type { Store } from './store.ts';

/** The end of the log of commits. */
export interface LogPosition {
  readonly sequence: number;
  /** Id of the term of the newest commit. */
  readonly term: string;
  /** The term has said that it has ended. */
  readonly isOver: boolean;
}

export interface TermLook {
  readonly id: string;
  /** Counts terms; 0 before the first. */
  readonly epoch: number;
  /** Milliseconds since the epoch; null before the first. */
  readonly since: number | null;
  readonly ended: string | null;
  /** The process, and where the others reach it; null for one that is alone. */
  readonly coordinator: { readonly id: string; readonly url: string } | null;
}

export interface CoordinatorRow {
  readonly id: string;
  readonly url: string;
  readonly version: string;
  readonly mayLead: boolean;
  /** Whose sockets are there. */
  readonly workers: number;
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
}

export interface ClusterLook {
  readonly position: LogPosition;
  readonly term: TermLook;
  /** Terms that began within the last minute. */
  readonly recentTerms: number;
  /** Terms that began within the last hour and ended since the others did not reach their leader. */
  readonly lonelyTerms: number;
  /** In the order of their ids, which is that of their starts. */
  readonly coordinators: readonly CoordinatorRow[];
  /** By the clock of the database, as are all times here. */
  readonly at: number;
  /** There is an admin token: nobody is served without one. */
  readonly needsTokens: boolean;
}

export interface TakenOver {
  readonly store: Store;
  /** Id of the new term. */
  readonly term: string;
  /** Resolves when nothing can be written in this term any more, though nobody may have tried but for a sign of life. */
  readonly failed: Promise<Error>;
  /** Ends the term because the other members do not reach this one; the store is to be closed as ever. Never fails. */
  endAsLonely(): Promise<void>;
}

/** What a member that does not lead stages, for whoever does. */
export interface MemberStaging
  extends Pick<BlobStaging, 'beginBlob'>,
    Pick<InputStaging, 'stageInputs' | 'dropStaged'> {
  /** Whose it is. */
  readonly member: string;
}

/** Every method throws `StoreFault`. */
export interface Membership {
  /** Members know one another by it. */
  readonly secret: string;
  /** Of what was committed, whoever leads and whether anybody does; by few connections of its own. */
  readonly reading: Reading;
  /** For workers that are at a member that does not lead. */
  readonly outfitting: OutfitReading;
  /**
   * For bytes and inputs that come to a member that does not lead. They are this coordinator's, by the id by which it is seen:
   * what it leaves is swept when it was not seen for a minute.
   */
  stagingOf(id: string): MemberStaging;
  /** One round trip. A server that only follows another one, or does not answer within seconds, is a fault. */
  look(): Promise<ClusterLook>;
  /** Says that this coordinator is there, and forgets those that were not seen for an hour, and its own past. */
  beSeen(self: Omit<CoordinatorRow, 'seenAt'>): Promise<void>;
  /**
   * Becomes the writer, from where the log was seen. Throws `StoreFault` with `store_locked` when somebody else lives or was
   * quicker. Whoever gets the store closes it, before the next takeover.
   */
  takeOver(from: LogPosition, self: Pick<CoordinatorRow, 'id' | 'url'>): Promise<TakenOver>;
  /** Is not seen any more. Never fails. */
  leave(id: string): Promise<void>;
  close(): Promise<void>;
}
