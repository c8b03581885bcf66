// What one run plays: devices and jobs with every number drawn. A plan is made from a scenario and a seed, or
// from a trace; who plays it does not know which. Times are in milliseconds from the beginning of the run.

import type { SchedulerConfig } from '../../core/snapshot.ts';

export interface Plan {
  readonly devices: readonly DevicePlan[];
  /** By the time at which they come. */
  readonly jobs: readonly JobPlan[];
  readonly scheduler: Pick<SchedulerConfig, 'weights' | 'weighting'>;
  readonly heartbeatMs: number;
  /** How long the coordinator takes to make a batch durable. */
  readonly commitMs: number;
  /** The run is given up then. */
  readonly mostMs: number;
}

export interface DevicePlan {
  readonly name: string;
  readonly class: string;
  readonly type: string;
  readonly platform: string;
  readonly slots: number;
  readonly cores: number;
  /** Work seconds that it does a second in one slot, when nobody else asks for the processor. */
  readonly speed: number;
  readonly ramMb: number;
  readonly roundTripMs: number;
  /** Null: a frame takes no longer for being long. */
  readonly bandwidthMbps: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly says: {
    readonly cpu: boolean;
    readonly memory: boolean;
    readonly battery: boolean;
    readonly bandwidth: boolean;
  };
  readonly battery: BatteryPlan | null;
  readonly power: PowerModel;
  /** From the hand-over of a task to the beginning of its work. */
  readonly startMs: number;
  /** Share of attempts that fail here. */
  readonly fails: number;
  readonly joinsAtMs: number;
  /** What other programs ask of the processor, in turn; the last goes on for ever. */
  readonly load: () => Iterator<LoadSpan>;
  /** When it is there and when not, in turn, from `joinsAtMs` on; the last goes on for ever. */
  readonly presence: () => Iterator<PresenceSpan>;
}

export interface LoadSpan {
  /** Of the whole processor, 0 to 100. */
  readonly percent: number;
  readonly forMs: number;
}

export interface PresenceSpan {
  readonly isHere: boolean;
  readonly forMs: number;
  /** How it goes at the end of a span in which it is here. */
  readonly goes: 'cut' | 'leaves';
}

export interface BatteryPlan {
  readonly levelPercent: number;
  readonly isCharging: boolean;
  readonly idlePercentPerHour: number;
  /** In addition, for each busy slot. */
  readonly busyPercentPerHour: number;
  readonly chargePercentPerHour: number;
  /** Below it takes nothing new; null: it works until it is empty. */
  readonly restsBelowPercent: number | null;
}

/** Declared, not measured. */
export interface PowerModel {
  /** While it is here. */
  readonly idleWatts: number;
  /** In addition, for each busy slot. */
  readonly busyWatts: number;
}

export interface JobPlan {
  readonly name: string;
  /** Whole, as the clock of the coordinator is. */
  readonly atMs: number;
  /** By index: seconds on a device of speed 1 that does nothing else. */
  readonly workSeconds: Float64Array;
  /**
   * By index: how much of a core it asks for while nobody slows it, more than 0 to 1. The rest of its time it waits, which
   * no other program makes longer.
   */
  readonly cpuShares: Sizes;
  /** By index, in bytes. */
  readonly inputBytes: Sizes;
  readonly resultBytes: Sizes;
  readonly checkpoints: { readonly everyMs: number; readonly bytes: number } | null;
  readonly priority: number;
  readonly taskPriorities: Int16Array | null;
  readonly speculation: boolean;
  readonly maxAttempts: number;
  readonly maxLostAttempts: number;
  readonly requirements: Requirements | null;
}

export interface Requirements {
  readonly type?: readonly string[];
  readonly platform?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly minRamMb?: number;
  readonly minBatteryPercent?: number;
}

/** One for each index, or the same for all. */
export type Sizes = Float64Array | number;

export function sizeOf(sizes: Sizes, index: number): number {
  return typeof sizes === 'number' ? sizes : sizes[index]!;
}
