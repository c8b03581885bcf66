// The answers of the evaluation endpoints, from stored records: how well the work went. Open jobs and
// registered workers come from memory, the rest from the store, which gives other work a turn while it
// sums. So a commit in between may be in one part of an answer and not in another.

import { countersOf } from '../../core/owner.ts';
import type { JobRecord, WorkerRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import { type CountedJob, JobTotals } from '../../evaluation/job-totals.ts';
import { loadDistribution } from '../../evaluation/load-distribution.ts';
import { metrics } from '../../evaluation/metrics.ts';
import { fillHistory, planHistory } from '../../evaluation/throughput-history.ts';
import { workerPerformance } from '../../evaluation/worker-performance.ts';
import { type KnownWorker, type Period, workersOf } from '../../evaluation/worker-work.ts';
import type {
  AttemptHistory,
  EvaluationMetrics,
  LoadDistribution,
  ThroughputHistory,
  WorkerPerformance,
} from '../../protocol/evaluation.ts';
import type { CheckpointSum, JobRow, WorkerRow } from '../../store/rows.ts';
import { bucketsEnd, firstBucket } from '../../store/sums.ts';
import type { PeriodFilter, Reading } from '../../store/reading.ts';
import { isoTime } from '../iso-time.ts';
import type { AttemptsAsked, EvaluationPort, EvaluationQuery, ExportAsked } from '../port/reads.ts';
import type { AttemptExport } from './attempt-export.ts';
import type { AttemptReads } from './attempt-reads.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

export interface EvaluationOptions {
  readonly state: State;
  readonly store: Reading;
  readonly loop: Pick<WriterLoop, 'settled'>;
  readonly attempts: Pick<AttemptReads, 'find'>;
  readonly attemptExport: Pick<AttemptExport, 'find'>;
  readonly now: () => number;
  /** Resolves after other work had a turn of the event loop. */
  readonly turn: () => Promise<void>;
  /** Mean over all decisions since the start; null before the first. */
  readonly meanDecisionMicroseconds?: () => number | null;
}

/** Every answer is undefined when there is no such job. */
export class Evaluation implements EvaluationPort {
  private readonly options: EvaluationOptions;

  constructor(options: EvaluationOptions) {
    this.options = options;
  }

  async metrics(query: EvaluationQuery): Promise<EvaluationMetrics | undefined> {
    const { store, turn } = this.options;
    const scope = await this.scope(query);
    if (scope === undefined) return undefined;
    // Each step takes some milliseconds after the last turn that it gave: together they would be a stall.
    const totals = await this.totals(scope);
    await turn();
    const { works, counted } = await this.works(scope);
    await turn();
    const recoveries = await store.sumRecoveries(scope.filter);
    await turn();
    const checkpoints = await store.sumCheckpoints(scope.filter);
    await turn();
    const isPartial = scope.filter.since !== undefined || scope.filter.until !== undefined;
    const found = metrics({ totals, works, counted, recoveries, isPartial });
    return wireMetrics(found, checkpoints, scope.scheduler);
  }

  async loadDistribution(query: EvaluationQuery): Promise<LoadDistribution | undefined> {
    const scope = await this.scope(query);
    if (scope === undefined) return undefined;
    const distribution = loadDistribution((await this.works(scope)).works);
    return {
      jains_fairness_index: distribution.jainsFairnessIndex,
      coefficient_of_variation: distribution.coefficientOfVariation,
      workers: distribution.workers.map((worker) => ({
        worker_id: worker.workerId,
        name: worker.name,
        registered: worker.isRegistered,
        type: worker.type,
        tasks_completed: worker.tasksCompleted,
        tasks_failed: worker.tasksFailed,
        active_tasks: worker.activeTasks,
        busy_seconds: worker.busySeconds,
        share: worker.share,
      })),
    };
  }

  async workerPerformance(
    query: EvaluationQuery,
  ): Promise<readonly WorkerPerformance[] | undefined> {
    const scope = await this.scope(query);
    if (scope === undefined) return undefined;
    const { works } = await this.works(scope);
    return workerPerformance(works).map((worker) => ({
      worker_id: worker.workerId,
      name: worker.name,
      registered: worker.isRegistered,
      type: worker.type,
      platform: worker.platform,
      tasks_completed: worker.tasksCompleted,
      tasks_failed: worker.tasksFailed,
      average_task_time_seconds: worker.averageTaskTimeSeconds,
      throughput: worker.throughput,
      energy_joules: worker.energyJoules,
      energy_joules_per_task: worker.energyJoulesPerTask,
      failure_rate: worker.failureRate,
    }));
  }

  /** Here `since` is rounded down to the bucket that it lies in. */
  async throughputHistory(
    query: EvaluationQuery & { readonly bucketSeconds?: number },
  ): Promise<ThroughputHistory | undefined> {
    const { store, now } = this.options;
    const scope = await this.scope(query);
    if (scope === undefined) return undefined;
    const plan = planHistory({ ...query, now: now() });
    const { bucketSeconds, from, to } = plan;
    const { jobKey, owner } = scope.filter;
    const counts = await store.sumThroughput({
      ...(jobKey === undefined ? {} : { jobKey }),
      ...(owner === undefined ? {} : { owner }),
      from,
      to,
      bucketMs: bucketSeconds * 1000,
    });
    return {
      bucket_seconds: bucketSeconds,
      points: fillHistory(plan, counts).map((point) => ({
        at: isoTime(point.at),
        tasks_completed: point.tasksCompleted,
        tasks_failed: point.tasksFailed,
        throughput: point.throughput,
      })),
    };
  }

  attempts(asked: AttemptsAsked): Promise<AttemptHistory | undefined> {
    return this.options.attempts.find(asked);
  }

  exportAttempts(asked: ExportAsked): ReturnType<EvaluationPort['exportAttempts']> {
    return this.options.attemptExport.find(asked);
  }

  /** What the query covers, and what memory knows of that at one moment. */
  private async scope({ jobId, since, until, owner }: EvaluationQuery): Promise<Scope | undefined> {
    const { state, loop, now, meanDecisionMicroseconds } = this.options;
    await loop.settled();
    const at = now();
    const [from, end] = [firstBucket(since), bucketsEnd(until)];
    const counters = owner === undefined ? state.counters : countersOf(state, owner);
    const everything: Scope = {
      at,
      filter: {
        ...(since === undefined ? {} : { since: from }),
        ...(until === undefined ? {} : { until: end }),
        ...(owner === undefined ? {} : { owner }),
      },
      period: { from, to: Math.min(at, end) },
      job: undefined,
      open: new Map(
        [...state.jobs.values()]
          .filter((job) => job.completedAt === null)
          .filter(({ spec }) => owner === undefined || spec.owner === owner)
          .map((job) => [job.spec.key, countedJob(job)]),
      ),
      workers: Array.from(state.workers.values(), (worker) => knownWorker(worker, at)),
      scheduler: {
        algorithm: state.config.algorithm,
        decisions: counters.decisions,
        decisions_by_algorithm: { ...counters.decisionsBy },
        mean_decision_microseconds: meanDecisionMicroseconds?.() ?? null,
      },
    };
    return jobId === undefined ? everything : this.ofJob(everything, jobId);
  }

  private async ofJob(scope: Scope, jobId: string): Promise<Scope | undefined> {
    const { state, store } = this.options;
    const record = state.jobs.get(jobId);
    const row = record === undefined ? await store.findJobHead(jobId) : undefined;
    const spec = (record ?? row)?.spec;
    const job = record === undefined ? row && countedRow(row) : countedJob(record);
    if (spec === undefined || job === undefined) return undefined;
    const { filter, period, at } = scope;
    if (filter.owner !== undefined && spec.owner !== filter.owner) return undefined;
    return {
      ...scope,
      job,
      filter: { ...filter, jobKey: spec.key },
      period: {
        from: Math.max(period.from, job.createdAt),
        to: Math.min(period.to, job.completedAt ?? at),
      },
    };
  }

  private async totals({ job, open, filter, at }: Scope): Promise<JobTotals> {
    const from = filter.since ?? -Infinity;
    const totals = new JobTotals({ from, until: filter.until ?? Infinity, now: at });
    if (job !== undefined) {
      if ((job.completedAt ?? at) >= from) totals.add(job);
      return totals;
    }
    for (const each of open.values()) totals.add(each);
    for await (const jobs of this.options.store.listEndedJobs(filter.since ?? null, filter.owner)) {
      // A job that has ended since was counted as open.
      for (const each of jobs) if (!open.has(each.key)) totals.add(each);
    }
    return totals;
  }

  /** A line for each worker that the period is about, and all that was counted in it. */
  private async works({ filter, period, workers }: Scope) {
    const { store, turn } = this.options;
    const known = [...workers];
    for await (const rows of store.listDepartedWorkers(filter.since ?? null)) {
      for (const row of rows) known.push(departedWorker(row));
    }
    await turn();
    const counted = await store.sumWork(filter);
    return { works: workersOf(period, known, counted), counted };
  }
}

interface Scope {
  readonly filter: PeriodFilter;
  /** The period whose online workers are counted. */
  readonly period: Period;
  /** The job that was asked for. */
  readonly job: CountedJob | undefined;
  /** Open jobs by key. */
  readonly open: ReadonlyMap<number, CountedJob>;
  readonly workers: readonly KnownWorker[];
  readonly scheduler: EvaluationMetrics['scheduler'];
  readonly at: number;
}

function countedJob({ spec, status, completedAt, counts }: JobRecord): CountedJob {
  const { createdAt, taskCount } = spec;
  const { completed, failed } = counts;
  return { status, createdAt, completedAt, taskCount, completed, failed };
}

function countedRow({ spec, status, completedAt, completed, failed }: JobRow): CountedJob {
  const { createdAt, taskCount } = spec;
  return { status, createdAt, completedAt, taskCount, completed, failed };
}

function knownWorker(worker: WorkerRecord, now: number): KnownWorker {
  const { id, key, name, type, platform, activeTasks, registeredAt, connection, lastSeenAt } =
    worker;
  const onlineUntil = connection.state === 'offline' ? lastSeenAt : now;
  const device = { id, key, name, isRegistered: true, type, platform };
  return { ...device, activeTasks, registeredAt, onlineUntil };
}

function departedWorker(row: WorkerRow): KnownWorker {
  const { id, key, name, type, platform, registeredAt, deregisteredAt, awaySince } = row;
  const onlineUntil = awaySince ?? deregisteredAt ?? registeredAt;
  const device = { id, key, name, isRegistered: false, type, platform };
  return { ...device, activeTasks: 0, registeredAt, onlineUntil };
}

function wireMetrics(
  found: ReturnType<typeof metrics>,
  checkpoints: CheckpointSum,
  scheduler: EvaluationMetrics['scheduler'],
): EvaluationMetrics {
  return {
    jobs: found.jobs,
    tasks: found.tasks,
    job_execution_time_seconds: found.jobExecutionTimeSeconds,
    average_task_time_seconds: found.averageTaskTimeSeconds,
    throughput_tasks_per_second: found.throughputTasksPerSecond,
    jains_fairness_index: found.jainsFairnessIndex,
    energy_joules: found.energyJoules,
    checkpoints: { count: checkpoints.count, bytes: checkpoints.storedBytes },
    recovery: {
      events: found.recovery.events,
      mean_seconds_to_resume: found.recovery.meanSecondsToResume,
      work_saved_seconds: found.recovery.workSavedSeconds,
      wasted_seconds: found.recovery.wastedSeconds,
    },
    scheduler,
  };
}
