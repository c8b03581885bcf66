// The evaluation part of the client: metrics about how well the work went.

import type {
  evaluationMetricsSchema,
  loadDistributionSchema,
  throughputHistorySchema,
  workerPerformanceSchema,
} from '../protocol/schemas/evaluation.ts';
import { type Endpoint, requestJson } from './request.ts';

type Answer<Schema extends { readonly _zod: { readonly output: unknown } }> = Readonly<
  Schema['_zod']['output']
>;

export type EvaluationMetrics = Answer<typeof evaluationMetricsSchema>;
export type LoadDistribution = Answer<typeof loadDistributionSchema>;
export type ThroughputHistory = Answer<typeof throughputHistorySchema>;
export type WorkerPerformance = Answer<typeof workerPerformanceSchema>;

export interface EvaluationPeriod {
  /** Only this job. */
  readonly jobId?: string;
  /** Only from this time on. */
  readonly since?: Date | string;
  readonly signal?: AbortSignal;
}

export interface HistoryPeriod extends EvaluationPeriod {
  /** Length of one point; 10 s by default. */
  readonly bucketSeconds?: number;
}

export interface EvaluationClient {
  metrics(period?: EvaluationPeriod): Promise<EvaluationMetrics>;
  loadDistribution(period?: EvaluationPeriod): Promise<LoadDistribution>;
  /** Oldest first. */
  throughputHistory(period?: HistoryPeriod): Promise<ThroughputHistory>;
  workerPerformance(period?: EvaluationPeriod): Promise<readonly WorkerPerformance[]>;
}

export function evaluationClient(endpoint: Endpoint): EvaluationClient {
  const get = <T>(view: string, period: HistoryPeriod = {}) =>
    requestJson<T>(endpoint, `/api/evaluation/${view}`, {
      query: {
        job_id: period.jobId,
        since: period.since instanceof Date ? period.since.toISOString() : period.since,
        bucket_seconds: period.bucketSeconds,
      },
      signal: period.signal,
    });
  return {
    metrics: (period) => get('metrics', period),
    loadDistribution: (period) => get('load-distribution', period),
    throughputHistory: (period) => get('throughput-history', period),
    workerPerformance: (period) => get('worker-performance', period),
  };
}
