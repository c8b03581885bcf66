// Puts the parts of this room together behind its port: one state, one writer loop, one store.

import type { Command } from '../core/commands.ts';
import type { Event } from '../core/events.ts';
import { leaseOf } from '../core/lease.ts';
import type { AttemptRecord, CheckpointRecord } from '../core/records.ts';
import { type CoreSettings, defaultCoreSettings } from '../core/settings.ts';
import { defaultWeights, type SchedulerConfig } from '../core/snapshot.ts';
import type { State } from '../core/state.ts';
import { taskId } from '../core/task-key.ts';
import { defaultLimits, type Limits } from '../protocol/limits.ts';
import { createScheduler } from '../scheduling/registry.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import type { JobPayload, StoredState } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { Blobs, defaultBlobKeepMs } from './jobs/blobs.ts';
import { ResumePoints } from './workers/resume-points.ts';
import { DecisionLog } from './decisions/decision-log.ts';
import { Dispatcher } from './workers/dispatcher.ts';
import { Evaluation } from './reads/evaluation.ts';
import { EventStream } from './streams/event-stream.ts';
import { criterionDescriptions, schedulingInfo, weightsInForce } from './decisions/explanations.ts';
import { Followers } from './streams/followers.ts';
import type { InboxMarks } from './writer/inbox.ts';
import { Intake } from './workers/intake.ts';
import { Outfitter, PayloadFault } from './workers/outfitter.ts';
import type {
  ConfigChange,
  ConfiguredScheduler,
  Coordinator,
  PreviewRequest,
  Rejection,
  Result,
  SessionSink,
} from './port.ts';
import { preview } from './decisions/preview.ts';
import { Newcomers } from './workers/newcomers.ts';
import { PullWorkers } from './workers/pull-workers.ts';
import { Reads } from './reads/reads.ts';
import { restoreState } from './writer/recovery.ts';
import type { Runtime } from './runtime.ts';
import { Session, Sessions } from './workers/sessions.ts';
import { Submissions } from './jobs/submissions.ts';
import { ResultReads } from './reads/result-reads.ts';
import { TaskReads } from './reads/task-reads.ts';
import { jobSummary, workerResource } from './reads/views.ts';
import type { Wanted } from './writer/wanted.ts';
import { jobRow } from './writer/write-batch.ts';
import { WriterLoop } from './writer/writer-loop.ts';

export interface CoordinatorOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly settings?: Partial<CoreSettings>;
  readonly limits?: Partial<Limits>;
  /** Sets the algorithm at start, when it is not the stored one. */
  readonly algorithm?: SchedulerConfig['algorithm'];
  /** Memory for past decisions, so that they can be explained; 4 MiB by default. */
  readonly decisionLogBytes?: number;
  /** How long a blob is kept that nothing refers to; an hour by default. */
  readonly blobKeepMs?: number;
  /** Sees every batch of events after its commit. */
  readonly onEvents?: (events: readonly Event[]) => void;
  /** Hears of what failed and cost one request, not the process: for the log. */
  readonly onError?: (error: Error) => void;
  /** Commands in one batch; a simulation makes it small. */
  readonly batchLimit?: number;
  /** When too much waits to be decided; a test makes them small. */
  readonly inboxMarks?: InboxMarks;
  /** After every command, in tests and simulations. */
  readonly check?: (state: State) => void;
}

const defaultDecisionLogBytes = 4 * 1024 * 1024;

/** Rows swept in one go, the pause before the next, and the one after the disk refused. */
const sweepRows = 2000;
const sweepPauseMs = 20;
const sweepRetryMs = 60_000;

/** Loads what is stored and starts to work. Throws `StoreFault` when the store cannot be used. */
export async function createCoordinator(options: CoordinatorOptions): Promise<RunningCoordinator> {
  const stored = await options.store.load();
  const coordinator = new RunningCoordinator(options, stored);
  const { algorithm } = options;
  if (algorithm !== undefined && algorithm !== coordinator.state.config.algorithm) {
    await coordinator.configure({ algorithm });
  }
  return coordinator;
}

export class RunningCoordinator implements Coordinator {
  health: Coordinator['health'] = 'ready';
  readonly failed: Promise<Error>;
  readonly state: State;
  readonly evaluation: Evaluation;
  private readonly options: CoordinatorOptions;
  private readonly onError: (error: Error) => void;
  private readonly log: DecisionLog;
  private readonly loop: WriterLoop;
  private readonly sessions = new Sessions();
  private readonly followers: Followers;
  private readonly dispatcher: Dispatcher;
  private readonly intake: Intake;
  private readonly submissions: Submissions;
  private readonly blobs: Blobs;
  private readonly reads: Reads;
  private readonly taskReads: TaskReads;
  private readonly pullWorkers: PullWorkers;
  private readonly stream: EventStream;
  private scheduler: Scheduler;
  private nextJobKey: number;
  private nextWorkerKey: number;
  private cancelSweep: (() => void) | undefined;

  constructor(options: CoordinatorOptions, stored: StoredState) {
    const { store, runtime } = options;
    const startedAt = runtime.now();
    this.options = options;
    const settings = { ...defaultCoreSettings, ...options.settings };
    this.state = restoreState(stored, settings, startedAt);
    this.scheduler = createScheduler(this.state.config);
    this.nextJobKey = stored.nextJobKey;
    this.nextWorkerKey = stored.nextWorkerKey;
    const resumePoints = new ResumePoints(store, runtime.hash, (checkpoint) => {
      this.dropCheckpoint(checkpoint);
    });
    this.onError = (error) => options.onError?.(error);
    const isRegistered = (id: string) => this.state.workers.has(id);
    const outfitter = new Outfitter(store, resumePoints);
    const onUnreadable = (attempt: AttemptRecord, problem: string) =>
      this.failUnreadable(attempt, problem);
    this.dispatcher = new Dispatcher({
      sessions: this.sessions,
      outfitter,
      isRegistered,
      defer: runtime.defer,
      onUnreadable,
      onError: this.onError,
    });
    let fail: (fault: Error) => void = () => undefined;
    this.failed = new Promise((resolve) => {
      fail = resolve;
    });
    this.followers = new Followers(this.onError);
    this.log = new DecisionLog(options.decisionLogBytes ?? defaultDecisionLogBytes);
    this.loop = new WriterLoop({
      state: this.state,
      store,
      runtime,
      log: this.log,
      scheduler: () => this.scheduler,
      sequence: stored.sequence,
      onCommitted: (events, payloads) => this.released(events, payloads),
      onEvent: (event) => this.noted(event),
      onFault: (fault) => {
        this.health = 'failed';
        this.followers.wakeAll();
        fail(fault);
      },
      onError: this.onError,
      ...(options.batchLimit === undefined ? {} : { batchLimit: options.batchLimit }),
      ...(options.inboxMarks === undefined ? {} : { inboxMarks: options.inboxMarks }),
      ...(options.check === undefined ? {} : { check: options.check }),
    });
    const limits = { ...defaultLimits, ...options.limits };
    const newcomers = new Newcomers(this.state, limits);
    this.intake = new Intake({
      runtime,
      sessions: this.sessions,
      limits,
      newcomers,
      loop: () => this.loop,
      state: this.state,
      nextWorkerKey: () => this.nextWorkerKey++,
    });
    const nextJobKey = () => this.nextJobKey++;
    const { state, loop, log, followers } = this;
    const onDropped = () => this.sweep();
    const keepMs = options.blobKeepMs ?? defaultBlobKeepMs;
    const blobOptions = { store, runtime, limits, keepMs, onCollected: onDropped };
    this.blobs = new Blobs(blobOptions, stored.hasBlobs);
    const { blobs } = this;
    this.submissions = new Submissions({
      state,
      store,
      runtime,
      loop,
      blobs,
      nextJobKey,
      onDropped,
    });
    const { now } = runtime;
    const turn = () => new Promise<void>((resolve) => runtime.defer(resolve));
    const results = new ResultReads({ state, store, loop, followers, turn });
    this.reads = new Reads({ state, store, loop, log, results, now, turn, startedAt });
    this.taskReads = new TaskReads({ state, store, loop, log, now, startedAt });
    this.evaluation = new Evaluation({
      state,
      store,
      loop,
      now: runtime.now,
      meanDecisionMicroseconds: () => loop.meanDecisionMicroseconds,
    });
    this.stream = new EventStream({
      epoch: runtime.newId(),
      now: runtime.now,
      steadyNow: () => loop.steadyNow,
    });
    this.pullWorkers = new PullWorkers({
      runtime,
      sessions: this.sessions,
      limits,
      newcomers,
      state,
      loop,
      intake: this.intake,
      nextWorkerKey: () => this.nextWorkerKey++,
      outfitter,
      onUnreadable,
    });
    this.loop.schedule();
    this.sweep();
  }

  get isCrowded(): boolean {
    return this.loop.isCrowded;
  }

  eased(): Promise<void> {
    return this.loop.eased();
  }

  submitJob: Coordinator['submitJob'] = (submission, inputs, idempotency) =>
    this.submissions.submit(submission, inputs, idempotency);

  streamJob: Coordinator['streamJob'] = (submission) => this.submissions.stream(submission);

  cancelJob: Coordinator['cancelJob'] = (jobId) =>
    this.changeJob(
      jobId,
      (wanted) => wanted.jobs.add(jobId),
      (at) => ({ type: 'cancel_job', jobId, at }),
    );

  retryJob: Coordinator['retryJob'] = (jobId) =>
    this.changeJob(
      jobId,
      (wanted) => wanted.retries.add(jobId),
      (at) => ({ type: 'retry_job', jobId, at }),
    );

  deleteJob: Coordinator['deleteJob'] = (jobId) =>
    this.loop.ask(
      (batch) => {
        const { rejection } = batch.execute({ type: 'delete_job', jobId, at: batch.at });
        if (rejection !== undefined) return refusal(rejection);
        return () => {
          this.sweep();
          return { ok: true, value: { job_id: jobId } };
        };
      },
      { wants: (wanted) => wanted.jobs.add(jobId) },
    );

  drainWorker: Coordinator['drainWorker'] = (workerId) =>
    this.changeWorker(workerId, (at) => ({ type: 'drain_worker', workerId, at }));

  resumeWorker: Coordinator['resumeWorker'] = (workerId) =>
    this.changeWorker(workerId, (at) => ({ type: 'resume_worker', workerId, at }));

  deregisterWorker: Coordinator['deregisterWorker'] = (workerId) =>
    this.loop.ask((batch) => {
      const requeuedTasks = this.state.workers.get(workerId)?.attempts.size ?? 0;
      const { at } = batch;
      const { rejection } = batch.execute({ type: 'deregister_worker', workerId, at });
      return rejection === undefined
        ? () => ({ ok: true, value: { requeuedTasks } })
        : refusal(rejection);
    });

  configure(change: ConfigChange): Promise<Result<ConfiguredScheduler>> {
    return this.loop.ask<Result<ConfiguredScheduler>>((batch) => {
      const config = merged(this.state.config, change, batch.at);
      if (isWeightless(config)) return () => ({ ok: false, rejection: weightless });
      batch.execute({ type: 'configure', config, at: batch.at });
      // In force for the pass of this very batch.
      this.scheduler = createScheduler(config);
      return () => ({ ok: true, value: config });
    });
  }

  clear: Coordinator['clear'] = () =>
    this.loop.ask(
      (batch) => {
        const { counters, workers, dirty } = this.state;
        const deleted = {
          jobs: counters.jobs,
          tasks: counters.tasks,
          workers: workers.size,
          checkpoints: batch.visitors.storedCheckpoints + dirty.checkpoints.length,
        };
        batch.execute({ type: 'clear', at: batch.at });
        this.scheduler = createScheduler(this.state.config);
        this.loop.forgetDecisions();
        return () => {
          this.sweep();
          return { ok: true, value: deleted };
        };
      },
      {
        wants: (wanted) => {
          wanted.checkpointCount = true;
        },
      },
    );

  openSession(sink: SessionSink): Session {
    return new Session(this.sessions.nextId(), sink, this.intake);
  }

  findBlob: Coordinator['findBlob'] = (sha256) => this.blobs.find(sha256);
  receiveBlob: Coordinator['receiveBlob'] = (sha256) => this.blobs.receive(sha256);

  stats: Coordinator['stats'] = () => this.reads.stats();
  jobs: Coordinator['jobs'] = (filter) => this.reads.jobs(filter);
  findJob: Coordinator['findJob'] = (jobId) => this.reads.findJob(jobId);
  findJobDetail: Coordinator['findJobDetail'] = (jobId) => this.reads.findJobDetail(jobId);
  findResults: Coordinator['findResults'] = (jobId, how) => this.reads.findResults(jobId, how);
  workers: Coordinator['workers'] = () => this.reads.workers();
  workerChunks: Coordinator['workerChunks'] = () => this.reads.workerChunks();
  findWorker: Coordinator['findWorker'] = (workerId) => this.reads.findWorker(workerId);
  findFailures: Coordinator['findFailures'] = (workerId) => this.reads.findFailures(workerId);

  hasWorked: Coordinator['hasWorked'] = (id, token) => this.pullWorkers.hasWorked(id, token);
  registerWorker: Coordinator['registerWorker'] = (given) => this.pullWorkers.register(given);
  heartbeat: Coordinator['heartbeat'] = (id, token, message) =>
    this.pullWorkers.heartbeat(id, token, message);
  claim: Coordinator['claim'] = (id, token, how) => this.pullWorkers.claim(id, token, how);
  report: Coordinator['report'] = (id, token, messages) =>
    this.pullWorkers.report(id, token, messages);

  findTask: Coordinator['findTask'] = (jobId, index) => this.taskReads.findTask(jobId, index);
  explainTask: Coordinator['explainTask'] = (jobId, index, attempt) =>
    this.taskReads.explainTask(jobId, index, attempt);
  recoveryEvents: Coordinator['recoveryEvents'] = () => this.taskReads.recoveryEvents();
  events: Coordinator['events'] = (filter, how) => this.stream.follow(filter, how);

  findCheckpoints: Coordinator['findCheckpoints'] = (jobId) => this.taskReads.checkpoints(jobId);

  async schedulerConfig(): ReturnType<Coordinator['schedulerConfig']> {
    await this.loop.settled();
    const { config } = this.state;
    const weights = { ...defaultWeights, ...config.weights };
    return { ...config, weights, effectiveWeights: weightsInForce(this.state) };
  }

  async schedulingInfo(): ReturnType<Coordinator['schedulingInfo']> {
    await this.loop.settled();
    return schedulingInfo(this.state, this.log.newest);
  }

  readonly criteria = criterionDescriptions;

  async preview({
    requirements,
    tasks,
    ...change
  }: PreviewRequest): ReturnType<Coordinator['preview']> {
    await this.loop.settled();
    const { state } = this;
    const config = merged(state.config, change, state.config.updatedAt);
    if (isWeightless(config)) return { ok: false, rejection: weightless };
    const { newest } = this.log;
    return { ok: true, value: preview(state, { config, newest, requirements, tasks }) };
  }

  /** What it keeps for others at this moment, for who looks for leaks. */
  get held(): { readonly followed: readonly string[]; readonly sessions: number } {
    return { followed: this.followers.jobIds(), sessions: this.sessions.all().length };
  }

  async stop(): Promise<void> {
    if (this.health === 'ready') this.health = 'stopping';
    this.cancelSweep?.();
    this.blobs.stop();
    await this.loop.finish();
    this.followers.wakeAll();
    for (const session of this.sessions.all()) session.end('the coordinator stops');
    await this.options.store.close();
  }

  private noted(event: Event): void {
    try {
      this.stream.note(event);
    } catch (error) {
      this.stream.skip();
      this.onError(error as Error);
    }
  }

  private released(events: readonly Event[], payloads: readonly JobPayload[]): void {
    this.followers.offer(events);
    try {
      this.stream.publish(events);
    } catch (error) {
      this.stream.skip();
      this.onError(error as Error);
    }
    try {
      this.options.onEvents?.(events);
    } catch (error) {
      this.onError(error as Error);
    }
    try {
      this.dispatcher.dispatch(events, payloads);
    } catch (error) {
      this.onError(error as Error);
    }
  }

  /** Its state cannot be read: the task goes on from the one before. */
  private dropCheckpoint({ id, task }: CheckpointRecord): void {
    const { index, job } = task;
    const jobId = job.spec.id;
    this.command((at) => ({ type: 'drop_checkpoint', jobId, index, checkpointId: id, at }));
  }

  /** Nothing was sent: another attempt may have better luck, until the budget is used up. */
  private failUnreadable({ task, token }: AttemptRecord, problem: string): void {
    const { index, job } = task;
    const jobId = job.spec.id;
    const chance = this.options.runtime.chance();
    this.onError(new PayloadFault(`Task ${taskId(jobId, index)} cannot be sent. ${problem}`));
    this.command((at) => ({ type: 'fail_unsent', jobId, index, token, problem, chance, at }));
  }

  /** One that nobody waits for. */
  private command(make: (at: number) => Command): void {
    this.loop
      .ask((batch) => {
        batch.execute(make(batch.at));
        return () => undefined;
      })
      // That the loop has failed, or has stopped, is told elsewhere.
      .catch((error: Error) => {
        if (this.health === 'ready') this.onError(error);
      });
  }

  private changeJob(
    jobId: string,
    wants: (wanted: Wanted) => void,
    command: (at: number) => Command,
  ): ReturnType<Coordinator['cancelJob']> {
    return this.loop.ask(
      (batch) => {
        const { rejection } = batch.execute(command(batch.at));
        if (rejection !== undefined) return refusal(rejection);
        const job = this.state.jobs.get(jobId)!;
        return () => ({ ok: true, value: jobSummary(jobRow(job)) });
      },
      { wants },
    );
  }

  private changeWorker(
    workerId: string,
    command: (at: number) => Command,
  ): ReturnType<Coordinator['drainWorker']> {
    return this.loop.ask((batch) => {
      const { rejection } = batch.execute(command(batch.at));
      if (rejection !== undefined) return refusal(rejection);
      const worker = this.state.workers.get(workerId)!;
      return () => ({ ok: true, value: workerResource(worker, leaseOf(this.state, worker)) });
    });
  }

  /** Deletes what nobody can see any more, a little at a time; begins anew when there is more. */
  private sweep(): void {
    const { store, runtime } = this.options;
    const step = async () => {
      if (this.health !== 'ready') return;
      try {
        if (await store.sweep(sweepRows)) again(sweepPauseMs);
      } catch {
        // The disk refuses: what is left takes room, nothing more.
        again(sweepRetryMs);
      }
    };
    const again = (pauseMs: number) => {
      this.cancelSweep?.();
      this.cancelSweep = runtime.setTimer(runtime.now() + pauseMs, () => void step());
    };
    again(1);
  }
}

function refusal<T>(rejection: { code: string; detail: string }): () => Result<T> {
  return () => ({ ok: false, rejection: rejection as Rejection });
}

const weightless: Rejection = {
  code: 'validation_failed',
  detail: 'At least one weight must be larger than 0.',
};

function isWeightless({ weights }: SchedulerConfig): boolean {
  return Object.values(weights).every((weight) => weight === 0);
}

function merged(config: SchedulerConfig, change: ConfigChange, at: number): ConfiguredScheduler {
  const weights = { ...defaultWeights, ...config.weights, ...change.weights };
  const manual = change.weights === undefined ? config.weighting : 'manual';
  return {
    algorithm: change.algorithm ?? config.algorithm,
    weighting: change.weighting ?? manual,
    weights,
    updatedAt: at,
  };
}
