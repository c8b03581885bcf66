// The evaluation part of the client: metrics about how well the work went.

import type {
  attemptHistorySchema,
  evaluationMetricsSchema,
  exportedAttemptSchema,
  loadDistributionSchema,
  throughputHistorySchema,
  workerPerformanceSchema,
} from '../protocol/schemas/evaluation.ts';
import { linesOf } from './ndjson.ts';
import { type Endpoint, requestJson, requestText } from './request.ts';

type Answer<Schema extends { readonly _zod: { readonly output: unknown } }> = Readonly<
  Schema['_zod']['output']
>;

export type AttemptHistory = Answer<typeof attemptHistorySchema>;
export type EvaluationMetrics = Answer<typeof evaluationMetricsSchema>;
export type ExportedAttempt = Answer<typeof exportedAttemptSchema>;
export type LoadDistribution = Answer<typeof loadDistributionSchema>;
export type ThroughputHistory = Answer<typeof throughputHistorySchema>;
export type WorkerPerformance = Answer<typeof workerPerformanceSchema>;

export interface EvaluationPeriod {
  /** Only this job. */
  readonly jobId?: string;
  /** Only from this time on. */
  readonly since?: Date | string;
  /** Only before this time; of `attempts`, what was assigned before. */
  readonly until?: Date | string;
  readonly signal?: AbortSignal;
}

export interface HistoryPeriod extends EvaluationPeriod {
  /** Length of one point; 10 s by default. */
  readonly bucketSeconds?: number;
}

export interface AttemptsFilter extends EvaluationPeriod {
  readonly workerId?: string;
  /** 1000 by default, at most 10 000. */
  readonly limit?: number;
}

export type ExportFilter = Omit<AttemptsFilter, 'limit'>;

export interface EvaluationClient {
  metrics(period?: EvaluationPeriod): Promise<EvaluationMetrics>;
  loadDistribution(period?: EvaluationPeriod): Promise<LoadDistribution>;
  /** Oldest first. */
  throughputHistory(period?: HistoryPeriod): Promise<ThroughputHistory>;
  workerPerformance(period?: EvaluationPeriod): Promise<readonly WorkerPerformance[]>;
  /** Who did what when: live attempts, then those that are over, newest end first. */
  attempts(filter?: AttemptsFilter): Promise<AttemptHistory>;
  /**
   * Every attempt that is over and stored, by job (newest first), index and number, as it comes. Throws a
   * `ConnectionError` when the connection breaks: what came until then is not all.
   */
  exportAttempts(filter?: ExportFilter): AsyncGenerator<ExportedAttempt, void, void>;
}

export function evaluationClient(endpoint: Endpoint): EvaluationClient {
  const get = <T>(view: string, period: HistoryPeriod & AttemptsFilter = {}) =>
    requestJson<T>(endpoint, `/api/evaluation/${view}`, {
      query: {
        job_id: period.jobId,
        worker_id: period.workerId,
        since: timeOf(period.since),
        until: timeOf(period.until),
        limit: period.limit,
        bucket_seconds: period.bucketSeconds,
      },
      signal: period.signal,
    });
  return {
    metrics: (period) => get('metrics', period),
    loadDistribution: (period) => get('load-distribution', period),
    throughputHistory: (period) => get('throughput-history', period),
    workerPerformance: (period) => get('worker-performance', period),
    attempts: (filter) => get('attempts', filter),
    exportAttempts: (filter) => exportedAttempts(endpoint, filter),
  };
}

async function* exportedAttempts(
  endpoint: Endpoint,
  { jobId, workerId, since, until, signal }: ExportFilter = {},
): AsyncGenerator<ExportedAttempt, void, void> {
  const text = requestText(endpoint, '/api/evaluation/attempts', {
    headers: { accept: 'application/x-ndjson' },
    query: {
      format: 'ndjson',
      job_id: jobId,
      worker_id: workerId,
      since: timeOf(since),
      until: timeOf(until),
    },
    signal,
  });
  for await (const line of linesOf(text)) yield JSON.parse(line) as ExportedAttempt;
}

function timeOf(time: Date | string | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
