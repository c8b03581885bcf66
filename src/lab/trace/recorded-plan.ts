// A trace as it is played: all of it is known, so nothing is drawn but what the seed of a run decides anyway (jitter of
// the worker machines, and which attempts fail on a device that fails some). It can be sent to a thread.

import type { AlgorithmId } from '../../core/snapshot.ts';
import type { DevicePlan, LoadSpan, Plan, PresenceSpan } from '../scenario/plan.ts';

export interface RecordedTrace {
  /** Version of the form of its file. */
  readonly trace: number;
  /** Its name: that of its file. */
  readonly scenario: string;
  /** What it is, in a sentence. */
  readonly about: string;
  /** Under which most of its attempts were assigned. */
  readonly algorithm: AlgorithmId;
  readonly summary: TraceSummary;
  /** Sentences about what a reader should know before the figures. */
  readonly notes: readonly string[];
  readonly plan: RecordedPlan;
}

/** What a trace says of itself. */
export interface TraceSummary {
  readonly trace: number;
  /** Version of Muster that wrote it. */
  readonly muster: string;
  readonly began_at: string;
  readonly recorded_seconds: number;
  /** From the first arrival to the end of the last job, as it was; null: not all ended in it. */
  readonly makespan_seconds: number | null;
  readonly algorithm: AlgorithmId;
  readonly workers: number;
  readonly jobs: number;
  /** As they are played. */
  readonly tasks: number;
  readonly tasks_completed: number;
  readonly attempts: number;
  /** Name of its file, without the folder. */
  readonly file: string;
  /** Of the file, SHA-256 as hex. */
  readonly sha256: string;
}

/** What a result says of the trace that was played: the trace itself is not in it. */
export interface TraceOrigin extends Pick<TraceSummary, 'file' | 'sha256' | 'algorithm'> {
  /** How long it took in life; null: not all of its jobs ended in it. */
  readonly makespan_seconds: number | null;
  /** Sentences about what a reader should know before the figures. */
  readonly notes: readonly string[];
}

export type RecordedDevice = Omit<DevicePlan, 'load' | 'presence'> & {
  readonly load: readonly LoadSpan[];
  readonly presence: readonly PresenceSpan[];
};

export type RecordedPlan = Omit<Plan, 'devices'> & { readonly devices: readonly RecordedDevice[] };

export function replayOf({ plan }: Pick<RecordedTrace, 'plan'>): Plan {
  return {
    ...plan,
    devices: plan.devices.map((device) => ({
      ...device,
      load: () => device.load[Symbol.iterator](),
      presence: () => device.presence[Symbol.iterator](),
    })),
  };
}
