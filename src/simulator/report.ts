// What a simulation is asked for, and what it tells when nothing was broken.

import type { Counts } from './coverage.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** Virtual length of the first act. */
  readonly faultsMs?: number;
  readonly onLine?: (line: string) => void;
}

export interface SimulationReport {
  readonly seed: number;
  readonly steps: number;
  readonly virtualMs: number;
  /** Virtual time from the beginning of healing to the end of the last job. */
  readonly healedMs: number;
  readonly jobs: number;
  readonly answersRead: number;
  readonly coordinatorLives: number;
  /** How often what the simulation exercises has happened. */
  readonly counts: Counts;
}
