// The client: one object with a method for everything that a coordinator offers to clients.

import type { AuditResource } from '../protocol/audit.ts';
import type { ClusterResource } from '../protocol/cluster.ts';
import type { TaskExplanation } from '../protocol/explanations.ts';
import type { Limits } from '../protocol/limits.ts';
import type {
  CheckpointRecord,
  JobDetail,
  JobErrors,
  JobSummary,
  RecoveryEvent,
  SystemStats,
  TaskDetail,
  TaskListing,
  TaskMap,
  TaskResult,
  TaskStatus,
} from '../protocol/resources.ts';
import type { WorkerDetail, WorkerFailure, WorkerResource } from '../protocol/workers.ts';
import type { WorkerSeriesName } from '../protocol/worker-series.ts';
import type { JobNotification } from '../protocol/notifications.ts';
import type { JoinLinkResource } from '../protocol/tokens.ts';
import {
  type Ask,
  canPin,
  isNode,
  loadPinning,
  type PinnedAddress,
  pinnedAddress,
} from '../transport/index.ts';
import { type AuditFilter, readAudit } from './audit.ts';
import {
  type BlobBytes,
  type BlobOptions,
  type BlobRef,
  getBlob,
  getBlobBytes,
  putBlob,
} from './blobs.ts';
import type { Bytes } from './bytes.ts';
import { jobProgram, type OutputOptions, taskOutput } from './debugging.ts';
import { evaluationClient, type EvaluationClient } from './evaluation.ts';
import { eventPlace, events, type EventsOptions, type MusterEvent } from './events.ts';
import type { FollowedJob } from './followed-job.ts';
import type { InputRange, Inputs } from './input-source.ts';
import { type JobHead, jobHead, jobPath } from './job-head.ts';
import { type JobsFilter, listJobs } from './job-list.ts';
import type { Json } from './json-type.ts';
import {
  type MapInputs,
  type MapJob,
  type MapOutcome,
  type MapProgram,
  type MapResult,
  MapRun,
} from './map.ts';
import type { MapOptions } from './map-options.ts';
import { type PrintedOptions, type PrintedText, printedTexts } from './printed.ts';
import {
  type Endpoint,
  type Exact,
  type Fetch,
  requestExact,
  requestJson,
  type TokenSource,
} from './request.ts';
import type { ResultLine } from './result-line.ts';
import { resultLines, results, type ResultsOptions } from './results.ts';
import { fetchSession, type SessionResource } from './session.ts';
import { schedulerClient, type SchedulerClient } from './scheduler.ts';
import {
  type StreamedJob,
  submit,
  submitAndFollow,
  type SubmitOptions,
  submitStream,
  submitStreamAndFollow,
  type SubmittedJob,
} from './submit.ts';
import type { SentAlong } from './task-function.ts';
import { fetchCluster } from './cluster.ts';
import { fetchQuota, type QuotaUse } from './quotas.ts';
import { joinLink, type JoinLinkAsked, tokenClient, type TokenClient } from './tokens.ts';

export interface ConnectOptions {
  /** Where the coordinator asks for one; a function is called for every request. */
  readonly token?: TokenSource;
  /**
   * Of the coordinator's certificate, for an address with https. It may be a part of the address instead
   * (`https://host:8000#k=<pin>`). In Node only: browsers cannot pin.
   */
  readonly pin?: string;
  /**
   * By default the platform's `fetch`; in Node its own `http` and `https`, unless somebody has replaced `fetch` or given
   * it a dispatcher (a proxy). Does not go with a pin.
   */
  readonly fetch?: Fetch;
  /** How long the coordinator may take to answer; 30 s by default. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface WorkersFilter extends CallOptions {
  /** Workers that a person may mean by it: an id, its beginning or its end, or a name. */
  readonly handle?: string;
  /** Each worker comes with these of what it has measured in the last minutes. */
  readonly series?: readonly WorkerSeriesName[];
  /** How many points each series has, a point each five seconds; 60 by default, which is the most. */
  readonly points?: number;
}

export interface DrainOptions extends CallOptions {
  /**
   * From now on: what the worker still has then is given to others. Null: never. Left out: as it is, never at
   * first.
   */
  readonly deadlineSeconds?: number | null;
}

export interface TasksFilter extends CallOptions {
  readonly status?: TaskStatus;
  /** Index of the last task of the page before. */
  readonly after?: number;
  readonly limit?: number;
  /** With the input of each; a page may be shorter then, and only an empty one is behind the last. */
  readonly inputs?: boolean;
}

export interface ErrorsOptions extends CallOptions {
  /** Kinds that are listed; 20 by default, at most 100. */
  readonly limit?: number;
}

export interface TaskMapOptions extends CallOptions {
  /** Index of the first task; 0 by default. */
  readonly from?: number;
  /** Index behind the last task; by default all are in it. */
  readonly to?: number;
  /** How many cells at most: 1 to 4000. */
  readonly cells?: number;
}

export interface FailuresOptions extends CallOptions {
  readonly limit?: number;
}

export interface ExplainOptions extends CallOptions {
  /** The attempt whose placement is explained; the newest by default. */
  readonly attempt?: number;
}

/**
 * Every call rejects with `MusterError` (the coordinator says no), `ConnectionError` (it does not
 * answer), or the reason of the signal that ended it.
 */
export interface MusterClient {
  readonly url: string;
  readonly scheduler: SchedulerClient;
  readonly evaluation: EvaluationClient;
  /** For admins. */
  readonly tokens: TokenClient;
  /** What was done, and by whom, newest first; for admins. */
  audit(filter?: AuditFilter): Promise<readonly AuditResource[]>;
  /** Which coordinators share the database, and which of them leads. */
  cluster(options?: CallOptions): Promise<ClusterResource>;
  /** The quotas of the token that is used, and what is used of each. */
  quota(options?: CallOptions): Promise<QuotaUse>;
  /** Who asks: what the token that is used may do, and whose it is. */
  session(options?: CallOptions): Promise<SessionResource>;
  /** A link with which a device joins, for admins; whoever has it can, until it has ended. */
  joinLink(asked?: JoinLinkAsked, options?: CallOptions): Promise<JoinLinkResource>;
  /**
   * Runs a function on every input, on the workers of the coordinator. It starts at once. Awaited, it
   * gives all results in the order of the inputs; iterated, each result when it comes. A function that
   * cannot run elsewhere rejects with a `ProgramError` before anything is sent.
   */
  map<Output, With extends SentAlong = SentAlong>(
    inputs: InputRange,
    program: MapProgram<number, Output, With>,
    options: MapOptions<With> & { readonly failures: 'collect' },
  ): MapJob<MapOutcome<Output>, MapOutcome<Output>>;
  map<Output, With extends SentAlong = SentAlong>(
    inputs: InputRange,
    program: MapProgram<number, Output, With>,
    options?: MapOptions<With> & { readonly failures?: 'reject' },
  ): MapJob<Output, MapResult<Output>>;
  map<Input, Output, With extends SentAlong = SentAlong>(
    inputs: MapInputs<Input>,
    program: MapProgram<Input, Output, With>,
    options: MapOptions<With> & { readonly failures: 'collect' },
  ): MapJob<MapOutcome<Output>, MapOutcome<Output>>;
  map<Input, Output, With extends SentAlong = SentAlong>(
    inputs: MapInputs<Input>,
    program: MapProgram<Input, Output, With>,
    options?: MapOptions<With> & { readonly failures?: 'reject' },
  ): MapJob<Output, MapResult<Output>>;
  /** Resolves when the job is durable. */
  submit<Input>(job: SubmittedJob<Input>, options?: SubmitOptions): Promise<JobSummary>;
  /**
   * The same for any number of inputs, read while they are sent. The job exists once all have
   * arrived.
   */
  submitStream<Input>(
    job: StreamedJob,
    inputs: MapInputs<Input>,
    options?: SubmitOptions,
  ): Promise<JobSummary>;
  /**
   * `submit`, and the results of the job in the answer to it. Read its `lines`, or `leave` them: the answer stays open
   * until then.
   */
  submitAndFollow<Input>(job: SubmittedJob<Input>, options?: SubmitOptions): Promise<FollowedJob>;
  /** The same for `submitStream`; inputs that can be read only once are followed by a second request. */
  submitStreamAndFollow<Input>(
    job: StreamedJob,
    inputs: MapInputs<Input>,
    options?: SubmitOptions,
  ): Promise<FollowedJob>;
  /**
   * Uploads bytes as they are, or any other value as JSON. The reference that it returns may be an input
   * of jobs, where it stands for the JSON in the blob.
   */
  putBlob<Value>(
    value: BlobBytes | (Value & NoInfer<Json<Value>>),
    options?: BlobOptions,
  ): Promise<BlobRef>;
  /** The value of the JSON in a blob, for example of a result that is `{ $blob }`. */
  getBlob(ref: BlobRef, options?: BlobOptions): Promise<unknown>;
  getBlobBytes(ref: BlobRef, options?: BlobOptions): Promise<Bytes>;
  /** Newest first. */
  jobs(filter: JobsFilter & { readonly heads: true }): Promise<readonly JobHead[]>;
  jobs(filter?: JobsFilter): Promise<readonly JobSummary[]>;
  job(jobId: string, options?: CallOptions): Promise<JobDetail>;
  /** The job without its tasks: small, however many there are. */
  jobHead(jobId: string, options?: CallOptions): Promise<JobHead>;
  /** Who was told of its end, newest first. */
  notifications(jobId: string, options?: CallOptions): Promise<readonly JobNotification[]>;
  results(jobId: string, options?: ResultsOptions): AsyncIterable<TaskResult>;
  /** A page of its tasks in index order, of one status or of all; 100 by default, at most 1000. */
  tasks(jobId: string, filter?: TasksFilter): Promise<readonly TaskListing[]>;
  /** The same page beside its JSON text as it was sent. */
  exactTasks(jobId: string, filter?: TasksFilter): Promise<Exact<readonly TaskListing[]>>;
  /** What went wrong in the job, by kinds of error, the most frequent first. */
  errors(jobId: string, options?: ErrorsOptions): Promise<JobErrors>;
  /**
   * How its tasks stand by their indices: counts by status in cells of so many consecutive tasks, at most 2500
   * cells by default.
   */
  taskMap(jobId: string, options?: TaskMapOptions): Promise<TaskMap>;
  /** Everything about one task: input, attempts, times, error, checkpoints, result. */
  task(jobId: string, index: number, options?: CallOptions): Promise<TaskDetail>;
  /** The same beside its JSON text as it was sent. */
  exactTask(jobId: string, index: number, options?: CallOptions): Promise<Exact<TaskDetail>>;
  /** Why the task is where it is: what it waits for, or the decision that placed it. */
  explain(jobId: string, index: number, options?: ExplainOptions): Promise<TaskExplanation>;
  /**
   * What an attempt of a task printed; without a number, the newest of which something is kept. Null when
   * nothing is.
   */
  output(jobId: string, index: number, options?: OutputOptions): Promise<string | null>;
  /** The program of a job, as it was submitted. */
  program(jobId: string, options?: CallOptions): Promise<string>;
  /** Oldest first. */
  checkpoints(jobId: string, options?: CallOptions): Promise<readonly CheckpointRecord[]>;
  /** Events from now on. The stream goes on by itself when the connection breaks. */
  events(options?: EventsOptions): AsyncIterable<MusterEvent>;
  /** The id of the newest event, for `lastEventId`: nothing that happens from now on is missed. */
  eventPlace(options?: CallOptions): Promise<string>;
  /** What the tasks of a job print while they run, if it was submitted with `live_output`. Ends with the job. */
  printed(jobId: string, options?: PrintedOptions): AsyncIterable<PrintedText>;
  /** Each result together with its JSON text as it was sent. */
  resultLines(jobId: string, options?: ResultsOptions): AsyncIterable<ResultLine>;
  cancel(jobId: string, options?: CallOptions): Promise<JobSummary>;
  /** Lets the failed tasks of a job run again. */
  retry(jobId: string, options?: CallOptions): Promise<JobSummary>;
  /** Nothing new of the job starts until it is released; what runs goes on. */
  hold(jobId: string, options?: CallOptions): Promise<JobSummary>;
  release(jobId: string, options?: CallOptions): Promise<JobSummary>;
  /** Removes a job that has ended, and everything that belongs to it. */
  deleteJob(jobId: string, options?: CallOptions): Promise<DeletedJob>;
  workers(filter?: WorkersFilter): Promise<readonly WorkerResource[]>;
  /** One worker with what it does now. */
  worker(workerId: string, options?: CallOptions): Promise<WorkerDetail>;
  /** Newest first; at most 10 000. */
  failures(workerId: string, options?: FailuresOptions): Promise<readonly WorkerFailure[]>;
  /**
   * The worker gets nothing new. A running task that saves its state is handed over at its next checkpoint,
   * others may come to their end.
   */
  drain(workerId: string, options?: DrainOptions): Promise<WorkerResource>;
  resume(workerId: string, options?: CallOptions): Promise<WorkerResource>;
  /** Lets in a worker that waits for it; changes nothing when it is in. */
  approve(workerId: string, options?: CallOptions): Promise<WorkerResource>;
  /** Removes a worker that waits to be let in. */
  refuse(workerId: string, options?: CallOptions): Promise<RefusedWorker>;
  /** The name wins over what the worker says of itself, for good. */
  rename(workerId: string, name: string, options?: CallOptions): Promise<WorkerResource>;
  deregister(workerId: string, options?: CallOptions): Promise<Deregistration>;
  /** Attempts that were lost, and what became of their tasks; newest first. */
  recoveryEvents(options?: CallOptions): Promise<readonly RecoveryEvent[]>;
  stats(options?: CallOptions): Promise<SystemStats>;
  /** The limits that the coordinator enforces. */
  limits(options?: CallOptions): Promise<LimitsResource>;
  /** Removes all jobs, tasks, workers and checkpoints. */
  clear(options?: CallOptions): Promise<Cleared>;
}

export interface DeletedJob {
  readonly job_id: string;
  readonly status: 'deleted';
}

export interface Cleared {
  readonly deleted: {
    readonly jobs: number;
    readonly tasks: number;
    readonly workers: number;
    readonly checkpoints: number;
  };
}

type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Text;

export type LimitsResource = { readonly [Name in keyof Limits as SnakeCase<Name>]: number };

export interface RefusedWorker {
  readonly worker_id: string;
  readonly status: 'refused';
}

export interface Deregistration {
  readonly worker_id: string;
  readonly status: 'deregistered';
  readonly requeued_tasks: number;
}

/**
 * Sends nothing: the first call does. Throws a `TypeError` when `url` is not an HTTP address, or a pin
 * cannot be checked.
 */
export function connect(url: string, options: ConnectOptions = {}): MusterClient {
  const address = pinnedAddress(url, options.pin);
  const endpoint: Endpoint = {
    url: baseOf(address.url),
    token: options.token,
    fetch: askFor(address, options),
    timeoutMs: options.timeoutMs ?? 30_000,
    state: { hasAnswered: false },
  };
  const get = <T>(path: string, call?: CallOptions) =>
    requestJson<T>(endpoint, path, { signal: call?.signal });
  const act = <T>(path: string, call?: CallOptions, method: 'POST' | 'DELETE' = 'POST') =>
    requestJson<T>(endpoint, path, { method, signal: call?.signal });
  const exactTasks: MusterClient['exactTasks'] = (
    jobId,
    { status, after, limit, inputs, signal } = {},
  ) =>
    requestExact(endpoint, `${jobPath(jobId)}/tasks`, {
      query: { status, after, limit, inputs },
      signal,
    });
  const exactTask: MusterClient['exactTask'] = (jobId, index, call) =>
    requestExact(endpoint, `${jobPath(jobId)}/tasks/${index}`, { signal: call?.signal });
  const worker = (workerId: string) => `/api/workers/${encodeURIComponent(workerId)}`;

  return {
    url: endpoint.url,
    scheduler: schedulerClient(endpoint),
    evaluation: evaluationClient(endpoint),
    tokens: tokenClient(endpoint),
    audit: (filter = {}) => readAudit(endpoint, filter),
    cluster: (call) => fetchCluster(endpoint, call?.signal),
    quota: (call) => fetchQuota(endpoint, call?.signal),
    session: (call) => fetchSession(endpoint, call?.signal),
    joinLink: (asked = {}, call) => joinLink(endpoint, asked, call?.signal),
    // The compiler cannot know what workers return: the declared type of the function is trusted.
    map: (inputs: Inputs | InputRange, program: unknown, call?: MapOptions) =>
      new MapRun(endpoint, {
        inputs,
        program: program as MapProgram<never, unknown, never>,
        options: call ?? {},
      }) as never,
    submit: (job, call) => submit(endpoint, job, call),
    submitStream: (job, inputs, call) => submitStream(endpoint, job, inputs, call),
    submitAndFollow: (job, call) => submitAndFollow(endpoint, job, call),
    submitStreamAndFollow: (job, inputs, call) =>
      submitStreamAndFollow(endpoint, job, inputs, call),
    putBlob: (value, call) => putBlob(endpoint, value, call),
    getBlob: (ref, call) => getBlob(endpoint, ref, call),
    getBlobBytes: (ref, call) => getBlobBytes(endpoint, ref, call),
    // Heads, where they are asked for.
    jobs: (filter?: JobsFilter) => listJobs<JobHead>(endpoint, filter),
    job: (jobId, call) => get(jobPath(jobId), call),
    jobHead: (jobId, call) => jobHead(endpoint, jobId, call?.signal),
    notifications: (jobId, call) => get(`${jobPath(jobId)}/notifications`, call),
    results: (jobId, call) => results(endpoint, jobId, call),
    resultLines: (jobId, call) => resultLines(endpoint, jobId, call),
    tasks: async (jobId, filter) => (await exactTasks(jobId, filter)).value,
    exactTasks,
    errors: (jobId, { limit, signal } = {}) =>
      requestJson(endpoint, `${jobPath(jobId)}/errors`, { query: { limit }, signal }),
    taskMap: (jobId, { from, to, cells, signal } = {}) =>
      requestJson(endpoint, `${jobPath(jobId)}/task-map`, { query: { from, to, cells }, signal }),
    task: async (jobId, index, call) => (await exactTask(jobId, index, call)).value,
    exactTask,
    explain: (jobId, index, { attempt, signal } = {}) =>
      requestJson(endpoint, `${jobPath(jobId)}/tasks/${index}/explain`, {
        query: { attempt },
        signal,
      }),
    output: (jobId, index, call) => taskOutput(endpoint, jobId, index, call),
    program: (jobId, call) => jobProgram(endpoint, jobId, call?.signal),
    checkpoints: (jobId, call) => get(`/api/checkpoints/job/${encodeURIComponent(jobId)}`, call),
    events: (call) => events(endpoint, call),
    eventPlace: (call) => eventPlace(endpoint, call?.signal),
    printed: (jobId, call) => printedTexts(endpoint, jobId, call),
    cancel: (jobId, call) => act(`${jobPath(jobId)}/cancel`, call),
    retry: (jobId, call) => act(`${jobPath(jobId)}/retry`, call),
    hold: (jobId, call) => act(`${jobPath(jobId)}/hold`, call),
    release: (jobId, call) => act(`${jobPath(jobId)}/release`, call),
    deleteJob: (jobId, call) => act(jobPath(jobId), call, 'DELETE'),
    workers: ({ handle, series, points, signal } = {}) =>
      requestJson(endpoint, '/api/workers', {
        query: { handle, series: series?.join(','), points },
        signal,
      }),
    worker: (workerId, call) => get(worker(workerId), call),
    failures: (workerId, { limit, signal } = {}) =>
      requestJson(endpoint, `${worker(workerId)}/failures`, { query: { limit }, signal }),
    drain: (workerId, { deadlineSeconds, signal } = {}) =>
      requestJson(endpoint, `${worker(workerId)}/drain`, {
        method: 'POST',
        query: { deadline_seconds: deadlineSeconds === null ? 'none' : deadlineSeconds },
        signal,
      }),
    resume: (workerId, call) => act(`${worker(workerId)}/resume`, call),
    approve: (workerId, call) => act(`${worker(workerId)}/approve`, call),
    refuse: (workerId, call) => act(`${worker(workerId)}/refuse`, call),
    rename: (workerId, name, call) =>
      requestJson(endpoint, `${worker(workerId)}/name`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
        signal: call?.signal,
      }),
    deregister: (workerId, call) => act(worker(workerId), call, 'DELETE'),
    recoveryEvents: (call) => get('/api/checkpoints/recovery-events', call),
    stats: (call) => get('/api/stats', call),
    limits: (call) => get('/api/limits', call),
    clear: (call) => act('/api/database/clear', call, 'DELETE'),
  };
}

function askFor({ pin }: PinnedAddress, { fetch: given }: ConnectOptions): Ask {
  if (pin === undefined) return given ?? platformAsk();
  if (given !== undefined) {
    throw new TypeError('A pin cannot be checked by a fetch of your own: leave one of them away');
  }
  if (!canPin()) {
    throw new TypeError(
      'A page cannot pin a certificate, only Node 20.16 or newer can: use the address without the pin, ' +
        'and give the coordinator a certificate that browsers trust',
    );
  }
  let pinned: Promise<Ask> | undefined;
  return async (url, init) => {
    pinned ??= loadPinning().then(({ createPinnedAsk }) => createPinnedAsk(pin));
    return (await pinned)(url, init);
  };
}

/** In Node its own `http`, which costs a third of `fetch`; where somebody has said how to fetch, that counts. */
function platformAsk(): Ask {
  let own: Promise<Ask> | undefined;
  return async (url, init) => {
    // By its present name: it may be replaced at any time.
    if (fetch !== fetchAtFirst || (own === undefined && !isNode())) return fetch(url, init);
    own ??= loadPinning().then(({ createNodeAsk }) => createNodeAsk());
    return (await own)(url, init);
  };
}

const fetchAtFirst = globalThis.fetch;

function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new TypeError(
      `"${url}" is not the address of a coordinator; one looks like http://127.0.0.1:8000`,
    );
  }
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '');
}
