// The client: one object with a method for everything that a coordinator offers to clients.

import type {
  JobDetail,
  JobStatus,
  JobSubmission,
  JobSummary,
  SystemStats,
  TaskResult,
  WorkerFailure,
  WorkerResource,
} from '../protocol/resources.ts';
import { type JobHead, jobHead, jobPath } from './job-head.ts';
import { type Endpoint, type Fetch, requestJson } from './request.ts';
import { resultLines, results, type ResultsOptions } from './results.ts';
import { schedulerClient, type SchedulerClient } from './scheduler.ts';
import { type StreamedJob, submit, type SubmitOptions, submitStream } from './submit.ts';

export interface ConnectOptions {
  readonly token?: string;
  /** The platform's `fetch` by default. */
  readonly fetch?: Fetch;
  /** How long the coordinator may take to answer; 30 s by default. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface JobsFilter extends CallOptions {
  readonly status?: JobStatus;
  readonly clientId?: string;
  readonly limit?: number;
  /** Id of the last job of the page before. */
  readonly after?: string;
}

/**
 * Every call rejects with `MusterError` (the coordinator says no), `ConnectionError` (it does not
 * answer), or the reason of the signal that ended it.
 */
export interface MusterClient {
  readonly url: string;
  readonly scheduler: SchedulerClient;
  /** Resolves when the job is durable. */
  submit(job: JobSubmission, options?: SubmitOptions): Promise<JobSummary>;
  /** The same for any number of inputs, read as they are sent; the job appears when all are there. */
  submitStream(
    job: StreamedJob,
    inputs: Iterable<unknown> | AsyncIterable<unknown>,
    options?: SubmitOptions,
  ): Promise<JobSummary>;
  /** Newest first. */
  jobs(filter?: JobsFilter): Promise<readonly JobSummary[]>;
  job(jobId: string, options?: CallOptions): Promise<JobDetail>;
  /** The job without its tasks: small, however many there are. */
  jobHead(jobId: string, options?: CallOptions): Promise<JobHead>;
  results(jobId: string, options?: ResultsOptions): AsyncIterable<TaskResult>;
  /** Each result beside its JSON text as it was sent. */
  resultLines(
    jobId: string,
    options?: ResultsOptions,
  ): AsyncIterable<{ readonly text: string; readonly result: TaskResult }>;
  cancel(jobId: string, options?: CallOptions): Promise<JobSummary>;
  /** Lets the failed tasks of a job run again. */
  retry(jobId: string, options?: CallOptions): Promise<JobSummary>;
  workers(options?: CallOptions): Promise<readonly WorkerResource[]>;
  /** Newest first. */
  failures(workerId: string, options?: CallOptions): Promise<readonly WorkerFailure[]>;
  /** The worker finishes what it has and takes nothing new. */
  drain(workerId: string, options?: CallOptions): Promise<WorkerResource>;
  resume(workerId: string, options?: CallOptions): Promise<WorkerResource>;
  deregister(workerId: string, options?: CallOptions): Promise<Deregistration>;
  stats(options?: CallOptions): Promise<SystemStats>;
}

export interface Deregistration {
  readonly worker_id: string;
  readonly status: 'deregistered';
  readonly requeued_tasks: number;
}

/** Opens nothing: the first call does. Throws a `TypeError` when `url` is not an HTTP address. */
export function connect(url: string, options: ConnectOptions = {}): MusterClient {
  const endpoint: Endpoint = {
    url: baseOf(url),
    token: options.token,
    fetch: options.fetch ?? ((address, init) => fetch(address, init)),
    timeoutMs: options.timeoutMs ?? 30_000,
  };
  const get = <T>(path: string, call?: CallOptions) =>
    requestJson<T>(endpoint, path, { signal: call?.signal });
  const act = <T>(path: string, call?: CallOptions, method: 'POST' | 'DELETE' = 'POST') =>
    requestJson<T>(endpoint, path, { method, signal: call?.signal });
  const worker = (workerId: string) => `/api/workers/${encodeURIComponent(workerId)}`;

  return {
    url: endpoint.url,
    scheduler: schedulerClient(endpoint),
    submit: (job, call) => submit(endpoint, job, call),
    submitStream: (job, inputs, call) => submitStream(endpoint, job, inputs, call),
    jobs: ({ status, clientId, limit, after, signal } = {}) =>
      requestJson(endpoint, '/api/jobs', {
        query: { status, client_id: clientId, limit, after },
        signal,
      }),
    job: (jobId, call) => get(jobPath(jobId), call),
    jobHead: (jobId, call) => jobHead(endpoint, jobId, call?.signal),
    results: (jobId, call) => results(endpoint, jobId, call),
    resultLines: (jobId, call) => resultLines(endpoint, jobId, call),
    cancel: (jobId, call) => act(`${jobPath(jobId)}/cancel`, call),
    retry: (jobId, call) => act(`${jobPath(jobId)}/retry`, call),
    workers: (call) => get('/api/workers', call),
    failures: (workerId, call) => get(`${worker(workerId)}/failures`, call),
    drain: (workerId, call) => act(`${worker(workerId)}/drain`, call),
    resume: (workerId, call) => act(`${worker(workerId)}/resume`, call),
    deregister: (workerId, call) => act(worker(workerId), call, 'DELETE'),
    stats: (call) => get('/api/stats', call),
  };
}

function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new TypeError(
      `"${url}" is not the address of a coordinator; one looks like http://127.0.0.1:8000`,
    );
  }
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '');
}
