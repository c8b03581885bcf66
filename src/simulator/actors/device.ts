// A simulated device: the production worker machine on virtual sockets, timers and task code. Only its
// identity survives a crash, as on the disk of a real device. It may fall asleep with its connection
// open, as phones do: nothing is sent or read then.

import type { DeviceDescription } from '../../protocol/messages.ts';
import type { RestOrder, WorkerIdentity } from '../../worker/machine/machine.ts';
import { Pass } from './pass.ts';
import type { Page } from './page.ts';
import type { Connection } from '../network.ts';
import type { Prng } from '../prng.ts';
import type { DeviceWorld, LivingDevice } from './device-world.ts';
import { Life } from './life.ts';
import type { Nature } from './sim-executor.ts';

export type Lease = Pick<DeviceDescription, 'lease_seconds'>;

/** Draws the heartbeat interval and lease that a device asks for: some can send only seldom. */
export function drawLease(prng: Prng): Lease {
  return prng.chance(0.25) ? { lease_seconds: prng.integer(20, 180) } : {};
}

export class Device implements LivingDevice {
  readonly name: string;
  /** Null before the first registration; survives crashes. */
  identity: WorkerIdentity | null = null;
  connection: Connection | null = null;
  readonly pass: Pass;
  /** At most so many are in use. */
  readonly slots: number;
  /** What outlives it, when it is a page in a browser. */
  page: Page | null = null;
  private readonly world: DeviceWorld;
  private readonly nature: Nature;
  private slotsInUse: number;
  private readonly labels: Readonly<Record<string, string>>;
  private readonly skewMs: number;
  private readonly lease: Lease;
  /** Why it rests now; null: it works. */
  private resting: RestOrder | null = null;
  private life: Life | null = null;
  private starts = 0;

  constructor(name: string, room: string, nature: Nature, world: DeviceWorld) {
    this.name = name;
    this.nature = nature;
    this.world = world;
    this.pass = new Pass(world.door);
    this.slots = world.prng.integer(1, 3);
    this.slotsInUse = this.slots;
    this.labels = { room };
    this.lease = drawLease(world.prng);
    this.skewMs = world.prng.chance(0.3) ? world.prng.integer(-86_400_000, 86_400_000) : 0;
  }

  get isAlive(): boolean {
    return this.life !== null;
  }

  /** Welcome at the coordinator. */
  get isConnected(): boolean {
    return this.life?.isConnected === true;
  }

  get isOut(): boolean {
    return this.pass.isOut;
  }

  takeLink(link: string): void {
    this.pass.take(link);
    this.start();
  }

  start(): void {
    if (this.life !== null || this.pass.isOut) return;
    this.starts++;
    this.life = new Life(this, this.world, {
      instance: `${this.name}, start ${this.starts}`,
      slots: this.slots,
      slotsInUse: this.slotsInUse,
      nature: this.nature,
      about: { labels: this.labels, ...this.lease },
      skewMs: this.skewMs,
    });
    this.life.rest(this.resting);
    this.life.feed({ type: 'start' });
  }

  /** Cuts the power: everything in memory is gone. */
  crash(): void {
    const { life } = this;
    if (life === null) return;
    this.life = null;
    life.end();
    this.page?.crash();
    this.connection?.die('device');
    this.connection = null;
  }

  /** A page is closed properly: it keeps what it held in mind, to give it back. It may have time to say bye. */
  close(saysBye: boolean): void {
    const { life, page } = this;
    if (life === null || page === null) return;
    this.life = null;
    const held = life.close(saysBye);
    page.close(held);
    this.connection?.die('device');
    this.connection = null;
  }

  /** Begins a rest, or ends it (null). It knows as soon as it is awake. */
  rest(rest: RestOrder | null): void {
    this.resting = rest;
    const { life } = this;
    life?.clock.whenAwake(() => life.rest(this.resting));
  }

  /** So many from now on. */
  useSlots(count: number): void {
    this.slotsInUse = count;
    const { life } = this;
    life?.clock.whenAwake(() => life.useSlots(this.slotsInUse));
  }

  sleep(): void {
    this.life?.clock.sleep();
  }

  wake(): void {
    this.life?.clock.wake();
  }

  /** The machine left by itself (drained, deregistered). */
  ended(life: object): void {
    if (this.life !== life) return;
    this.life = null;
    this.pass.refused();
  }
}
