// Who decides in this process: its own coordinator from the start to the end, or, in a cluster, one from every time that
// this process becomes the leader until it does not lead any more.

import type { Logger } from 'pino';
import { v7 } from 'uuid';
import type { ClusterPort } from '../../cluster/port.ts';
import type { CoreSettings } from '../../core/settings.ts';
import type { RunningCoordinator as Coordinator } from '../../coordinator/index.ts';
import { CoordinatorInForce } from '../../coordinator/index.ts';
import { createRealRuntime } from '../../coordinator/real-runtime.ts';
import type { Runtime } from '../../coordinator/runtime.ts';
import type { MemberStage } from '../../server/cluster/gateway.ts';
import type { Store } from '../../store/store.ts';
import { joinStore, openStore, type StorePlace } from './store-place.ts';

export interface Working {
  readonly inForce: CoordinatorInForce;
  /** Absent for one that is alone. */
  readonly cluster?: ClusterPort;
  /** Where a member puts bytes while another one leads; absent for one that is alone. */
  readonly stage?: MemberStage;
  /** Nobody is served without a token. */
  readonly needsTokens: boolean;
  /** Resolves when this process cannot go on. */
  readonly failed: Promise<Error>;
  /** Decides nothing any more: what is in hand is finished, the store is closed. Safe to call again. */
  leave(): Promise<void>;
  /** Is not there any more. */
  close(): Promise<void>;
}

export interface WorkingOptions {
  readonly log: Logger;
  /** `others`: where the other members of the cluster are reached, best first. */
  readonly make: (
    store: Store,
    runtime: Runtime,
    others?: () => readonly string[],
  ) => Promise<Coordinator>;
  readonly onEntered: (coordinator: Coordinator) => void;
  /** It is in force still, and ends in order. */
  readonly onLeaving: (coordinator: Coordinator) => void;
}

export interface MemberFlags {
  /** Where the other members reach it, with a pin if they need one. */
  readonly url: string;
  readonly version: string;
  readonly mayLead: boolean;
  readonly settings: Partial<CoreSettings>;
  /** Of the sockets here. */
  readonly workers: () => number;
  /** Ids of the members whose lines to this one are open. */
  readonly lines: () => readonly string[];
}

export async function workAlone(
  place: StorePlace,
  { log, make, onEntered, onLeaving }: WorkingOptions,
): Promise<Working> {
  const leaving = new AbortController();
  const store = await openStore(place, log, leaving.signal);
  const coordinator = await make(store, createRealRuntime());
  const inForce = new CoordinatorInForce();
  inForce.enter(coordinator);
  onEntered(coordinator);
  const leave = async () => {
    leaving.abort();
    if (coordinator.health === 'ready') onLeaving(coordinator);
    await coordinator.stop();
    await store.close();
  };
  let left: Promise<void> | undefined;
  return {
    inForce,
    get needsTokens() {
      return coordinator.tokens.areNeeded;
    },
    failed: coordinator.failed,
    leave: () => (left ??= leave()),
    close: async () => undefined,
  };
}

/** Throws `StoreFault` when the database cannot be used. */
export async function workAsMember(
  address: string,
  { url, version, mayLead, settings, workers, lines }: MemberFlags,
  { log, make, onEntered, onLeaving }: WorkingOptions,
): Promise<Working> {
  const [{ Member }, { TrunkLine }, { TrunkDialer }, { StandIn }, { GatewaySessions }] =
    await Promise.all([
      import('../../cluster/member.ts'),
      import('../../cluster/trunk-line.ts'),
      import('../../cluster/trunk-dialer.ts'),
      import('../../coordinator/stand-in/stand-in.ts'),
      import('../../coordinator/gateway/gateway-sessions.ts'),
    ]);
  const leaving = new AbortController();
  const membership = await joinStore(address, log, leaving.signal);
  const runtime = createRealRuntime();
  const { hash, defer } = runtime;
  // As the database has it, by which tokens end.
  const now = (): number => member.databaseNow;
  const sessions = new GatewaySessions({
    store: membership.outfitting,
    // Who waits here waits by the clock of this machine.
    runtime,
    onError: (error) => log.warn(`A worker could not be sent its tasks: ${error.message}`),
  });
  const standIn = new StandIn({
    store: membership.reading,
    runtime: { now, hash, defer },
    settings,
    areNeeded: () => member.needsTokens,
    onError: (error) => log.error({ err: error }, 'a request failed'),
  });
  const inForce = new CoordinatorInForce(standIn, sessions);
  const id = v7();
  const { secret } = membership;
  const member = new Member({
    membership,
    self: { id, url, version, mayLead },
    workers,
    lines,
    openLine: (place, ears) =>
      new TrunkLine({
        place,
        dialer: new TrunkDialer(place.url, secret),
        member: id,
        version,
        ...ears,
        begin: (trunk) => sessions.begin(trunk),
        onMeets: ({ member: other }) => log.debug(`The coordinator ${other} was met instead.`),
        onUndecided: (reason) => log.debug(reason),
      }),
    lead: async (store, { databaseNow }) => {
      const coordinator = await make(store, createRealRuntime(databaseNow), () => member.others);
      inForce.enter(coordinator);
      sessions.giveUp('this coordinator leads now');
      onEntered(coordinator);
      const stop = async () => {
        if (coordinator.health === 'ready') onLeaving(coordinator);
        await coordinator.stop();
        inForce.leave(coordinator);
      };
      return { failed: coordinator.failed, stop };
    },
    onTold: (level, sentence) => log[level](sentence),
  });
  try {
    await member.join();
  } catch (error) {
    await membership.close();
    throw error;
  }
  return {
    inForce,
    cluster: member,
    stage: membership.stagingOf(id),
    get needsTokens() {
      return member.needsTokens;
    },
    // Whatever fails, another member goes on, and this one tries again.
    failed: new Promise(() => undefined),
    leave: () => {
      leaving.abort();
      return member.leave();
    },
    close: () => member.close(),
  };
}
