// What a member of a cluster offers to its server: who leads, and where that one is reached. Several coordinators
// are members of one cluster when they share a database; one of them leads, which is said by the log of commits.

import type { ClusterResource } from '../protocol/cluster.ts';

/**
 * - `joining`: it has not read the log yet.
 * - `following`: another member leads, or nobody does.
 * - `contending`: it tries to become the leader, or loads what is stored.
 * - `leading`: its coordinator is in force.
 * - `leaving`: it ends.
 */
export type Role = ClusterResource['role'];

/** The leader as the others reach it. */
export interface LeaderPlace {
  /** As it has advertised it; with a pin (`withPin`) where its certificate is its own. */
  readonly url: string;
  /** Id of its term: a leader that leads again has another one. */
  readonly term: string;
  /** Id of its process. */
  readonly member: string;
}

export interface ClusterFigures {
  /** Of the newest term. */
  readonly epoch: number;
  /** How often this process has become the leader. */
  readonly takeovers: number;
  readonly membersAlive: number;
}

export interface ClusterPort {
  /** Id of this process, new with every start. */
  readonly member: string;
  readonly role: Role;
  /** The other member that leads; null while this one does, and while nobody is known to. */
  readonly leader: LeaderPlace | null;
  /** Id of the term that this member leads, or loads to lead; null otherwise. */
  readonly ownTerm: string | null;
  /** Requests may be sent here: it leads, or has an open trunk to the leader of the newest term. */
  readonly isReady: boolean;
  /** The database has not answered this member for seconds: what comes is better sent to another one. */
  readonly isCutOff: boolean;
  /** Milliseconds since the epoch by the clock of the database, by which tokens expire. */
  readonly databaseNow: number;
  /** As they were last read; for metrics, which ask no database. */
  readonly figures: ClusterFigures;
  /** Shown by a member to another: `Authorization: Bearer …` of a trunk, and beside a request that is passed on. */
  readonly secret: string;
  /** Resolves when this member leads, or reaches another one that does in a term that is not `past`; at the latest after `ms`. */
  settled(ms: number, past?: string): Promise<void>;
  /** What the database says of the cluster at this moment. Throws `StoreFault`. */
  resource(): Promise<ClusterResource>;
}
