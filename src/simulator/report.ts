// The options of a simulation, and its report when no promise was broken.

import type { Counts } from './coverage.ts';
import type { HostCounts } from './hosts/host-counts.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** Length of the first act in virtual time. */
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
  /** How often each situation has occurred. */
  readonly counts: Counts;
  /** Null where there was one host. */
  readonly hosts: HostCounts | null;
}
