// What is read of one subject. Each part comes by itself.

import type {
  AttemptHistory,
  EvaluationMetrics,
  LoadDistribution,
  ThroughputHistory,
  WorkerPerformance,
} from '../../../../protocol/evaluation.ts';
import { coordinatorTime } from '../../store/clock.ts';
import type { JobHead } from '../../store/cluster.ts';
import { pathOfJob, type Query, read } from '../../store/endpoint.ts';
import { type Part, usePart } from '../../store/resource.ts';
import { endedBefore } from './spread.ts';
import { beginOf, bucketSeconds, endOf, queryOf, type Subject, textOf } from './subject.ts';

const againMs = 15_000;
const mostAttempts = 5_000;
const mostJobs = 200;

export interface Throughput extends ThroughputHistory {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Until then all is counted: the last step may reach further than what is asked for. */
  readonly countedUntilMs: number;
}

export interface Findings {
  readonly subject: Subject;
  readonly metrics: Part<EvaluationMetrics>;
  readonly load: Part<LoadDistribution>;
  readonly performance: Part<readonly WorkerPerformance[]>;
  readonly attempts: Part<AttemptHistory>;
  readonly throughput: Part<Throughput>;
  /** Those that ended in it, newest first; of a job that job alone. */
  readonly jobs: Part<readonly JobHead[]>;
}

/** Null: nothing is read. `job`: of a time, what this job did in it. */
export function useFindings(
  asked: Subject | null,
  fallback: Subject,
  job: string | null = null,
): Findings {
  const subject = asked ?? fallback;
  const options = { everyMs: againMs, isOff: asked === null };
  const key = `${textOf(subject)} ${job ?? ''}`;
  const get = <T>(view: string, more: Query = {}): Part<T> =>
    usePart(
      `${view} of ${key}`,
      (signal) =>
        read<T>(
          `/api/evaluation/${view}`,
          { ...queryOf(subject, coordinatorTime(), job), ...more },
          signal,
        ),
      options,
    );
  return {
    subject,
    metrics: get('metrics'),
    load: get('load-distribution'),
    performance: get('worker-performance'),
    attempts: usePart(
      `attempts of ${key}`,
      async (signal) => {
        const query = { ...queryOf(subject, coordinatorTime(), job), limit: mostAttempts };
        const history = await read<AttemptHistory>('/api/evaluation/attempts', query, signal);
        return endedBefore(history, query.until);
      },
      options,
    ),
    throughput: usePart(
      `throughput of ${key}`,
      (signal) => readThroughput(subject, job, signal),
      options,
    ),
    jobs: usePart(`jobs of ${key}`, (signal) => readJobs(subject, job, signal), options),
  };
}

async function readThroughput(
  subject: Subject,
  job: string | null,
  signal: AbortSignal,
): Promise<Throughput> {
  const nowMs = coordinatorTime();
  let [fromMs, untilMs] = [nowMs, nowMs];
  const id = subject.kind === 'job' ? subject.id : job;
  if (subject.kind === 'job') {
    const head = await readHead(subject.id, signal);
    fromMs = Date.parse(head.created_at);
    if (head.completed_at !== null) untilMs = Date.parse(head.completed_at);
  } else [fromMs, untilMs] = [beginOf(subject, nowMs), endOf(subject, nowMs)];
  const asked =
    subject.kind === 'job' ? { since: new Date(fromMs).toISOString() } : queryOf(subject, nowMs);
  const history = await read<ThroughputHistory>(
    '/api/evaluation/throughput-history',
    {
      ...asked,
      bucket_seconds: bucketSeconds(untilMs - fromMs),
      ...(id === null ? {} : { job_id: id }),
    },
    signal,
  );
  // A job that is short has a bucket at least.
  const leastMs = history.bucket_seconds * 1000;
  const end = Math.max(untilMs, fromMs + leastMs);
  const countedUntilMs =
    subject.kind === 'between' ? Math.min(nowMs, Math.ceil(end / leastMs) * leastMs) : end;
  return { ...history, fromMs, untilMs: end, countedUntilMs };
}

async function readJobs(
  subject: Subject,
  job: string | null,
  signal: AbortSignal,
): Promise<readonly JobHead[]> {
  if (subject.kind === 'job') return [await readHead(subject.id, signal)];
  const nowMs = coordinatorTime();
  const [from, until] = [beginOf(subject, nowMs), endOf(subject, nowMs)];
  const heads = await read<readonly JobHead[]>(
    '/api/jobs',
    { heads: true, limit: mostJobs, status: 'completed' },
    signal,
  );
  const isWithin = (ms: number): boolean => ms >= from && ms <= until;
  return heads.filter(
    ({ id, completed_at: at }) =>
      (job === null || id === job) && at !== null && isWithin(Date.parse(at)),
  );
}

function readHead(id: string, signal: AbortSignal): Promise<JobHead> {
  return read<JobHead>(pathOfJob(id), { tasks: false }, signal);
}
