// The cluster as a resource: who is a member, and who leads.

/** The address of a member as it is told to people, and to workers, who do not learn from it whom to trust. */
export function withoutPin(url: string): string {
  return url.replace(/#.*$/, '');
}

export interface ClusterMember {
  readonly id: string;
  readonly url: string;
  readonly version: string;
  readonly is_leader: boolean;
  /** The member that answers: the leader, where there is one. */
  readonly is_self: boolean;
  /** False: nothing was heard of it for five seconds. */
  readonly is_alive: boolean;
  /** ISO 8601. */
  readonly seen_at: string;
  /** False: it never leads. */
  readonly may_lead: boolean;
  /** Workers whose sockets are there. */
  readonly workers: number;
}

export interface ClusterResource {
  /** Of the member that answers: the leader, where there is one, since it is passed on to it. */
  readonly role: 'joining' | 'following' | 'contending' | 'leading' | 'leaving';
  /** Null while nobody leads. */
  readonly leader: string | null;
  /** Id of the member that was asked, which may have passed it on; null where an older one did. */
  readonly asked: string | null;
  readonly term: {
    readonly id: string;
    /** Counts terms. */
    readonly epoch: number;
    /** ISO 8601. */
    readonly since: string;
    /** How it ended: `resigned`, `lonely`, `refused`, …; null: it has not, or nobody knows. */
    readonly ended: string | null;
  };
  /** Of the newest commit. */
  readonly sequence: number;
  readonly members: readonly ClusterMember[];
}
