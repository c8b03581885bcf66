// The network between several hosts, one way at a time: what is sent arrives after a delay, in order. While a way is cut
// nothing arrives on it, and what was sent on a connection that both ends keep arrives when it is there again.

import type { Clock } from '../clock.ts';
import type { Prng } from '../prng.ts';

export interface WireFaults {
  readonly delayMs: readonly [low: number, high: number];
}

interface Wire {
  cutSince: number;
  cutUntil: number;
  slowUntil: number;
  slowMs: number;
  /** When something last befell it, or will be over. */
  troubledAt: number;
}

export class Wires {
  readonly clock: Clock;
  private readonly prng: Prng;
  private readonly faults: () => WireFaults;
  private readonly wires = new Map<string, Wire>();

  constructor(clock: Clock, prng: Prng, faults: () => WireFaults) {
    this.clock = clock;
    this.prng = prng;
    this.faults = faults;
  }

  /** What is sent from one host to another does not arrive for so long. */
  cut(from: string, to: string, ms: number): void {
    const wire = this.wire(from, to);
    if (!this.isCut(from, to)) wire.cutSince = this.clock.now;
    wire.cutUntil = Math.max(wire.cutUntil, this.clock.now + ms);
    this.touch(wire, ms);
  }

  /** It takes its time. */
  slow(from: string, to: string, delayMs: number, ms: number): void {
    const wire = this.wire(from, to);
    wire.slowUntil = this.clock.now + ms;
    wire.slowMs = delayMs;
    this.touch(wire, ms + delayMs);
  }

  isCut(from: string, to: string): boolean {
    return this.clock.now < this.opensAt(from, to);
  }

  /** For how long nothing has arrived. */
  cutForMs(from: string, to: string): number {
    const wire = this.wires.get(nameOf(from, to));
    return wire !== undefined && this.isCut(from, to) ? this.clock.now - wire.cutSince : 0;
  }

  /** When what is sent arrives again. */
  opensAt(from: string, to: string): number {
    return this.wires.get(nameOf(from, to))?.cutUntil ?? -Infinity;
  }

  /** When something last befell the ways between two hosts, in either direction, or will be over. */
  troubledAt(one: string, other: string): number {
    const [there, back] = [nameOf(one, other), nameOf(other, one)];
    return Math.max(...[there, back].map((name) => this.wires.get(name)?.troubledAt ?? -Infinity));
  }

  delay(from: string, to: string): number {
    const { clock, prng } = this;
    const wire = this.wires.get(nameOf(from, to));
    const more = wire !== undefined && clock.now < wire.slowUntil ? wire.slowMs : 0;
    return prng.spread(...this.faults().delayMs) + more * prng.next();
  }

  calm(): void {
    const { now } = this.clock;
    for (const wire of this.wires.values()) {
      wire.cutUntil = Math.min(wire.cutUntil, now);
      wire.slowUntil = Math.min(wire.slowUntil, now);
      wire.troubledAt = Math.min(wire.troubledAt, now);
    }
  }

  private touch(wire: Wire, ms: number): void {
    wire.troubledAt = Math.max(wire.troubledAt, this.clock.now + ms);
  }

  private wire(from: string, to: string): Wire {
    const name = nameOf(from, to);
    let wire = this.wires.get(name);
    if (wire === undefined) {
      const never = -Infinity;
      wire = { cutSince: never, cutUntil: never, slowUntil: never, slowMs: 0, troubledAt: never };
      this.wires.set(name, wire);
    }
    return wire;
  }
}

/** One direction of a connection. */
export class Way {
  private readonly wires: Wires;
  private readonly from: string;
  private readonly to: string;
  private readonly sent: { readonly at: number; readonly arrive: () => void }[] = [];
  private newest = -Infinity;

  constructor(wires: Wires, from: string, to: string) {
    this.wires = wires;
    this.from = from;
    this.to = to;
  }

  send(arrive: () => void): void {
    const { wires, from, to } = this;
    this.newest = Math.max(this.newest, wires.clock.now + wires.delay(from, to));
    this.sent.push({ at: this.newest, arrive });
    if (this.sent.length === 1) this.wait();
  }

  private wait(): void {
    const { wires, from, to } = this;
    wires.clock.at(Math.max(this.sent[0]!.at, wires.opensAt(from, to)), () => {
      if (wires.isCut(from, to)) return this.wait();
      const { arrive } = this.sent.shift()!;
      if (this.sent.length > 0) this.wait();
      arrive();
    });
  }
}

function nameOf(from: string, to: string): string {
  return `${from} to ${to}`;
}
