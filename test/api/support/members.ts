// Members of a cluster in one process: servers with real sockets between them, and a cluster that a test moves by
// hand. Which of them leads is what the test says; nothing is decided here.

import { pino } from 'pino';
import type { ClusterPort, LeaderPlace } from '../../../src/cluster/port.ts';
import { createCoordinator, type RunningCoordinator } from '../../../src/coordinator/index.ts';
import { createRealRuntime } from '../../../src/coordinator/real-runtime.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import {
  CoordinatorInForce,
  type StandInPorts,
} from '../../../src/coordinator/coordinator-in-force.ts';
import type { Coordinator } from '../../../src/coordinator/port/coordinator.ts';
import { CoordinatorStopped } from '../../../src/coordinator/port/stopped.ts';
import type { ClusterResource } from '../../../src/protocol/cluster.ts';
import { defaultLimits, type Limits } from '../../../src/protocol/limits.ts';
import { createServer, type Server, type ServerOptions } from '../../../src/server/server.ts';
import type { Store } from '../../../src/store/store.ts';

export const clusterSecret = 'secret-of-the-cluster';

/** A cluster as one member sees it, moved by a test. */
export class HandCluster implements ClusterPort {
  readonly member: string;
  secret = clusterSecret;
  role: ClusterPort['role'] = 'following';
  leader: LeaderPlace | null = null;
  ownTerm: string | null = null;
  isReady = false;
  figures = { epoch: 3, takeovers: 1, membersAlive: 2 };
  readonly #waiting = new Set<() => void>();

  constructor(member: string) {
    this.member = member;
  }

  follow(leader: LeaderPlace | null): void {
    this.role = 'following';
    this.ownTerm = null;
    this.leader = leader;
    this.#wake();
  }

  lead(term: string): void {
    this.role = 'leading';
    this.ownTerm = term;
    this.leader = null;
    this.#wake();
  }

  settled(ms: number, past?: string): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const timer = setTimeout(end, ms);
      const look = () => {
        const isOther = this.leader !== null && this.leader.term !== past;
        if (this.role === 'leading' || isOther) end();
      };
      this.#waiting.add(look);
      look();
    });
  }

  async resource(): Promise<ClusterResource> {
    const id = this.leader?.term ?? this.ownTerm ?? '';
    const term = { id, epoch: 3, since: '2026-01-01T00:00:00.000Z', ended: null };
    const leader = this.role === 'leading' ? this.member : (this.leader?.member ?? null);
    return { role: this.role, leader, term, sequence: 17, members: [] };
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }
}

export interface Member {
  readonly cluster: HandCluster;
  readonly server: Server;
  readonly url: string;
  /** As others find it while it leads in this term. */
  place(term: string): LeaderPlace;
}

type Options = Partial<Omit<ServerOptions, 'limits'>> & { readonly limits?: Partial<Limits> };

/** A member that follows nobody yet. Its server is closed by whoever starts it. */
export async function startMember(
  name: string,
  coordinator: Coordinator = new CoordinatorInForce(),
  { limits = {}, ...options }: Options = {},
): Promise<Member> {
  const cluster = new HandCluster(name);
  const server = createServer({
    coordinator,
    log: pino({ level: 'silent' }),
    version: '1.2.3',
    limits: { ...defaultLimits, ...limits },
    cluster,
    ...options,
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { cluster, server, url, place: (term) => ({ url, term, member: name }) };
}

/** Knows the tokens that the leader writes, and leaves all else to it. */
function tokensOf({ tokens }: RunningCoordinator): StandInPorts {
  return {
    tokens,
    for: () => {
      throw new CoordinatorStopped();
    },
  };
}

export interface Couple {
  readonly leader: Member;
  readonly follower: Member;
  readonly coordinator: RunningCoordinator;
  close(): Promise<void>;
}

/** Two members, of which the first leads over a database in memory, and the second follows it. */
export async function startCouple(
  options: Options = {},
  store: Store = openSqliteStore(':memory:'),
  standIn: (coordinator: RunningCoordinator) => StandInPorts = tokensOf,
): Promise<Couple> {
  const limits = { ...defaultLimits, ...options.limits };
  const coordinator = await createCoordinator({ store, runtime: createRealRuntime(), limits });
  const leader = await startMember('one', coordinator, options);
  const follower = await startMember('two', new CoordinatorInForce(standIn(coordinator)), options);
  leader.cluster.lead('term-1');
  follower.cluster.follow(leader.place('term-1'));
  return {
    leader,
    follower,
    coordinator,
    async close() {
      await follower.server.close();
      await coordinator.stop();
      await leader.server.close();
      await store.close();
    },
  };
}
