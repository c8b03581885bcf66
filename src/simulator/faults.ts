// The faults of a world: rates are per second of virtual time, probabilities per frame, commit or read.

import type { Prng } from './prng.ts';

export interface Faults {
  readonly coordinatorCrashesPerSecond: number;
  /** The whole process of the coordinator stands still, up to some leases long. */
  readonly stallsPerSecond: number;
  readonly deviceCrashesPerSecond: number;
  readonly connectionDropsPerSecond: number;
  /** A device sleeps with its connection open. */
  readonly sleepsPerSecond: number;
  /** A second device begins to use the identity of another. */
  readonly twinsPerSecond: number;
  /** A listener begins to follow the events, or leaves. */
  readonly listenersPerSecond: number;
  /** A device over plain HTTP begins to refuse whatever it is given, for a while. */
  readonly moodsPerSecond: number;
  /** How often the database is cleared. */
  readonly clears: number;
  /** How often many clients submit at the same moment. */
  readonly crowds: number;
  /** Jobs too large for all of them to be computed here. */
  readonly largeJobs: number;
  /** Per frame, in either direction. */
  readonly lostFrames: number;
  readonly repeatedFrames: number;
  readonly reorderedFrames: number;
  readonly delayMs: readonly [low: number, high: number];
  /** When a connection breaks, each side learns of it after such a delay, or only by its own deadline. */
  readonly halfOpenMs: readonly [low: number, high: number];
  readonly commitMs: readonly [low: number, high: number];
  /** Per commit: the disk refuses it, and the coordinator stops and is started again. */
  readonly failedCommits: number;
  /** The same of a commit that brings a job: some of its assignments have left by then. */
  readonly failedSubmissions: number;
  /** Per read of the store: it takes time, and the coordinator goes on meanwhile. */
  readonly slowReads: number;
  /** The clock is set while the coordinator runs. */
  readonly clockSetsPerSecond: number;
  /**
   * Per start of the coordinator: its clock was set while it was down, by up to a day forward or
   * back.
   */
  readonly clockJumps: number;
  /** Per read of a payload that an attempt needs (input, program, state): it fails. */
  readonly unreadable: number;
  /** Per other read: it fails, and so does the request or message that needed it. */
  readonly unreadableRows: number;
  /** Per claim over plain HTTP: its answer is lost, beside the losses of all frames and calls. */
  readonly lostClaims: number;
  /** Per claim: the worker gives it up before the answer. */
  readonly leftClaims: number;
}

export const calm: Faults = {
  coordinatorCrashesPerSecond: 0,
  stallsPerSecond: 0,
  deviceCrashesPerSecond: 0,
  connectionDropsPerSecond: 0,
  sleepsPerSecond: 0,
  twinsPerSecond: 0,
  listenersPerSecond: 0,
  moodsPerSecond: 0,
  clears: 0,
  crowds: 0,
  largeJobs: 0,
  lostFrames: 0,
  repeatedFrames: 0,
  reorderedFrames: 0,
  delayMs: [0.1, 5],
  halfOpenMs: [1, 1],
  commitMs: [0.1, 2],
  failedCommits: 0,
  failedSubmissions: 0,
  slowReads: 0,
  clockJumps: 0,
  clockSetsPerSecond: 0,
  unreadable: 0,
  unreadableRows: 0,
  lostClaims: 0,
  leftClaims: 0,
};

/** Draws the faults of one world: some kinds are absent, some frequent. */
export function drawFaults(prng: Prng): Faults {
  const some = (low: number, high: number, share: number) =>
    prng.chance(share) ? prng.spread(low, high) : 0;
  return {
    coordinatorCrashesPerSecond: some(0.02, 1, 0.7),
    deviceCrashesPerSecond: some(0.05, 2, 0.7),
    connectionDropsPerSecond: some(0.1, 5, 0.7),
    sleepsPerSecond: some(0.02, 0.5, 0.4),
    twinsPerSecond: some(0.02, 0.2, 0.2),
    listenersPerSecond: some(0.05, 2, 0.5),
    clears: prng.chance(0.15) ? prng.integer(1, 2) : 0,
    lostFrames: some(0.001, 0.1, 0.4),
    repeatedFrames: some(0.001, 0.1, 0.4),
    reorderedFrames: some(0.001, 0.1, 0.4),
    delayMs: [0.1, prng.spread(1, 500)],
    halfOpenMs: [1, prng.spread(2, 60_000)],
    commitMs: [0.1, prng.spread(0.2, 100)],
    failedCommits: some(0.0005, 0.01, 0.3),
    slowReads: some(0.01, 0.5, 0.5),
    clockJumps: some(0.05, 0.5, 0.3),
    clockSetsPerSecond: some(0.01, 0.2, 0.3),
    unreadable: some(0.01, 0.2, 0.3),
    stallsPerSecond: some(0.01, 0.1, 0.3),
    unreadableRows: some(0.01, 0.1, 0.2),
    lostClaims: some(0.01, 0.3, 0.3),
    leftClaims: some(0.01, 0.3, 0.3),
    crowds: prng.chance(0.2) ? prng.integer(1, 3) : 0,
    largeJobs: prng.chance(0.03) ? 1 : 0,
    moodsPerSecond: some(0.05, 0.5, 0.5),
    failedSubmissions: some(0.05, 0.3, 0.3),
  };
}
