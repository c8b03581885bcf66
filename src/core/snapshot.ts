// The read-only view of the cluster that a scheduler sees. Rows are live views of the core's own
// records, not copies: they are valid until the scheduler's next `begin`, and nobody may write to them.

export const algorithmIds = [
  'fifo',
  'round_robin',
  'least_loaded',
  'performance',
  'priority',
  'wrr',
  'edas',
  'aras',
  'mabac',
] as const;

export type AlgorithmId = (typeof algorithmIds)[number];

export const criterionIds = [
  'cpu',
  'memory',
  'throughput',
  'failure_rate',
  'latency',
  'bandwidth',
  'battery',
  'energy',
  'load',
] as const;

export type CriterionId = (typeof criterionIds)[number];

export type Weights = Readonly<Partial<Record<CriterionId, number>>>;

/** In force until somebody sets others: the five criteria of the specification, equally. */
export const defaultWeights = {
  cpu: 0.2,
  memory: 0.2,
  throughput: 0.2,
  failure_rate: 0.2,
  latency: 0.2,
} as const satisfies Weights;

export interface SchedulerConfig {
  readonly algorithm: AlgorithmId;
  readonly weighting: 'manual' | 'entropy';
  /** As configured, not normalised: the five criteria of the specification, and others once they were set. */
  readonly weights: Weights;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** Who has set it, for people; absent or null: nobody is known. */
  readonly by?: string | null;
}

export interface Snapshot {
  /** Every online or busy worker, in registration order. Another array when one joins or leaves. */
  readonly workers: readonly WorkerView[];
  /** Rises with every change of membership or of any `observed`; scores may be kept until then. */
  readonly version: number;
}

export interface WorkerView {
  readonly id: string;
  readonly type: string;
  readonly slots: number;
  /** Assigned and running attempts. */
  readonly activeTasks: number;
  /** Attempts assigned since `observed` was last replaced. */
  readonly assignedSinceHeartbeat: number;
  /** Milliseconds since the epoch at which the worker last became idle; the registration at first. */
  readonly idleSince: number;
  readonly observed: Observed;
}

/**
 * What is known of a worker: measured at its newest heartbeat, counted up to its newest report. Replaced
 * when either comes, never written to. Null: the worker does not say.
 */
export interface Observed {
  readonly cpuLoadPercent: number | null;
  readonly ramAvailableMb: number | null;
  readonly batteryLevelPercent: number | null;
  readonly batteryCharging: boolean | null;
  readonly networkLatencyMs: number | null;
  readonly networkBandwidthMbps: number | null;
  /** Tasks completed and failed since the registration. */
  readonly completed: number;
  readonly failed: number;
  /** Seconds spent on tasks that ended, summed over slots. */
  readonly busySeconds: number;
  /** Exponentially smoothed run time of a completed task in ms, null before the first. */
  readonly smoothedTaskMs: number | null;
  readonly energyJoules: number | null;
}
