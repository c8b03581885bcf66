// What goes wrong in the first act beside what the network and the disk do at every step: crashes,
// standstills, clocks that are set, connections that break, devices that sleep or are copied.

import type { Listener } from './actors/listener.ts';
import { PullDevice } from './actors/pull-device.ts';
import type { Calendar } from './calendar.ts';
import type { Clock } from './clock.ts';
import type { Coverage } from './coverage.ts';
import type { Faults } from './faults.ts';
import type { Fleet } from './fleet.ts';
import type { Machine } from './machine.ts';
import type { Prng } from './prng.ts';

/** Who may be hit. */
export interface Scene {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly host: Machine;
  readonly fleet: Fleet;
  readonly listener: Listener;
  readonly count: Coverage['count'];
}

const dayMs = 86_400_000;

export function planTrouble(calendar: Calendar, faults: Faults, scene: Scene): void {
  const { clock, prng, host, fleet, listener, count } = scene;
  calendar.often(faults.coordinatorCrashesPerSecond, () => crashCoordinator(scene));
  calendar.often(faults.clockSetsPerSecond, () => {
    count('clock_sets');
    host.setClock(prng.integer(-dayMs, dayMs));
  });
  calendar.often(faults.stallsPerSecond, () => {
    count('stalls');
    host.stall(prng.spread(100, 45_000));
  });
  calendar.often(faults.deviceCrashesPerSecond, () => {
    const device = prng.pick(fleet.devices);
    count('device_crashes');
    device.crash();
    clock.after(prng.spread(10, 60_000), () => device.start());
  });
  calendar.often(faults.connectionDropsPerSecond, () => {
    const one = prng.pick([...fleet.devices, ...fleet.liars]);
    if (!(one instanceof PullDevice)) one.connection?.snap();
  });
  calendar.often(faults.sleepsPerSecond, () => {
    const device = prng.pick(fleet.devices);
    device.sleep();
    clock.after(prng.spread(1000, 60_000), () => device.wake());
  });
  calendar.often(faults.listenersPerSecond, () => {
    const { coordinator } = host;
    if (coordinator === null || prng.chance(0.3)) listener.hangUp();
    else listener.connect(coordinator);
  });
  calendar.often(faults.twinsPerSecond, () => fleet.addTwin());
  calendar.often(faults.moodsPerSecond, () => {
    const devices = fleet.devices.filter((device) => device instanceof PullDevice);
    if (devices.length === 0) return;
    count('moods');
    prng.pick(devices).refuseFor(prng.spread(1000, 60_000));
  });
}

function crashCoordinator({ clock, prng, host, fleet, count }: Scene): void {
  count('coordinator_crashes');
  host.crash();
  fleet.loseCoordinator();
  clock.after(prng.spread(1, 20_000), () => void host.start());
}
