// The scheduler's part of the client.

import type { CriterionDescription, SchedulerPreview } from '../protocol/explanations.ts';
import type { JobRequirements } from '../protocol/job-options.ts';
import type { SchedulingInfo } from '../protocol/scheduling-info.ts';
import type { algorithmNames } from '../protocol/schemas/scheduler.ts';
import { type Endpoint, requestJson } from './request.ts';

export interface SchedulerConfigResource {
  readonly algorithm: string;
  readonly weighting: 'manual' | 'entropy';
  /** As configured. */
  readonly weights: Readonly<Record<string, number>>;
  /** The weights in force, of all nine criteria, normalised to the sum 1. */
  readonly effective_weights: Readonly<Record<string, number>>;
  readonly updated_at: string;
  /** Label of the token by which it was set, or its owner; null when that is not known, or not for who asks. */
  readonly by: string | null;
}

/** A configuration that was set. */
export interface SchedulerHistoryEntry
  extends Pick<SchedulerConfigResource, 'algorithm' | 'weighting' | 'weights' | 'by'> {
  /** In force from then on. */
  readonly at: string;
}

/** Those of this version; the coordinator tells which it has. */
export type AlgorithmId = (typeof algorithmNames)[number];

/** At least one is given. */
export interface SchedulerChange {
  readonly algorithm?: AlgorithmId;
  readonly weights?: Readonly<Record<string, number>>;
  readonly weighting?: 'manual' | 'entropy';
}

/** What is left out is taken from the configuration in force. */
export interface PreviewRequest extends SchedulerChange {
  /** Requirements of the tasks that are to be placed. */
  readonly requirements?: JobRequirements;
  /** From 1 to 1000: how many tasks to place on a copy of the cluster. */
  readonly tasks?: number;
  /** `idle`: as if all slots of connected workers were free; `now` by default. */
  readonly assume?: 'now' | 'idle';
}

export interface SchedulerClient {
  algorithms(options?: { readonly signal?: AbortSignal }): Promise<readonly string[]>;
  config(options?: { readonly signal?: AbortSignal }): Promise<SchedulerConfigResource>;
  configure(
    change: SchedulerChange,
    options?: { readonly signal?: AbortSignal },
  ): Promise<SchedulerConfigResource>;
  /** The algorithm is in force from the next decision on. */
  activate(
    algorithm: AlgorithmId,
    options?: { readonly signal?: AbortSignal },
  ): Promise<SchedulerConfigResource>;
  /** The configurations that were in force since the first start, newest first; 100 by default, at most 1000. */
  history(options?: {
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): Promise<readonly SchedulerHistoryEntry[]>;
  /** The nine criteria: what each measures, in which unit, and whether more is better. */
  criteria(options?: { readonly signal?: AbortSignal }): Promise<readonly CriterionDescription[]>;
  /** How the present workers would rank; changes nothing. */
  preview(
    asked?: PreviewRequest,
    options?: { readonly signal?: AbortSignal },
  ): Promise<SchedulerPreview>;
  /** The last decision and the ranking of the workers behind it. */
  info(options?: { readonly signal?: AbortSignal }): Promise<SchedulingInfo>;
}

export function schedulerClient(endpoint: Endpoint): SchedulerClient {
  return {
    algorithms: (call) =>
      requestJson(endpoint, '/api/scheduler/algorithms', { signal: call?.signal }),
    config: (call) => requestJson(endpoint, '/api/scheduler/config', { signal: call?.signal }),
    configure: (change, call) =>
      requestJson(endpoint, '/api/scheduler/config', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(change),
        signal: call?.signal,
      }),
    history: ({ limit, signal } = {}) =>
      requestJson(endpoint, '/api/scheduler/history', { query: { limit }, signal }),
    criteria: (call) => requestJson(endpoint, '/api/scheduler/criteria', { signal: call?.signal }),
    preview: (asked = {}, call) =>
      requestJson(endpoint, '/api/scheduler/preview', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(asked),
        signal: call?.signal,
      }),
    info: (call) => requestJson(endpoint, '/api/scheduling-info', { signal: call?.signal }),
    activate: (algorithm, call) =>
      requestJson(endpoint, `/api/scheduler/activate/${encodeURIComponent(algorithm)}`, {
        method: 'POST',
        signal: call?.signal,
      }),
  };
}
