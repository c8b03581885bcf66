// Trunks between several hosts: the production ends of both sides, on the network of the simulation. They break when a
// process dies, when somebody says that a host refuses, and on the way.

import type { Line, LineEars } from '../../cluster/line.ts';
import type { LeaderPlace } from '../../cluster/port.ts';
import { TrunkLine } from '../../cluster/trunk-line.ts';
import type { Prng } from '../prng.ts';
import type { MemberHost } from './member-host.ts';
import { SimSocket, type SocketProcess } from './sim-socket.ts';
import { Way, type Wires } from './wires.ts';

interface Pair {
  readonly from: MemberHost;
  readonly to: MemberHost;
  /** Ids of the processes. */
  readonly ids: readonly [from: string, to: string];
  readonly near: SimSocket;
  readonly far: SimSocket;
}

export interface TrunksOptions {
  readonly wires: Wires;
  readonly prng: Prng;
  readonly hosts: () => readonly MemberHost[];
}

export class Trunks {
  readonly wires: Wires;
  private readonly options: TrunksOptions;
  private readonly pairs = new Set<Pair>();
  /** Until when an address refuses everybody although its process lives. */
  private readonly refusing = new Map<string, number>();
  /** Names of machines that have vanished, with whatever ran there. */
  private readonly vanished = new Set<string>();

  constructor(options: TrunksOptions) {
    this.options = options;
    this.wires = options.wires;
  }

  open(from: MemberHost, place: LeaderPlace, ears: LineEars): Line {
    const { url, term } = place;
    const clock = from.trunkClock();
    return new TrunkLine({
      place,
      dialer: {
        url,
        dial: () => ({ socket: this.dial(from, url), network: undefined }),
        close: () => undefined,
      },
      clock,
      member: from.id,
      version: '1',
      onOpen: () => ears.onOpen(),
      onReset: () => ears.onReset(),
      onRefused: () => {
        from.refused.add(term);
        ears.onRefused();
      },
      onUndecided: () => undefined,
      onMeets: () => undefined,
      begin: (trunk) => from.beginTrunk(trunk),
    });
  }

  /** A process has died: whoever has a connection to it hears of it, unless its machine is gone as well. */
  died(id: string, name: string, isReset: boolean): void {
    if (!isReset) this.vanished.add(name);
    for (const pair of this.pairs) {
      const place = pair.ids.indexOf(id);
      if (place < 0) continue;
      if (isReset) (place === 0 ? pair.near : pair.far).reset();
      this.pairs.delete(pair);
    }
  }

  started(name: string): void {
    this.vanished.delete(name);
  }

  /** The process lives, and cannot be reached for a while. */
  refuse(host: MemberHost, ms: number): void {
    this.refusing.set(host.name, this.wires.clock.now + ms);
    host.touchTrunks(ms);
    for (const { to, near } of this.pairs) if (to === host) near.snap(true);
  }

  /** Those of a host that follows break, at both ends or, for now, at one. */
  snap(from: MemberHost): void {
    const { prng } = this.options;
    from.touchTrunks(0);
    for (const pair of this.pairs) {
      if (pair.from !== from) continue;
      const bothHear = prng.chance(0.7);
      (prng.chance(0.5) ? pair.near : pair.far).snap(bothHear);
    }
  }

  calm(): void {
    this.refusing.clear();
    this.wires.calm();
  }

  private dial(from: MemberHost, url: string): SimSocket {
    const { wires, options } = this;
    const own = processOf(from, () => this.isReset(from));
    const near = new SimSocket(own, new Way(wires, from.name, url));
    const there = new Way(wires, from.name, url);
    const back = new Way(wires, url, from.name);
    there.send(() => {
      const to = options.hosts().find(({ name }) => name === url);
      if (to === undefined || this.vanished.has(url)) return;
      const isRefusing = wires.clock.now < (this.refusing.get(url) ?? -Infinity);
      if (!to.isAlive || isRefusing) return back.send(() => near.refused());
      const { id } = to;
      const theirs = processOf(to, () => this.isReset(to));
      const far = new SimSocket(theirs, back);
      const pair: Pair = { from, to, ids: [from.id, id], near, far };
      // The system takes the connection; the process answers when it reads.
      to.host.standstill.read(() => {
        if (!to.isAlive || to.id !== id) return back.send(() => near.refused());
        this.pairs.add(pair);
        far.once('close', () => this.pairs.delete(pair));
        far.accept(near);
        to.greet(far);
      });
    });
    return near;
  }

  private isReset(host: MemberHost): boolean {
    return !this.vanished.has(host.name);
  }
}

function processOf(host: MemberHost, isReset: () => boolean): SocketProcess {
  const { id } = host;
  return {
    get isAlive() {
      return host.isAlive && host.id === id;
    },
    get isReset() {
      return isReset();
    },
    read: (fn) => host.host.standstill.read(fn),
    defer: (fn) => host.defer(fn),
  };
}
