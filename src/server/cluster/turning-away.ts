// Sockets of workers that are better opened at another member of the cluster: here the database does not answer, or all
// time is needed to decide. Those that are open stay. Behind a load balancer the next try ends elsewhere; a worker that
// knows no other address tries again.

import { eventLoopUtilization } from 'node:perf_hooks';
import type { ClusterPort } from '../../cluster/port.ts';
import { Refusal } from '../refusal.ts';

/** From so many on there is room for them elsewhere, though one more may be gone. */
const leastMembers = 3;
/** A leader whose event loop is at work for so much of a sample has no time for more. */
const busyShare = 0.6;
const sampleMs = 1_000;
/** So that who comes only here is served nevertheless, one of so many is taken. */
const oneOf = 4;

/** Share of the time since the call before in which the event loop was at work. */
export type BusyShare = () => number;

export interface TurningAwayOptions {
  readonly cluster: Pick<ClusterPort, 'role' | 'isCutOff' | 'figures'>;
  /** For tests. */
  readonly busyShare?: BusyShare | undefined;
}

export class TurningAway {
  readonly #options: TurningAwayOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #isBusy = false;
  #comers = 0;

  constructor(options: TurningAwayOptions) {
    this.#options = options;
    const { busyShare: share = sampleBusyShare() } = options;
    this.#timer = setInterval(() => {
      this.#isBusy = share() >= busyShare;
    }, sampleMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Of a request that would become the socket of a worker; undefined: it is taken. */
  refusal(): Refusal | undefined {
    const { role, isCutOff, figures } = this.#options.cluster;
    if (isCutOff) return new Refusal('busy', cutOff);
    if (role !== 'leading' || !this.#isBusy || figures.membersAlive < leastMembers)
      return undefined;
    return ++this.#comers % oneOf === 0 ? undefined : new Refusal('busy', busy);
  }
}

function sampleBusyShare(): BusyShare {
  let before = eventLoopUtilization();
  return () => {
    const now = eventLoopUtilization();
    const { utilization } = eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

const cutOff =
  'The database has not answered this coordinator for seconds; try another one of the cluster, or again in a moment.';
const busy =
  'This coordinator leads and is busy; try another one of the cluster, or again in a moment.';
