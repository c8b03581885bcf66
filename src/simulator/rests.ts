// Devices that rest, in some worlds, as their owners or their own state want: some go on with what they have begun,
// some give it back, and some fall asleep on a lease for now. They draw from a source of chance of their own, so that
// the other worlds go as they went before there were any.

import { Device } from './actors/device.ts';
import { PullDevice } from './actors/pull-device.ts';
import type { RestOrder } from '../worker/machine/machine.ts';
import { Calendar } from './calendar.ts';
import type { Clock } from './clock.ts';
import type { Fleet } from './fleet.ts';
import { Prng } from './prng.ts';

const worldsWithRests = 0.5;

export class Rests {
  readonly isThere: boolean;
  private readonly prng: Prng;

  constructor(seed: number) {
    this.prng = new Prng(seed * 31 + 17);
    this.isThere = this.prng.chance(worldsWithRests);
  }

  /** In the second act nobody rests: `Fleet.wake` sees to it. */
  plan(end: number, { clock, fleet }: { readonly clock: Clock; readonly fleet: Fleet }): void {
    if (!this.isThere) return;
    const { prng } = this;
    new Calendar(clock, prng, end).often(prng.spread(0.05, 0.5), () => {
      const device = this.pick(fleet);
      const rest = this.draw(device);
      const lastsMs = prng.spread(1000, 60_000);
      device.rest(rest);
      if (rest.leaseSeconds !== undefined) {
        // It has a moment to say so.
        clock.after(prng.spread(100, 3000), () => {
          if (clock.now >= end) return;
          device.sleep();
          // What sleeps loses its connections sooner or later.
          if (device instanceof Device && prng.chance(0.6)) device.connection?.snap();
        });
      }
      clock.after(lastsMs, () => {
        device.wake();
        device.rest(null);
      });
    });
  }

  /** Rather one over plain HTTP: there are few of them. */
  private pick({ devices }: Fleet): Fleet['devices'][number] {
    const { prng } = this;
    const pulling = devices.filter((device) => device instanceof PullDevice);
    return prng.pick(pulling.length > 0 && prng.chance(0.5) ? pulling : devices);
  }

  private draw(device: Fleet['devices'][number]): RestOrder {
    const { prng } = this;
    const because = prng.pick(['paused', 'charging', 'hours', 'hidden']);
    const keeps = prng.chance(device instanceof PullDevice ? 0.3 : 0.5);
    if (!keeps || prng.chance(0.3)) return { because, keeps };
    return { because, keeps, leaseSeconds: prng.integer(20, 120) };
  }
}
