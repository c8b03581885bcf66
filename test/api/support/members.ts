// Members of a cluster in one process: servers with real sockets between them, and a cluster that a test moves by
// hand. Which of them leads is what the test says; nothing is decided here.

import { pino } from 'pino';
import type { ClusterPort, LeaderPlace } from '../../../src/cluster/port.ts';
import { TrunkDialer } from '../../../src/cluster/trunk-dialer.ts';
import { TrunkLine } from '../../../src/cluster/trunk-line.ts';
import { GatewaySessions } from '../../../src/coordinator/gateway/gateway-sessions.ts';
import { createCoordinator, type RunningCoordinator } from '../../../src/coordinator/index.ts';
import { createRealRuntime } from '../../../src/coordinator/real-runtime.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import type { CoreSettings } from '../../../src/core/settings.ts';
import {
  CoordinatorInForce,
  type StandInPorts,
} from '../../../src/coordinator/coordinator-in-force.ts';
import type { Coordinator } from '../../../src/coordinator/port/coordinator.ts';
import { CoordinatorStopped } from '../../../src/coordinator/port/stopped.ts';
import type { ClusterResource } from '../../../src/protocol/cluster.ts';
import { defaultLimits, type Limits } from '../../../src/protocol/limits.ts';
import type { MemberStage } from '../../../src/server/cluster/gateway.ts';
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
  isCutOff = false;
  figures = { epoch: 3, takeovers: 1, membersAlive: 2 };
  /** How it keeps a trunk to whoever leads; null: it keeps none. */
  openLine: ((place: LeaderPlace, onOpen: () => void) => TrunkLine) | null = null;
  #line: TrunkLine | undefined;
  /** As a test says; undefined: as the trunk is. */
  #isReached: boolean | undefined;
  readonly #aheadMs: number;
  readonly #waiting = new Set<() => void>();

  constructor(member: string, aheadMs = 0) {
    this.member = member;
    this.#aheadMs = aheadMs;
  }

  get databaseNow(): number {
    return Date.now() + this.#aheadMs;
  }

  /** It leads, or its trunk to the leader is open. */
  get isReady(): boolean {
    if (this.#isReached !== undefined) return this.#isReached;
    if (this.leader === null) return this.role === 'leading';
    return this.openLine === null || this.#line?.isOpen === true;
  }

  follow(leader: LeaderPlace | null): void {
    this.role = 'following';
    this.ownTerm = null;
    this.leader = leader;
    this.#isReached = undefined;
    this.close();
    if (leader !== null) this.#line = this.openLine?.(leader, () => this.#wake());
    this.#wake();
  }

  /** Ends its trunk. */
  close(): void {
    this.#line?.close();
    this.#line = undefined;
  }

  lead(term: string): void {
    this.role = 'leading';
    this.ownTerm = term;
    this.leader = null;
    this.#isReached = undefined;
    this.close();
    this.#wake();
  }

  /** The trunk to the leader breaks, or is there again. */
  reach(isReached: boolean): void {
    this.#isReached = isReached;
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
        if (this.isReady && (this.leader === null || this.leader.term !== past)) end();
      };
      this.#waiting.add(look);
      look();
    });
  }

  async resource(): Promise<ClusterResource> {
    const id = this.leader?.term ?? this.ownTerm ?? '';
    const term = { id, epoch: 3, since: '2026-01-01T00:00:00.000Z', ended: null };
    const leader = this.role === 'leading' ? this.member : (this.leader?.member ?? null);
    return { role: this.role, leader, asked: this.member, term, sequence: 17, members: [] };
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

type Options = Partial<Omit<ServerOptions, 'limits'>> & {
  readonly limits?: Partial<Limits>;
  /** The clock of the database is ahead of that of this machine by so much. */
  readonly aheadMs?: number;
};

/** A member that follows nobody yet. Its server is closed by whoever starts it. */
export async function startMember(
  name: string,
  coordinator: Coordinator = new CoordinatorInForce(),
  { limits = {}, aheadMs = 0, ...options }: Options = {},
): Promise<Member> {
  const cluster = new HandCluster(name, aheadMs);
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

/** How a member that follows keeps its trunk to the leader, which carries its sessions of workers. */
export function lineOf(member: string, sessions: GatewaySessions) {
  return (place: LeaderPlace, onOpen: () => void = () => undefined) =>
    new TrunkLine({
      place,
      dialer: new TrunkDialer(place.url, clusterSecret),
      member,
      version: '1.2.3',
      onOpen,
      onReset: () => undefined,
      onRefused: () => undefined,
      onUndecided: () => undefined,
      onMeets: () => undefined,
      begin: (trunk) => sessions.begin(trunk),
      retryMs: 20,
    });
}

/** Knows the tokens that the leader writes, and leaves all else to it. */
export function tokensOf({ tokens }: Pick<Coordinator, 'tokens'>): StandInPorts {
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
  /** Of workers that are at the follower. */
  readonly sessions: GatewaySessions;
  readonly coordinator: RunningCoordinator;
  close(): Promise<void>;
}

/** Two members, of which the first leads over a database in memory, and the second follows it over a trunk. */
export async function startCouple(
  options: Options = {},
  store: Store = openSqliteStore(':memory:'),
  settings: Partial<CoreSettings> = {},
  standIn: (coordinator: RunningCoordinator) => StandInPorts = tokensOf,
): Promise<Couple> {
  const limits = { ...defaultLimits, ...options.limits };
  const { aheadMs = 0 } = options;
  const runtime = createRealRuntime(() => Date.now() + aheadMs);
  const coordinator = await createCoordinator({ store, runtime, limits, settings });
  const leader = await startMember('one', coordinator, options);
  const errors: Error[] = [];
  const sessions = new GatewaySessions({ store, runtime, onError: (error) => errors.push(error) });
  const inForce = new CoordinatorInForce(standIn(coordinator), sessions);
  const stage: MemberStage = Object.assign(Object.create(store), { member: 'two' });
  const follower = await startMember('two', inForce, { stage, ...options });
  follower.cluster.openLine = lineOf('two', sessions);
  leader.cluster.lead('term-1');
  follower.cluster.follow(leader.place('term-1'));
  await eventually(() => follower.cluster.isReady);
  return {
    leader,
    follower,
    sessions,
    coordinator,
    async close() {
      await follower.server.close();
      follower.cluster.close();
      await coordinator.stop();
      await leader.server.close();
      await store.close();
      if (errors.length > 0) throw errors[0]!;
    },
  };
}

async function eventually(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
}
