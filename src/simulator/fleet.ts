// The devices of one world: those on sockets, those over plain HTTP, those that lie, and those that go
// by the identity of another.

import type { SentMessage } from '../coordinator/workers/sessions.ts';
import type { AttemptRef } from '../protocol/messages.ts';
import { Device } from './actors/device.ts';
import type { DeviceWorld } from './actors/device-world.ts';
import { Liar } from './actors/liar.ts';
import { PullDevice, type PullWorld } from './actors/pull-device.ts';
import { type Nature, sound } from './actors/sim-executor.ts';
import type { Coverage } from './coverage.ts';

export interface FleetOptions extends DeviceWorld {
  readonly call: PullWorld['call'];
  readonly count: Coverage['count'];
  readonly onBug: (error: Error) => void;
}

/** Attempts that a liar has heard of. */
const seenMax = 100;

export class Fleet {
  readonly devices: readonly (Device | PullDevice)[];
  readonly liars: readonly Liar[];
  private readonly options: FleetOptions;
  /** Off once healing begins, as the liars are. */
  private readonly twins: (Device | PullDevice)[] = [];
  private readonly seen: AttemptRef[] = [];
  /** Share of devices that fail whatever they are given. */
  private readonly badDevices: number;

  constructor(options: FleetOptions) {
    this.options = options;
    this.badDevices = options.prng.chance(0.4) ? 0.35 : 0;
    this.devices = [...this.createDevices(), ...this.createPullDevices()];
    this.liars = this.createLiars();
  }

  /** Those who may be handed a link. */
  get guests(): readonly (Device | PullDevice | Liar)[] {
    return [...this.devices, ...this.liars];
  }

  start(): void {
    const { clock, prng } = this.options;
    for (const one of [...this.devices, ...this.liars]) {
      clock.after(prng.next() * 1000, () => one.start());
    }
  }

  /** The coordinator died: every connection to it breaks. */
  loseCoordinator(): void {
    for (const one of [...this.devices, ...this.twins, ...this.liars]) {
      if (!(one instanceof PullDevice)) one.connection?.die('coordinator');
    }
  }

  /** A copy of a device's disk is started elsewhere, and runs for a while. */
  addTwin(): void {
    const { prng, clock, log } = this.options;
    const device = prng.pick(this.devices);
    if (device.identity === null) return;
    const name = `${device.name}-twin`;
    let twin: Device | PullDevice;
    if (device instanceof PullDevice) {
      twin = new PullDevice(name, 'a', 'honest', sound, this.pullWorld());
      twin.identity = device.identity;
    } else {
      twin = this.createDevice(name, 'a');
      twin.identity = device.identity;
    }
    log(`${name}: appears`);
    this.twins.push(twin);
    twin.start();
    clock.after(prng.spread(100, 30_000), () => twin.crash());
  }

  /** Liars listen on the line: they hear of every assignment that is sent. */
  overhear(messages: readonly SentMessage[]): void {
    if (this.liars.length === 0 && !this.options.door.isGuarded) return;
    for (const message of messages) {
      if (message.type !== 'assign') continue;
      for (const { task_id, attempt, token } of message.assignments) {
        this.seen.push({ task_id, attempt, token });
      }
    }
    this.seen.splice(0, this.seen.length - seenMax);
  }

  /** Stops the liars and the twins. */
  endDeceit(): void {
    for (const one of this.liars) one.stop();
    for (const one of this.twins) one.crash();
  }

  /** Nobody sleeps or rests. With `isCut`, connections that may have lost frames are made anew. */
  wake(isCut: boolean): void {
    for (const device of this.devices) {
      device.wake();
      device.rest(null);
      if (isCut && device instanceof Device) device.connection?.snap();
    }
  }

  /** Somebody who looks after the devices: what has gone is started, what was removed is set up anew. */
  care(isRegistered: (workerId: string) => boolean): void {
    for (const device of this.devices) {
      if (device.isAlive) continue;
      const id = workerIdOf(device);
      if (id !== null && !isRegistered(id)) device.identity = null;
      device.start();
    }
    this.options.clock.after(5000, () => this.care(isRegistered));
  }

  private createDevices(): Device[] {
    // Both rooms exist: a job that asks for one can be run.
    return Array.from({ length: this.options.prng.integer(2, 5) }, (_, i) =>
      this.createDevice(`device-${i + 1}`, i % 2 === 0 ? 'a' : 'b'),
    );
  }

  private createDevice(name: string, room: string): Device {
    return new Device(name, room, this.drawNature(), this.options);
  }

  /** Some are slow, and in some worlds some are broken. */
  private drawNature(): Nature {
    const { prng } = this.options;
    const slowness = prng.chance(0.25) ? prng.spread(2, 10) : 1;
    return { slowness, isBad: prng.chance(this.badDevices) };
  }

  private createPullDevices(): PullDevice[] {
    const { prng } = this.options;
    if (!prng.chance(0.5)) return [];
    return Array.from({ length: prng.integer(1, 3) }, (_, i) => {
      const style = prng.pick(['honest', 'honest', 'sleepy', 'silent'] as const);
      return new PullDevice(
        `pull-${i + 1}`,
        prng.pick(['a', 'b']),
        style,
        this.drawNature(),
        this.pullWorld(),
      );
    });
  }

  private pullWorld(): PullWorld {
    const { count } = this.options;
    return {
      ...this.options,
      seen: this.seen,
      onImpatience: () => count('impatient'),
      onLostClaim: () => count('claims_lost'),
      onLeftClaim: () => count('claims_left'),
    };
  }

  private createLiars(): Liar[] {
    const { prng, count } = this.options;
    const { seen } = this;
    const length = prng.chance(0.4) ? prng.integer(1, 2) : 0;
    return Array.from({ length }, () => new Liar({ ...this.options, seen, onLie: count }));
  }
}

function workerIdOf({ identity }: Device | PullDevice): string | null {
  if (identity === null) return null;
  return 'id' in identity ? identity.id : identity.workerId;
}
