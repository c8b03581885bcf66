// The lines of followers to their leader: they break when its process dies or somebody says that it refuses, and are
// tried again.

import type { Line, LineEars } from '../../cluster/line.ts';
import type { LeaderPlace } from '../../cluster/port.ts';
import type { Clock } from '../clock.ts';
import type { Prng } from '../prng.ts';
import type { MemberHost } from './member-host.ts';

interface Open {
  readonly from: MemberHost;
  readonly place: LeaderPlace;
  readonly ears: LineEars;
  isOpen: boolean;
}

const againMs = 300;
const opensMs = 20;

export class Lines {
  private readonly clock: Clock;
  private readonly prng: Prng;
  private readonly hosts: () => readonly MemberHost[];
  private readonly lines = new Set<Open>();
  /** Until when an address refuses everybody although its process lives. */
  private readonly refusing = new Map<string, number>();

  constructor(clock: Clock, prng: Prng, hosts: () => readonly MemberHost[]) {
    this.clock = clock;
    this.prng = prng;
    this.hosts = hosts;
  }

  open(from: MemberHost, place: LeaderPlace, ears: LineEars): Line {
    const line: Open = { from, place, ears, isOpen: false };
    this.lines.add(line);
    this.attempt(line);
    return {
      get isOpen() {
        return line.isOpen;
      },
      trouble: null,
      close: () => void this.lines.delete(line),
    };
  }

  /** Ids of those that have an open line to this member. */
  to(member: string): readonly string[] {
    const open = [...this.lines].filter(({ isOpen, place }) => isOpen && place.member === member);
    return open.map(({ from }) => from.id);
  }

  /** The process has ended: whoever had a line to it hears of it. */
  reset(member: string): void {
    for (const line of this.lines) {
      if (line.place.member === member) this.break(line);
    }
  }

  /** The process lives, and cannot be reached for a while. */
  refuse(member: string, ms: number): void {
    this.refusing.set(member, this.clock.now + ms);
    this.reset(member);
  }

  calm(): void {
    this.refusing.clear();
  }

  private break(line: Open): void {
    if (!line.isOpen) return;
    line.isOpen = false;
    this.hear(line, () => line.ears.onReset());
    this.later(line);
  }

  private later(line: Open): void {
    this.clock.after(this.prng.spread(againMs / 2, againMs), () => this.attempt(line));
  }

  private attempt(line: Open): void {
    if (!this.lines.has(line) || line.isOpen) return;
    const { member } = line.place;
    const target = this.hosts().find((host) => host.isAlive && host.id === member);
    const isRefusing = this.clock.now < (this.refusing.get(member) ?? -Infinity);
    // A process that stands still accepts nothing, and refuses nothing.
    if (target?.host.standsStill === true) return this.later(line);
    if (target === undefined || isRefusing) {
      line.from.refused.add(line.place.term);
      this.hear(line, () => line.ears.onRefused());
      return this.later(line);
    }
    this.clock.after(this.prng.spread(0.1, opensMs), () => {
      if (!this.lines.has(line) || line.isOpen) return;
      if (!target.isAlive || target.id !== member) return this.later(line);
      line.isOpen = true;
      this.hear(line, () => line.ears.onOpen());
    });
  }

  private hear(line: Open, tell: () => void): void {
    line.from.host.standstill.read(() => {
      if (this.lines.has(line)) tell();
    });
  }
}
