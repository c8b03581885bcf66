// Devices that are pages in a browser, in some worlds: they are closed and opened again, with what they keep, and
// their owners change how many slots they use. They draw from a source of chance of their own, so that the other
// worlds go as they went before there were any.

import { Device } from './actors/device.ts';
import { Page, type PageOptions } from './actors/page.ts';
import { Calendar } from './calendar.ts';
import type { Clock } from './clock.ts';
import type { Fleet } from './fleet.ts';
import { Prng } from './prng.ts';

const worldsWithPages = 0.5;
const devicesThatArePages = 0.7;

export interface PagesOptions extends Pick<PageOptions, 'count' | 'onBug'> {
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

export class Pages {
  private readonly isThere: boolean;
  private readonly prng: Prng;
  private readonly options: PagesOptions;
  private devices: readonly Device[] = [];

  constructor(seed: number, options: PagesOptions) {
    this.prng = new Prng(seed * 37 + 23);
    this.options = options;
    this.isThere = this.prng.chance(worldsWithPages);
  }

  /** Before any device begins. */
  plan(end: number, fleet: Fleet): void {
    if (!this.isThere) return;
    const { prng } = this;
    const { clock, count, onBug } = this.options;
    const isPage = (one: unknown): one is Device =>
      one instanceof Device && prng.chance(devicesThatArePages);
    this.devices = fleet.devices.filter(isPage);
    for (const device of this.devices) {
      device.page = new Page({ name: device.name, clock, prng, count, onBug });
    }
    if (this.devices.length === 0) return;
    new Calendar(clock, prng, end).often(prng.spread(0.1, 1), () => this.act());
  }

  /** Whether each report was answered, of those that can hand in theirs. */
  get isSettled(): boolean {
    return this.reachable.every(({ page }) => page?.checker.unanswered.length === 0);
  }

  judge(): void {
    for (const { page } of this.reachable) page?.checker.judge();
  }

  private get reachable(): readonly Device[] {
    return this.devices.filter((device) => device.isConnected);
  }

  private act(): void {
    const { prng } = this;
    const { clock, count, log } = this.options;
    const device = prng.pick(this.devices);
    if (prng.chance(0.3)) {
      count('slots_changed');
      device.useSlots(prng.integer(1, device.slots));
      return;
    }
    if (prng.chance(0.6)) {
      log(`${device.name}: is closed`);
      device.close(prng.chance(0.5));
    } else {
      log(`${device.name}: is gone`);
      device.crash();
    }
    clock.after(prng.spread(10, 10_000), () => device.start());
  }
}
