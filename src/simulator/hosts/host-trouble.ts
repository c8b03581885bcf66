// What goes wrong with the hosts in the first act. The leader is hit most.

import type { Calendar } from '../calendar.ts';
import type { Clock } from '../clock.ts';
import type { Prng } from '../prng.ts';
import type { HostFaults, TrunkFaults } from './host-faults.ts';
import type { HostGroup } from './host-group.ts';
import type { MemberHost } from './member-host.ts';

export interface HostScene {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly group: HostGroup;
}

const longestCutMs = 25_000;
const longestSlowMs = 20_000;

/** Of what befalls one host, so much befalls the leader. */
const atLeader = 0.6;

export function planHostTrouble(calendar: Calendar, faults: HostFaults, scene: HostScene): void {
  const { clock, prng, group } = scene;
  const { counts, database, trunks } = group;
  const someone = (): MemberHost => {
    const { leader } = group;
    return leader !== null && prng.chance(atLeader) ? leader : prng.pick(group.members);
  };
  calendar.often(faults.crashesPerSecond, () => {
    const host = someone();
    if (!host.isAlive) return;
    counts.host_crashes++;
    // A machine that has vanished resets nothing.
    host.crash(prng.chance(0.7));
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
    trunks.refuse(leader, prng.spread(200, 3000));
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

/** What goes wrong between two hosts, mostly between the leader and another. */
export function planTrunkTrouble(
  calendar: Calendar,
  faults: TrunkFaults,
  { clock, prng, group }: HostScene,
): void {
  const { counts, members, trunks } = group;
  const two = (): [string, string] => {
    const one = group.leader ?? prng.pick(members);
    const other = prng.pick(members.filter((member) => member !== one));
    return prng.chance(0.5) ? [one.name, other.name] : [other.name, one.name];
  };
  calendar.often(faults.cutsPerSecond, () => {
    const [from, to] = two();
    const ms = prng.spread(100, longestCutMs);
    const isOneSided = prng.chance(0.5);
    counts[isOneSided ? 'one_sided_cuts' : 'wire_cuts']++;
    trunks.wires.cut(from, to, ms);
    if (!isOneSided) trunks.wires.cut(to, from, ms);
  });
  calendar.often(faults.breaksPerSecond, () => {
    const member = prng.pick(members);
    const snap = () => {
      counts.trunk_breaks++;
      trunks.snap(member);
    };
    snap();
    // The next one may break while workers are greeted.
    if (prng.chance(0.5)) clock.after(prng.spread(200, 1500), snap);
  });
  calendar.often(faults.slowsPerSecond, () => {
    const [from, to] = two();
    counts.slow_wires++;
    trunks.wires.slow(from, to, prng.spread(50, 3000), prng.spread(500, longestSlowMs));
  });
}
