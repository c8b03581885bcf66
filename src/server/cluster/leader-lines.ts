// The connections to the leader, kept from request to request, and everything that is open on them. When another
// member leads, what is open on the lines to the one before ends: that one may be frozen and say nothing for long.

import type { Agent } from 'node:http';
import type { ClusterPort, LeaderPlace } from '../../cluster/port.ts';
import { type Reach, reach } from '../../cluster/reach.ts';

/** How often it is looked at while something is open. */
const lookMs = 200;

/** Something that was begun with one leader. */
export interface Begun {
  readonly term: string;
  /** Its leader leads no more. */
  cut(): void;
}

type Leading = Pick<ClusterPort, 'role' | 'leader' | 'ownTerm'>;

export class LeaderLines {
  readonly #cluster: Leading;
  readonly #open = new Set<Begun>();
  #line: { readonly place: string; readonly reach: Reach } | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(cluster: Leading) {
    this.#cluster = cluster;
  }

  /** Throws a `TypeError` for an address that cannot be meant. */
  to({ url, term, member }: LeaderPlace): Reach {
    const place = JSON.stringify([url, term, member]);
    if (this.#line?.place === place) return this.#line.reach;
    this.closeKept();
    this.#line = { place, reach: reach(url) };
    return this.#line.reach;
  }

  /**
   * Call when it is in doubt whether those that were kept still lead anywhere: a request would be lost on one that was
   * cut. Those in use end by themselves, or with what is open on them.
   */
  closeKept(): void {
    if (this.#line !== null) closeFree(this.#line.reach.agent);
  }

  /** The returned function must be called when it has ended. */
  open(begun: Begun): () => void {
    this.#open.add(begun);
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
    return () => {
      this.#open.delete(begun);
      if (this.#open.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#line?.reach.agent.destroy();
    this.#line = null;
  }

  #look(): void {
    const { role, ownTerm, leader } = this.#cluster;
    const term = role === 'leading' ? ownTerm : (leader?.term ?? null);
    // Nobody is known to lead: the one before may still be the one.
    if (term === null) return;
    for (const begun of this.#open) if (begun.term !== term) begun.cut();
  }
}

function closeFree({ freeSockets }: Agent): void {
  for (const sockets of Object.values(freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}
