// What goes wrong between several hosts and their one database: rates are per second of virtual time, shares per call.
// Drawn from a source of chance of their own, so that worlds of one host go as they would.

import { Prng } from '../prng.ts';

export interface HostFaults {
  readonly crashesPerSecond: number;
  /** A whole process stands still: its timers wait, and what comes to it. */
  readonly freezesPerSecond: number;
  /** The way of one host to the database is cut for a while. */
  readonly cutsPerSecond: number;
  /** The database is away for everybody. */
  readonly absencesPerSecond: number;
  /** Somebody else hears that the leader refuses, though it lives. */
  readonly refusalsPerSecond: number;
  /** A host ends in order, as for an upgrade. */
  readonly resignationsPerSecond: number;
  /** The trunk of a host breaks, and sockets of devices that lead through it to another. */
  readonly trunkCutsPerSecond: number;
  /** Per call of the database. */
  readonly lostRequests: number;
  readonly lostAnswers: number;
  /** Per commit: it takes half a second to three quarters of a minute. */
  readonly slowCommits: number;
  /** Per commit: its host stands still when it is there, and hears so when another one may lead. */
  readonly frozenCommits: number;
  readonly delayMs: readonly [low: number, high: number];
  /** How long what is stored takes to be read at a takeover. */
  readonly loadMs: readonly [low: number, high: number];
}

export const calmHosts: HostFaults = {
  crashesPerSecond: 0,
  freezesPerSecond: 0,
  cutsPerSecond: 0,
  absencesPerSecond: 0,
  refusalsPerSecond: 0,
  resignationsPerSecond: 0,
  trunkCutsPerSecond: 0,
  lostRequests: 0,
  lostAnswers: 0,
  slowCommits: 0,
  frozenCommits: 0,
  delayMs: [0.1, 2],
  loadMs: [20, 300],
};

/** What goes wrong between two hosts. */
export interface TrunkFaults {
  /** What one of them sends does not arrive at the other for a while, or nothing does either way. */
  readonly cutsPerSecond: number;
  /** The trunk of a host breaks, and the way is there. */
  readonly breaksPerSecond: number;
  /** Whatever is sent arrives late for a while. */
  readonly slowsPerSecond: number;
  readonly delayMs: readonly [low: number, high: number];
  /** Per read of what an assignment needs, at a host that follows: it takes up to some seconds. */
  readonly slowReads: number;
  /** Per socket of a device at a host that follows: it is led to the leader as it is, since its token is not known there. */
  readonly tunnels: number;
}

export const calmTrunks: TrunkFaults = {
  cutsPerSecond: 0,
  breaksPerSecond: 0,
  slowsPerSecond: 0,
  delayMs: [0.1, 5],
  slowReads: 0,
  tunnels: 0.1,
};

export interface HostPlan {
  readonly count: number;
  readonly faults: HostFaults;
  readonly prng: Prng;
  readonly trunks: TrunkPlan;
}

export interface TrunkPlan {
  readonly faults: TrunkFaults;
  /** A frame of assignments ends when its payloads reach it. */
  readonly frameCharacters: number;
  readonly prng: Prng;
}

/** From this seed on a world has two to four hosts. */
export const firstSeedOfHosts = 1_000_000;

/** Null: the world has one host, with a disk of its own. */
export function drawHosts(seed: number): HostPlan | null {
  if (seed < firstSeedOfHosts) return null;
  const prng = new Prng(seed ^ 0x686f7374);
  const some = (low: number, high: number, share: number) =>
    prng.chance(share) ? prng.spread(low, high) : 0;
  return {
    count: prng.integer(2, 4),
    faults: {
      crashesPerSecond: some(0.01, 0.15, 0.6),
      freezesPerSecond: some(0.01, 0.15, 0.6),
      cutsPerSecond: some(0.01, 0.15, 0.5),
      absencesPerSecond: some(0.01, 0.1, 0.4),
      refusalsPerSecond: some(0.01, 0.1, 0.4),
      resignationsPerSecond: some(0.01, 0.05, 0.4),
      trunkCutsPerSecond: some(0.02, 0.5, 0.4),
      lostRequests: some(0.001, 0.03, 0.4),
      lostAnswers: some(0.001, 0.03, 0.5),
      slowCommits: some(0.001, 0.02, 0.3),
      delayMs: [0.1, prng.spread(0.5, 50)],
      loadMs: [20, prng.chance(0.3) ? prng.spread(1000, 12_000) : 300],
      frozenCommits: some(0.002, 0.05, 0.5),
    },
    prng,
    trunks: drawTrunks(seed),
  };
}

/** From a source of chance of its own, so that hosts go as they would. */
function drawTrunks(seed: number): TrunkPlan {
  const prng = new Prng(seed ^ 0x7472756e);
  const some = (low: number, high: number, share: number) =>
    prng.chance(share) ? prng.spread(low, high) : 0;
  return {
    faults: {
      cutsPerSecond: some(0.02, 0.3, 0.6),
      breaksPerSecond: some(0.05, 1, 0.6),
      slowsPerSecond: some(0.02, 0.2, 0.4),
      delayMs: [0.1, prng.spread(0.5, prng.chance(0.3) ? 400 : 20)],
      slowReads: some(0.05, 0.5, 0.5),
      tunnels: prng.chance(0.5) ? 0.1 : 0,
    },
    frameCharacters: prng.chance(0.5) ? 50 : 1024 * 1024,
    prng,
  };
}
