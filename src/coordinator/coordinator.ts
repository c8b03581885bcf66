// Puts the parts of this room together behind its ports: one state, one writer loop, one store. A part
// that a port stands for is the port itself; nothing is passed on here.

import type { Command } from '../core/commands.ts';
import { heartbeatMsOf } from '../core/lease.ts';
import type { AttemptRecord } from '../core/records.ts';
import { defaultCoreSettings } from '../core/settings.ts';
import { findLive, type State } from '../core/state.ts';
import { taskId } from '../core/task-key.ts';
import type { ToldEvent } from '../core/told-events.ts';
import { defaultLimits } from '../protocol/limits.ts';
import type { JobPayload, StoredState, TokenRow } from '../store/rows.ts';
import type { StoreParts } from '../store/store.ts';
import { AuditTrail, usualAuditKeeping } from './audit/audit-trail.ts';
import type { CoordinatorOptions } from './coordinator-options.ts';
import { DecisionLog } from './decisions/decision-log.ts';
import { Blobs, defaultBlobKeepMs } from './jobs/blobs.ts';
import { JobCommands } from './jobs/job-commands.ts';
import { JobKeys } from './jobs/job-keys.ts';
import { OwnerBytes } from './jobs/owner-bytes.ts';
import { OwnerUse } from './jobs/quota-use.ts';
import { Submissions } from './jobs/submissions.ts';
import { NewestReplay } from './decisions/newest-replay.ts';
import { Notifier } from './notifier.ts';
import { portsFor } from './owners/ports-for.ts';
import { PastWork } from './past-work.ts';
import type { Cleared, Coordinator, CoordinatorPorts } from './port/coordinator.ts';
import { boundless } from './port/disk-room.ts';
import { adminOwner, anybody, type Principal } from './port/principal.ts';
import type { Result } from './port/rejection.ts';
import { UsualTimes } from './jobs/usual-times.ts';
import { JobRates } from './rates/job-rates.ts';
import { AttemptExport } from './reads/attempt-export.ts';
import { AttemptReads } from './reads/attempt-reads.ts';
import { Evaluation } from './reads/evaluation.ts';
import { JobErrorReads } from './reads/job-errors.ts';
import { JobTasks } from './reads/job-tasks.ts';
import { Reads } from './reads/reads.ts';
import { ResultReads } from './reads/result-reads.ts';
import { TaskMaps } from './reads/task-map.ts';
import { TaskReads } from './reads/task-reads.ts';
import { Retention } from './retention.ts';
import { SchedulerInForce } from './scheduler-in-force.ts';
import { CountersFeed } from './streams/counters-feed.ts';
import { AttemptRing } from './streams/attempt-ring.ts';
import { EndedAttempts } from './streams/ended-attempts.ts';
import { EventStream } from './streams/event-stream.ts';
import { Followers } from './streams/followers.ts';
import { Sweeper } from './sweeper.ts';
import { Dispatcher } from './workers/dispatcher.ts';
import { LiveOutput } from './workers/live-output.ts';
import { MeasuredSeries } from './workers/measured-series.ts';
import { Intake } from './workers/intake.ts';
import { Newcomers, waitingByToken } from './workers/newcomers.ts';
import { Outfitter, PayloadFault } from './workers/outfitter.ts';
import { PullWorkers } from './workers/pull-workers.ts';
import { ResumePoints } from './workers/resume-points.ts';
import { Sessions } from './workers/sessions.ts';
import { MinuteCounts } from './access/minute-counts.ts';
import { Tokens } from './access/tokens.ts';
import { WorkerCommands } from './workers/worker-commands.ts';
import { restoreState } from './writer/recovery.ts';
import { WriterLoop } from './writer/writer-loop.ts';

const defaultDecisionLogBytes = 4 * 1024 * 1024;

/** Loads what is stored and starts to work. Throws `StoreFault` when the store cannot be used. */
export async function createCoordinator(options: CoordinatorOptions): Promise<RunningCoordinator> {
  const stored = await options.store.load();
  const jobKeys = new JobKeys(options.store);
  await jobKeys.reserveAhead();
  const tokens = await options.store.loadTokens();
  const coordinator = new RunningCoordinator(options, stored, jobKeys, tokens);
  const { algorithm } = options;
  const { state } = coordinator;
  const isSet = algorithm !== undefined && algorithm !== state.config.algorithm;
  // What is in force from the first start on is noted too, unless it is over at once.
  const isFirst = !stored.hasSchedulerChanges && (stored.config !== null || !isSet);
  if (isFirst) state.dirty.firstConfig = state.config;
  if (isSet) await coordinator.scheduler.configure({ algorithm });
  return coordinator;
}

export class RunningCoordinator implements Coordinator {
  health: Coordinator['health'] = 'ready';
  /** Resolves with the fault when it cannot go on (a commit failed). */
  readonly failed: Promise<Error>;
  readonly state: State;
  readonly submissions: Submissions;
  readonly jobs: JobCommands;
  readonly blobs: Blobs;
  readonly workers: WorkerCommands;
  readonly sessions: Intake;
  readonly pullWorkers: PullWorkers;
  readonly scheduler: SchedulerInForce;
  readonly reads: Reads;
  readonly taskReads: TaskReads;
  readonly evaluation: Evaluation;
  readonly notifications: Notifier;
  readonly events: EventStream;
  readonly quota: OwnerUse;
  readonly tokens: Tokens;
  readonly audit: AuditTrail;
  private readonly options: CoordinatorOptions;
  private readonly onError: (error: Error) => void;
  private readonly loop: WriterLoop;
  private readonly connections: Sessions;
  private readonly followers: Followers;
  private readonly rates: JobRates;
  private readonly usualTimes = new UsualTimes();
  private readonly counters: CountersFeed;
  private readonly endedAttempts: EndedAttempts;
  private readonly dispatcher: Dispatcher;
  private readonly series: MeasuredSeries;
  private readonly sweeper: Sweeper;
  private readonly retention: Retention;
  private readonly pastWork: PastWork;
  private readonly ports = new WeakMap<Principal, CoordinatorPorts>();
  private nextWorkerKey: number;

  constructor(
    options: CoordinatorOptions,
    stored: StoredState,
    jobKeys: JobKeys,
    tokens: readonly TokenRow[],
  ) {
    const { store, runtime } = options;
    const startedAt = runtime.now();
    this.options = options;
    this.connections = new Sessions(options.onTakeover);
    const settings = { ...defaultCoreSettings, ...options.settings };
    this.state = restoreState(stored, settings, startedAt);
    this.nextWorkerKey = stored.nextWorkerKey;
    const { hash } = runtime;
    const turn = () => new Promise<void>((resolve) => runtime.defer(resolve));
    const resumePoints = new ResumePoints(store, { hash, turn }, (checkpoint) => {
      const { id, task } = checkpoint;
      this.dropCheckpoint(task.job.spec.id, task.index, id);
    });
    this.onError = (error) => options.onError?.(error);
    const isRegistered = (id: string) => this.state.workers.has(id);
    const outfitter = new Outfitter(store, resumePoints);
    const onUnreadable = (attempt: AttemptRecord, problem: string) =>
      this.failUnreadable(attempt, problem);
    this.dispatcher = new Dispatcher({
      sessions: this.connections,
      outfitter,
      isRegistered,
      findLive: (jobId, index, token) => findLive(this.state, jobId, index, token),
      defer: runtime.defer,
      onUnreadable,
      onError: this.onError,
    });
    let fail: (fault: Error) => void = () => undefined;
    this.failed = new Promise((resolve) => {
      fail = resolve;
    });
    this.followers = new Followers(this.onError);
    this.endedAttempts = new EndedAttempts(new AttemptRing(startedAt));
    const log = new DecisionLog(options.decisionLogBytes ?? defaultDecisionLogBytes);
    const newest = new NewestReplay(log);
    this.loop = new WriterLoop({
      state: this.state,
      store,
      runtime,
      log,
      scheduler: () => this.scheduler.current,
      sequence: stored.sequence,
      onDecided: (events, payloads) => this.dispatcher.dispatchAhead(events, payloads),
      onCommitted: (events, payloads) => this.released(events, payloads),
      takeAudit: () => this.audit.takeWaiting(),
      ...(options.onAudit === undefined ? {} : { onAudit: options.onAudit }),
      onFault: (fault) => {
        this.health = 'failed';
        this.followers.wakeAll();
        fail(fault);
      },
      onError: this.onError,
      ...(options.onCommit === undefined ? {} : { onCommit: options.onCommit }),
      ...(options.batchLimit === undefined ? {} : { batchLimit: options.batchLimit }),
      ...(options.inboxMarks === undefined ? {} : { inboxMarks: options.inboxMarks }),
      ...(options.check === undefined ? {} : { check: options.check }),
    });
    const { state, loop, followers } = this;
    const { now } = runtime;
    const limits = { ...defaultLimits, ...options.limits };
    const waitingBy = (tokenId: string) => waitingByToken(state, tokenId);
    const confirm = () => store.confirm();
    const watching = { confirm, isRegistered, waitingBy };
    this.tokens = new Tokens({ store, runtime, loop, ...watching, stored: tokens });
    const newcomers = new Newcomers(state, limits);
    const nextWorkerKey = () => this.nextWorkerKey++;
    const shared = {
      state,
      runtime,
      limits,
      sessions: this.connections,
      newcomers,
      tokens: this.tokens,
      nextWorkerKey,
      ...(options.coordinatorName === undefined
        ? {}
        : { coordinatorName: options.coordinatorName }),
      ...(options.otherCoordinators === undefined
        ? {}
        : { otherCoordinators: options.otherCoordinators }),
      disk: options.disk ?? boundless,
      liveOutput: new LiveOutput(limits.liveOutputCharacters),
      tellOutput: (...printed: Parameters<EventStream['tellOutput']>) =>
        this.events.tellOutput(...printed),
    };
    this.sessions = new Intake({
      ...shared,
      loop: () => loop,
      onUnreadable,
      dropCheckpoint: (...which) => this.dropCheckpoint(...which),
    });
    this.pullWorkers = new PullWorkers({
      ...shared,
      loop,
      intake: this.sessions,
      outfitter,
      onUnreadable,
    });
    this.workers = new WorkerCommands({ state, loop, tokens: this.tokens });
    this.scheduler = new SchedulerInForce({
      state,
      store,
      loop,
      log,
      newest,
      now: runtime.now,
      createScheduler: options.createScheduler,
    });
    this.sweeper = new Sweeper({
      store,
      runtime,
      isReady: () => this.health === 'ready',
      isShared: options.otherCoordinators !== undefined,
    });
    const onDropped = () => this.sweeper.begin();
    const keepMs = options.blobKeepMs ?? defaultBlobKeepMs;
    const collect: StoreParts['collectBlobs'] = (before, rows) => store.collectBlobs(before, rows);
    const blobOptions = { store, loop, collect, runtime, limits, keepMs, onCollected: onDropped };
    const blobs = new Blobs(blobOptions, stored.hasBlobs);
    this.blobs = blobs;
    const bytes = new OwnerBytes(state, store);
    const quotaCounts = { state, submissions: new MinuteCounts(), bytes };
    this.quota = new OwnerUse({ counts: quotaCounts, loop, now }, adminOwner);
    const results = new ResultReads({ state, store, loop, followers, turn });
    const submissionOptions = {
      quotaCounts,
      results,
      state,
      store,
      runtime,
      loop,
      blobs,
      jobKeys,
      disk: options.disk ?? boundless,
      usualTimes: this.usualTimes,
      onDropped,
    };
    this.submissions = new Submissions(submissionOptions, anybody);
    this.jobs = new JobCommands({ state, loop, onDropped });
    const jobTasks = new JobTasks({ state, store, loop, turn });
    const taskMaps = new TaskMaps({ state, store, loop, turn });
    const jobErrors = new JobErrorReads({ state, store, loop, turn });
    this.series = new MeasuredSeries(() => heartbeatMsOf(state));
    const steadyNow = () => loop.steadyNow;
    const rates = new JobRates({ state, now, steadyNow });
    this.rates = rates;
    this.reads = new Reads({
      state,
      store,
      loop,
      newest,
      results,
      jobTasks,
      jobErrors,
      series: this.series,
      rates,
      taskMaps,
      isRegistered,
      now,
      turn,
      startedAt,
    });
    this.taskReads = new TaskReads({ state, store, loop, log, now, startedAt });
    const { ring } = this.endedAttempts;
    this.evaluation = new Evaluation({
      state,
      store,
      loop,
      attempts: new AttemptReads({ state, store, loop, ring, turn }),
      attemptExport: new AttemptExport({ state, store, loop }),
      now,
      turn,
      meanDecisionMicroseconds: () => loop.meanDecisionMicroseconds,
    });
    const isReady = () => this.health === 'ready';
    const { onError } = this;
    this.counters = new CountersFeed({
      state,
      rates,
      runtime,
      steadyNow,
      settled: () => loop.settled(),
      onError,
      isReady,
    });
    const { counters } = this;
    this.events = new EventStream({ epoch: runtime.newId(), now, steadyNow, counters });
    const keeping = options.auditKeeping ?? usualAuditKeeping;
    this.audit = new AuditTrail({ store, runtime, loop, keeping, isReady });
    this.retention = new Retention({ state, loop, isReady, onDropped, onError });
    const onManySummed = (sums: number) => options.onManySummed?.(sums);
    const isSweeping = () => this.sweeper.isBusy;
    this.pastWork = new PastWork({ store, runtime, isReady, isSweeping, onManySummed });
    this.notifications = new Notifier({
      state,
      store,
      loop,
      runtime,
      isReady,
      onError,
      ...(options.deliver === undefined ? {} : { deliver: options.deliver }),
    });
    this.loop.schedule();
    this.sweeper.begin();
    this.pastWork.begin();
    this.notifications.look();
  }

  get isCrowded(): boolean {
    return this.loop.isCrowded;
  }

  eased(): Promise<void> {
    return this.loop.eased();
  }

  for(principal: Principal): CoordinatorPorts {
    if (principal.seesAll && principal.owner === adminOwner && principal.quota === undefined) {
      return this;
    }
    let ports = this.ports.get(principal);
    if (ports === undefined) {
      const { store } = this.options;
      const { loop, state } = this;
      ports = portsFor(principal, this, { store, loop, state });
      this.ports.set(principal, ports);
    }
    return ports;
  }

  clear(): Promise<Result<Cleared>> {
    return this.loop.ask<Result<Cleared>>(
      (batch) => {
        const { counters, workers, dirty } = this.state;
        const deleted = {
          jobs: counters.jobs,
          tasks: counters.tasks,
          workers: workers.size,
          checkpoints: batch.visitors.storedCheckpoints + dirty.checkpoints.length,
        };
        batch.execute({ type: 'clear', at: batch.at });
        this.scheduler.renew();
        this.loop.forgetDecisions();
        return () => {
          this.sweeper.begin();
          return { ok: true, value: deleted };
        };
      },
      {
        wants: (wanted) => {
          wanted.checkpointCount = true;
        },
      },
    );
  }

  /** What it keeps for others at this moment, for who looks for leaks. */
  get held(): { readonly followed: readonly string[]; readonly sessions: number } {
    return { followed: this.followers.jobIds(), sessions: this.connections.all().length };
  }

  /**
   * Finishes the batch in hand and ends what it has begun: nothing more is written or answered, workers
   * are told, streams come to their end. Safe to call when it has failed, and again.
   */
  async stop(): Promise<void> {
    if (this.health === 'ready') this.health = 'stopping';
    this.sweeper.stop();
    this.pastWork.stop();
    this.notifications.stop();
    this.blobs.stop();
    this.audit.stop();
    await this.loop.finish();
    this.followers.wakeAll();
    this.events.end();
    // Those that are elsewhere end with their trunks: their connections stay for the next leader.
    for (const session of this.connections.all()) {
      if (!session.isElsewhere) session.end('the coordinator stops');
    }
  }

  private released(events: readonly ToldEvent[], payloads: readonly JobPayload[]): void {
    this.followers.offer(events);
    this.rates.observe(events);
    this.usualTimes.observe(events);
    this.counters.observe(events);
    this.endedAttempts.observe(events);
    this.retention.observe(events);
    this.notifications.observe(events);
    this.series.observe(events);
    try {
      this.events.publish(events);
    } catch (error) {
      this.events.skip();
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

  /** The state of a checkpoint cannot be read: the task resumes from the one before. */
  private dropCheckpoint(jobId: string, index: number, checkpointId: number): void {
    this.command((at) => ({ type: 'drop_checkpoint', jobId, index, checkpointId, at }));
  }

  /** The attempt was not sent: another one may succeed, until the budget is used up. */
  private failUnreadable({ task, token }: AttemptRecord, problem: string): void {
    const { index, job } = task;
    const jobId = job.spec.id;
    const chance = this.options.runtime.chance();
    this.onError(new PayloadFault(`Task ${taskId(jobId, index)} cannot be sent. ${problem}`));
    this.command((at) => ({ type: 'fail_unsent', jobId, index, token, problem, chance, at }));
  }

  /** Executes a command of which nobody waits for the answer. */
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
}
