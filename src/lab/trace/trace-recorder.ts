// Makes records of what a coordinator tells after its commits. It knows no file: what is to be written is handed on.

import type { WorkerDescription, MeasuredTelemetry } from '../../core/commands.ts';
import type { JobRecord, JobSpec, WorkerRecord } from '../../core/records.ts';
import type { SchedulerConfig } from '../../core/snapshot.ts';
import type { OverAttempt, ToldAs, ToldAttempt, ToldEvent } from '../../core/told-events.ts';
import { CodeBook } from './code-book.ts';
import { TelemetrySampler } from './telemetry-sampler.ts';
import type { PauseReason, RecordOf, TraceRecord } from './trace-format.ts';

/** Takes a record; `atMs` is now, in the time of the trace. */
export type Write = (record: TraceRecord, atMs: number) => void;

export interface RecordingBegin {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly config: SchedulerConfig;
  readonly workers: Iterable<WorkerRecord>;
  /** Those with open work. */
  readonly jobs: Iterable<JobRecord>;
}

/** More changes of priority within a job are not written. */
const mostRuns = 10_000;

/** What was seen of the checkpoints of a live attempt. */
interface Saved {
  count: number;
  bytes: number;
}

export class TraceRecorder {
  readonly #write: Write;
  readonly #codes = new CodeBook();
  readonly #sampler = new TelemetrySampler();
  readonly #leaving = new Set<string>();
  readonly #resting = new Set<string>();
  /** As they have described themselves. */
  readonly #described = new Map<string, Described>();
  /** By the attempt, which is the same object from its begin to its end. */
  readonly #saved = new WeakMap<object, Saved>();
  #beganAt = 0;

  constructor(write: Write) {
    this.#write = write;
  }

  /** What there is already, at the moment at which it was seen; `hear` goes on from there. */
  begin({ at, config, workers, jobs }: RecordingBegin): void {
    this.#beganAt = at;
    this.#scheduler(config, at);
    for (const worker of workers) {
      this.#described.set(worker.id, { ...worker, cores: coresIn(worker.telemetryJson) });
      if (worker.connection.state === 'connected') this.#joined(worker.id, at);
      if (worker.draining !== null) this.#paused(worker.id, 'draining', at);
    }
    for (const job of jobs) {
      if (job.openTasks === 0) continue;
      this.#job(job.spec, at, {
        isFromBefore: true,
        tasks: job.openTasks,
        isHeld: job.heldAt !== null,
      });
    }
  }

  /** In the time of the trace. */
  timeOf(at: number): number {
    return Math.round(at - this.#beganAt);
  }

  hear(events: readonly ToldEvent[]): void {
    for (const event of events) this.#hearOne(event);
  }

  #hearOne(event: ToldEvent): void {
    switch (event.type) {
      case 'clock_set':
        this.#beganAt += event.byMs;
        return;
      case 'scheduler_configured':
        return this.#scheduler(event.config, event.at);
      case 'database_cleared':
        this.#put({ type: 'cleared', at_ms: this.timeOf(event.at) }, event.at);
        return;
      case 'task_completed':
        return this.#completed(event);
      case 'attempt_ended':
        return this.#ended(event);
      case 'checkpoint_saved':
        return this.#checkpoint(event);
      case 'worker_observed':
        return this.#observed(event);
      default:
        return isOfJob(event) ? this.#hearJob(event) : this.#hearWorker(event);
    }
  }

  #hearJob(event: JobEvent): void {
    const { at } = event;
    const at_ms = this.timeOf(at);
    if (event.type === 'job_submitted') {
      const { spec, storedBytes } = event;
      const inputBytes = spec.rangeStart !== null ? null : (storedBytes ?? null);
      this.#job(spec, at, {
        isFromBefore: false,
        tasks: spec.taskCount,
        isHeld: spec.hold,
        inputBytes: inputBytes === null ? null : Math.round(inputBytes / spec.taskCount),
      });
      return;
    }
    const { id } = event.job.spec;
    const job = this.#codes.findJob(id);
    if (job === undefined) return;
    if (event.type === 'job_released') this.#put({ type: 'job_released', at_ms, job }, at);
    if (event.type === 'job_deleted') this.#codes.forgetJob(id);
    if (event.type !== 'job_finished') return;
    const { status } = event;
    if (status === 'pending' || status === 'running') return; // No job ends so.
    this.#put({ type: 'job_ended', at_ms, job, status }, at);
  }

  #hearWorker(event: ToldEvent): void {
    const { at } = event;
    switch (event.type) {
      case 'worker_registered': {
        const { workerId, description, telemetryJson, measured } = event.command;
        this.#described.set(workerId, { ...description, cores: coresIn(telemetryJson) });
        return this.#sample(workerId, measured, at);
      }
      case 'worker_connected': {
        const { worker, description, leaving } = event;
        const cores = this.#described.get(worker.id)?.cores ?? null;
        this.#described.set(worker.id, { ...description, cores });
        this.#joined(worker.id, at);
        return this.#turn(this.#leaving, worker.id, 'leaving', leaving, at);
      }
      case 'worker_attached':
        return this.#joined(event.worker.id, at);
      case 'worker_disconnected':
        return this.#gone(event.worker.id, 'disconnected', at);
      case 'worker_lost':
        return this.#gone(event.worker.id, 'lost', at);
      case 'worker_left':
        return this.#gone(event.worker.id, 'left', at);
      case 'worker_deregistered':
        return this.#removed(event.worker.id, at);
      case 'worker_drained':
        return this.#paused(event.worker.id, 'draining', at);
      case 'worker_resumed':
        return this.#resumed(event.worker.id, 'draining', at);
      case 'worker_quarantined':
        return this.#paused(event.worker.id, 'quarantined', at);
      case 'worker_released':
        return this.#resumed(event.worker.id, 'quarantined', at);
      case 'worker_rest_changed':
        return this.#turn(this.#resting, event.worker.id, 'resting', event.because !== null, at);
      default:
        return undefined;
    }
  }

  #scheduler({ algorithm, weighting, weights }: SchedulerConfig, at: number): void {
    this.#put(
      { type: 'scheduler', at_ms: this.timeOf(at), algorithm, weighting, weights: { ...weights } },
      at,
    );
  }

  #job(spec: JobSpec, at: number, more: JobMore): number {
    const job = this.#codes.addJob(spec.id);
    const { speculation, taskPriorities } = spec;
    const record: RecordOf<'job'> = {
      type: 'job',
      at_ms: this.timeOf(at),
      job,
      tasks: more.tasks,
      is_from_before: more.isFromBefore,
      is_held: more.isHeld,
      priority: spec.priority,
      task_priorities: more.isFromBefore || taskPriorities === null ? null : runsOf(taskPriorities),
      requirements: this.#codes.requirements(spec.requirements),
      speculation:
        speculation === null
          ? null
          : { max_copies: speculation.maxCopies, max_share: speculation.maxShare },
      max_attempts: spec.maxAttempts,
      max_lost_attempts: spec.maxLostAttempts,
      checkpoint_interval_ms: spec.checkpointIntervalMs,
      input_bytes: more.inputBytes ?? null,
    };
    this.#put(record, at);
    return job;
  }

  /** One that ended before the recording and was asked to go on is met here first. */
  #jobOf({ task }: Pick<ToldAttempt, 'task'>, at: number): number {
    const { spec } = task.job;
    const known = this.#codes.findJob(spec.id);
    return known ?? this.#job(spec, at, { isFromBefore: true, tasks: 0, isHeld: false });
  }

  #completed(event: ToldAs<'task_completed'>): void {
    const { task, attempt, workerId, finished, startedAt, runMs, cpuSeconds, resultJson, at } =
      event;
    this.#put(
      {
        type: 'attempt',
        job: this.#jobOf({ task }, at),
        index: task.index,
        attempt,
        worker: this.#codes.worker(workerId),
        assigned_ms: finished === null ? null : this.timeOf(finished.assignedAt),
        started_ms: startedAt === null ? null : this.timeOf(startedAt),
        ended_ms: this.timeOf(at),
        outcome: 'completed',
        run_ms: runMs,
        cpu_seconds: cpuSeconds,
        ...this.#checkpointsOf(finished),
        result_bytes: Buffer.byteLength(resultJson),
      },
      at,
    );
  }

  #ended(event: ToldAs<'attempt_ended'>): void {
    const { attempt, outcome, startedAt, runMs, at } = event;
    if (outcome === 'withdrawn') return;
    // An attempt that fails at once is reported as over alone.
    const began = startedAt ?? (outcome === 'failed' ? at - runMs : null);
    this.#put(
      {
        type: 'attempt',
        job: this.#jobOf(attempt, at),
        index: attempt.task.index,
        attempt: attempt.attempt,
        worker: this.#codes.worker(attempt.worker.id),
        assigned_ms: this.timeOf(attempt.assignedAt),
        started_ms: began === null ? null : this.timeOf(began),
        ended_ms: this.timeOf(at),
        outcome,
        run_ms: began === null ? 0 : runMs,
        cpu_seconds: null,
        ...this.#checkpointsOf(attempt),
        result_bytes: null,
      },
      at,
    );
  }

  #checkpoint({ attempt, command }: ToldAs<'checkpoint_saved'>): void {
    const saved = this.#saved.get(attempt) ?? { count: 0, bytes: 0 };
    saved.count++;
    saved.bytes += command.storedBytes;
    this.#saved.set(attempt, saved);
  }

  #checkpointsOf(
    attempt: OverAttempt | null,
  ): Pick<
    RecordOf<'attempt'>,
    'checkpoints' | 'checkpoint_bytes' | 'resumed_from' | 'run_before_ms'
  > {
    const saved = attempt === null ? undefined : this.#saved.get(attempt);
    return {
      checkpoints: attempt?.checkpoints ?? 0,
      checkpoint_bytes: saved === undefined ? null : Math.round(saved.bytes / saved.count),
      resumed_from: attempt?.resumedFrom?.progress ?? null,
      run_before_ms: attempt?.runBeforeMs ?? 0,
    };
  }

  #joined(id: string, at: number): void {
    const described = this.#described.get(id);
    if (described === undefined) return;
    const { type, platform, isolation, slots, cores, labels } = described;
    const record: RecordOf<'worker_joined'> = {
      type: 'worker_joined',
      at_ms: this.timeOf(at),
      worker: this.#codes.worker(id),
      device: this.#codes.word(type),
      platform: this.#codes.word(platform),
      isolation: this.#codes.isolation(isolation),
      slots,
      cores,
      labels: this.#codes.labels(labels),
    };
    this.#put(record, at);
  }

  #gone(id: string, why: RecordOf<'worker_gone'>['why'], at: number): void {
    const worker = this.#codes.worker(id);
    this.#put({ type: 'worker_gone', at_ms: this.timeOf(at), worker, why }, at);
  }

  #removed(id: string, at: number): void {
    this.#gone(id, 'removed', at);
    this.#described.delete(id);
    this.#sampler.forget(id);
    for (const set of [this.#leaving, this.#resting]) set.delete(id);
  }

  #turn(set: Set<string>, id: string, why: PauseReason, isOn: boolean, at: number): void {
    if (isOn === set.has(id)) return;
    if (isOn) {
      set.add(id);
      this.#paused(id, why, at);
    } else {
      set.delete(id);
      this.#resumed(id, why, at);
    }
  }

  #paused(id: string, why: PauseReason, at: number): void {
    const worker = this.#codes.worker(id);
    this.#put({ type: 'worker_paused', at_ms: this.timeOf(at), worker, why }, at);
  }

  #resumed(id: string, why: PauseReason, at: number): void {
    const worker = this.#codes.worker(id);
    this.#put({ type: 'worker_resumed', at_ms: this.timeOf(at), worker, why }, at);
  }

  #observed({
    worker: { id },
    measured,
    telemetryJson,
    leaving,
    at,
  }: ToldAs<'worker_observed'>): void {
    const described = this.#described.get(id);
    if (described !== undefined && described.cores === null) {
      const cores = coresIn(telemetryJson);
      if (cores !== null) {
        this.#described.set(id, { ...described, cores });
        this.#joined(id, at);
      }
    }
    this.#turn(this.#leaving, id, 'leaving', leaving, at);
    this.#sample(id, measured, at);
  }

  #sample(id: string, measured: MeasuredTelemetry, at: number): void {
    const sampled = this.#sampler.take(id, measured, at);
    if (sampled === null) return;
    const worker = this.#codes.worker(id);
    this.#put({ type: 'telemetry', at_ms: this.timeOf(at), worker, ...sampled }, at);
  }

  #put(record: TraceRecord, at: number): void {
    this.#write(record, this.timeOf(at));
  }
}

type Described = Pick<WorkerDescription, 'type' | 'platform' | 'slots' | 'isolation' | 'labels'> & {
  readonly cores: number | null;
};

interface JobMore {
  readonly isFromBefore: boolean;
  readonly tasks: number;
  readonly isHeld: boolean;
  readonly inputBytes?: number | null;
}

type JobEvent = ToldAs<'job_submitted' | 'job_released' | 'job_finished' | 'job_deleted'>;

function isOfJob(event: ToldEvent): event is JobEvent {
  const { type } = event;
  const isOfLife = type === 'job_submitted' || type === 'job_finished' || type === 'job_deleted';
  return isOfLife || type === 'job_released';
}

/** Cores that tasks may use, as the worker says; null when it does not. */
function coresIn(telemetryJson: string): number | null {
  const { cpu_cores: cores } = JSON.parse(telemetryJson) as { readonly cpu_cores?: unknown };
  return typeof cores === 'number' && cores > 0 ? cores : null;
}

/** Null: there are too many. */
function runsOf(priorities: Int16Array): [number, number][] | null {
  const runs: [number, number][] = [];
  for (const priority of priorities) {
    const last = runs.at(-1);
    if (last?.[1] === priority) last[0]++;
    else if (runs.length === mostRuns) return null;
    else runs.push([1, priority]);
  }
  return runs;
}
