// What goes wrong with the hosts in the first act. The leader is hit most.

import type { Calendar } from '../calendar.ts';
import type { Clock } from '../clock.ts';
import type { Prng } from '../prng.ts';
import type { HostFaults } from './host-faults.ts';
import type { HostGroup } from './host-group.ts';
import type { MemberHost } from './member-host.ts';

export interface HostScene {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly group: HostGroup;
}

/** Of what befalls one host, so much befalls the leader. */
const atLeader = 0.6;

export function planHostTrouble(calendar: Calendar, faults: HostFaults, scene: HostScene): void {
  const { clock, prng, group } = scene;
  const { counts, database, lines } = group;
  const someone = (): MemberHost => {
    const { leader } = group;
    return leader !== null && prng.chance(atLeader) ? leader : prng.pick(group.members);
  };
  calendar.often(faults.crashesPerSecond, () => {
    const host = someone();
    if (!host.isAlive) return;
    counts.host_crashes++;
    const { id } = host;
    host.crash();
    // A machine that has vanished resets nothing.
    if (prng.chance(0.7)) lines.reset(id);
    clock.after(prng.spread(100, 20_000), () => host.start());
  });
  calendar.often(faults.freezesPerSecond, () => {
    counts.host_freezes++;
    group.freeze(someone(), prng.spread(50, 15_000));
  });
  calendar.often(faults.cutsPerSecond, () => {
    counts.store_cuts++;
    someone().cut(prng.spread(50, 15_000));
  });
  calendar.often(faults.absencesPerSecond, () => {
    counts.store_absences++;
    database.goAway(prng.spread(50, 10_000), () => prng.chance(0.5));
  });
  calendar.often(faults.refusalsPerSecond, () => {
    const { leader } = group;
    if (leader === null) return;
    counts.refusals++;
    lines.refuse(leader.id, prng.spread(200, 3000));
  });
  calendar.often(faults.resignationsPerSecond, () => {
    const host = someone();
    if (!host.isAlive || host.host.standsStill) return;
    counts.resignations++;
    void host.close().then(() => clock.after(prng.spread(100, 5000), () => host.start()));
  });
  calendar.often(faults.trunkCutsPerSecond, () => {
    counts.trunk_cuts++;
    group.cutTrunk(prng.pick(group.members));
  });
}
