// The one writer. It empties its inbox in batches: read the visitors, decide and apply every command,
// handle the deadlines that are due, run one scheduling pass, commit everything in one transaction,
// and only then release answers, dispatches and streams. Batch N+1 starts after commit N.
//
// A failed commit ends the loop: memory is ahead of the disk then, and nothing may be answered from it. So
// does an event that was applied in part. Any other failure fails one work, or one scheduling pass, and the
// loop goes on.

import { TornState } from '../../core/execute.ts';
import type { State } from '../../core/state.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import type { Scheduler } from '../../scheduling/scheduler.ts';
import type { AuditEntry, JobPayload, WriteBatch } from '../../store/rows.ts';
import type { Writing } from '../../store/writing.ts';
import { type Asker, askedByNobody, whoAsks } from '../port/asking.ts';
import { CoordinatorStopped } from '../port/stopped.ts';
import { type Batch, OpenBatch, type Work } from './batch.ts';
import { Attention } from './attention.ts';
import { BatchSize } from './batch-size.ts';
import type { DecisionLog } from '../decisions/decision-log.ts';
import { Inbox, type InboxMarks } from './inbox.ts';
import type { Runtime } from '../runtime.ts';
import { type PassResult, schedulingPass } from '../placement/scheduling-pass.ts';
import { admitWorks, loadVisitors, type VisitorStore } from './visitors.ts';
import type { Wanted } from './wanted.ts';
import { settleMemory, takeWriteBatch } from './write-batch.ts';

export interface LoopOptions {
  readonly state: State;
  readonly store: Writing & VisitorStore;
  readonly runtime: Runtime;
  readonly scheduler: () => Scheduler;
  readonly log: DecisionLog;
  /** Sequence of the newest commit in the store. */
  readonly sequence: number;
  /** Before the commit, which waits for it. What leaves here may turn out never to have been. */
  readonly onDecided?: (events: readonly ToldEvent[], payloads: readonly JobPayload[]) => void;
  /** Must not take long, nor fail: the next batch waits for it. */
  readonly onCommitted: (events: readonly ToldEvent[], payloads: readonly JobPayload[]) => void;
  /** How long a commit took; for figures that are shown. */
  readonly onCommit?: (microseconds: number) => void;
  readonly onFault: (fault: Error) => void;
  /** What is to be written with a commit that is made anyhow. */
  readonly takeAudit?: () => readonly AuditEntry[];
  /** Called with what was written of it, and of the works. */
  readonly onAudit?: (entries: readonly AuditEntry[]) => void;
  /** Something failed, and the loop goes on without it. */
  readonly onError: (error: Error) => void;
  /** Commands in one batch, and placements in one pass; some hundreds by default, and more while many wait. */
  readonly batchLimit?: number;
  readonly inboxMarks?: InboxMarks;
  /** Called after every step, in tests and simulations. */
  readonly check?: (state: State) => void;
}

/** Commands in one batch, and placements in one pass: some milliseconds of work. */
const defaultBatchLimit = 300;
/** The same while more waits than fits. */
const largestBatch = 1_000;

/** A worker sends three heartbeats in a lease, so a pause of a third of it does no harm. */
const bearableShare = 1 / 3;

/** A deadline that could not be decided is tried again so much later. */
const undecidedPauseMs = 60_000;
const failedPassPauseMs = 1000;

/** Bytes of a request that waits for its answer, roughly. */
const bytesOfQuestion = 8 * 1024;

interface Asked {
  readonly wants?: (wanted: Wanted) => void;
  /** Commands. */
  readonly size?: number;
  /** Bytes beside the request itself. */
  readonly bytes?: number;
}

export class WriterLoop {
  private readonly options: LoopOptions;
  private readonly inbox: Inbox;
  private readonly attention: Attention;
  private readonly batchSize: BatchSize;
  /** Commands of this batch, and placements of its pass. */
  private size: number;
  /** Whose will the works are, where that is to be written. */
  private readonly askers = new WeakMap<Work, Asker>();
  private sequence: number;
  private isScheduled = false;
  private running: Promise<void> | undefined;
  private fault: Error | undefined;
  private cancelTimer: (() => void) | undefined;
  private timerAt = Infinity;
  private recheckAt = Infinity;
  /** By how much the clock was set since the start, in all. */
  private setMs = 0;
  private decisions = 0;
  private decisionMicroseconds = 0;
  private all = { count: 0, microseconds: 0 };

  constructor(options: LoopOptions) {
    this.options = options;
    this.inbox = new Inbox(options.inboxMarks);
    this.sequence = options.sequence;
    const { batchLimit } = options;
    this.batchSize = new BatchSize(batchLimit ?? defaultBatchLimit, batchLimit ?? largestBatch);
    this.size = this.batchSize.now;
    const { leaseMs } = options.state.settings;
    this.attention = new Attention(leaseMs * bearableShare, options.runtime.now());
  }

  submit(work: Work): void {
    if (this.fault !== undefined) return work.abandon(this.fault, 'coordinator_failed');
    const { runtime, state } = this.options;
    const now = runtime.now();
    const asker = whoAsks();
    if (asker !== undefined) this.askers.set(work, asker);
    this.attention.wake(now, state.deadlines.next);
    this.inbox.add(work, now);
    this.schedule();
  }

  /** Too much waits: new submissions are to be refused, and nothing more to be read from workers. */
  get isCrowded(): boolean {
    return this.inbox.isCrowded;
  }

  /** Resolves when the inbox is not crowded. */
  eased(): Promise<void> {
    return this.inbox.eased();
  }

  /** Runs in the next batch; the answer is made and given after its commit. */
  ask<T>(run: (batch: Batch) => () => T, { wants, size = 1, bytes = 0 }: Asked = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      this.submit({
        size,
        isAwaited: true,
        mayPass: true,
        bytes: bytes + bytesOfQuestion,
        wants: (_state, wanted) => wants?.(wanted),
        abandon: reject,
        run: (batch) => {
          const answer = run(batch);
          batch.afterCommit(() => {
            let made: T;
            try {
              made = answer();
            } catch (error) {
              const failure = error as Error;
              reject(failure);
              return;
            }
            resolve(made);
          });
        },
      });
    });
  }

  /** Resolves when memory shows committed state only; the caller must read without awaiting. */
  async settled(): Promise<void> {
    this.assertRunning();
    if (this.running !== undefined) this.inbox.hurry();
    await this.options.store.confirm();
    // A commit that ends meanwhile confirms as well.
    while (this.running !== undefined) await this.running;
    this.assertRunning();
  }

  /** Throws when it has ended: for what is written beside the batches and is of use only to them. */
  assertRunning(): void {
    if (this.fault !== undefined) throw this.fault;
  }

  /** Resolves when the inbox is empty; nothing may be submitted after. */
  async finish(): Promise<void> {
    while (this.fault === undefined && (!this.inbox.isEmpty || this.running !== undefined)) {
      await (this.running ?? this.runNext());
    }
    this.fault ??= new CoordinatorStopped();
    this.cancelTimer?.();
  }

  /** Since the start; clearing the database does not forget them. */
  get allDecisions(): { readonly count: number; readonly seconds: number } {
    return { count: this.all.count, seconds: this.all.microseconds / 1e6 };
  }

  /** Over all decisions since the start, or since everything was cleared; null before the first. */
  get meanDecisionMicroseconds(): number | null {
    return this.decisions === 0 ? null : this.decisionMicroseconds / this.decisions;
  }

  /** The time without the jumps of a clock that was set: for waits. */
  get steadyNow(): number {
    return this.options.runtime.now() - this.setMs;
  }

  forgetDecisions(): void {
    this.options.log.clear();
    this.decisions = 0;
    this.decisionMicroseconds = 0;
  }

  /** Asks for a batch even when nothing was submitted: deadlines, a scheduling pass. */
  schedule(): void {
    if (this.isScheduled || this.running !== undefined || this.fault !== undefined) return;
    this.isScheduled = true;
    const { runtime } = this.options;
    askedByNobody(() =>
      runtime.defer(() => {
        this.isScheduled = false;
        if (this.running === undefined && this.fault === undefined) void this.runNext();
      }),
    );
  }

  private runNext(): Promise<void> {
    this.size = this.inbox.sizeOf(this.batchSize);
    this.running = this.runBatch(this.inbox.take(this.size)).then(() => {
      this.running = undefined;
      if (this.fault !== undefined) return;
      this.ease();
      if (!this.inbox.isEmpty || this.options.state.wantsPass) this.schedule();
      else this.armTimer();
    });
    return this.running;
  }

  /** When the crowd is over: messages of workers that were not read meanwhile are still on their way. */
  private ease(): void {
    const crowdedAt = this.inbox.ease();
    if (crowdedAt !== undefined) this.attention.held(crowdedAt, this.options.runtime.now());
  }

  private async runBatch(works: readonly Work[]): Promise<void> {
    const { state, store, runtime, check, onCommit, onCommitted } = this.options;
    try {
      const { admitted, visitors } = await admitWorks(
        works,
        (some) => loadVisitors(state, store, some, runtime.now()),
        (work, failure) => this.refuse(work, failure),
      );
      const turnBegunAt = runtime.microseconds();
      const setByMs = this.followClock();
      const at = runtime.now();
      this.attention.wake(at, state.deadlines.next + setByMs);
      const batch = new OpenBatch(state, at, visitors, check);
      if (setByMs !== 0) batch.execute({ type: 'set_clock', byMs: setByMs, at: batch.at });
      for (const work of admitted) {
        const failure = batch.run(work, this.askers.get(work));
        if (failure !== undefined) batch.afterCommit(() => this.refuse(work, failure));
      }
      this.expireDeadlines(batch);
      this.runPass(batch);
      const changes = takeWriteBatch(state, this.sequence + 1, batch);
      if (changes !== undefined) {
        const write = this.withAudit(changes);
        this.runGuarded(() => this.options.onDecided?.(batch.events, batch.payloads));
        const begunAt = runtime.microseconds();
        const committed = store.commit(write, batch.at);
        const turnMs = (runtime.microseconds() - turnBegunAt) / 1_000;
        this.batchSize.learn(!this.inbox.isEmpty, turnMs);
        await committed;
        onCommit?.(runtime.microseconds() - begunAt);
        this.attention.held(batch.at, runtime.now());
        this.sequence++;
        if (write.audit.length > 0) this.runGuarded(() => this.options.onAudit?.(write.audit));
      } else {
        await store.confirm();
      }
      settleMemory(state);
      visitors.leave(state);
      for (const answer of batch.answers) this.runGuarded(answer);
      if (batch.events.length > 0) onCommitted(batch.events, batch.payloads);
    } catch (error) {
      this.stopWith(error as Error, works);
    }
  }

  private withAudit(write: WriteBatch): WriteBatch {
    const more = this.options.takeAudit?.() ?? [];
    return more.length === 0 ? write : { ...write, audit: [...write.audit, ...more] };
  }

  private followClock(): number {
    const byMs = this.options.runtime.followClock();
    if (byMs === 0) return 0;
    this.setMs += byMs;
    this.inbox.shift(byMs);
    this.attention.shift(byMs);
    this.timerAt += byMs;
    this.recheckAt += byMs;
    return byMs;
  }

  private refuse(work: Work, failure: Error): void {
    work.abandon(failure, 'work_failed');
    if (!work.isAwaited) this.options.onError(failure);
  }

  /** Runs after a good commit, so an error here must not stop the loop. */
  private runGuarded(answer: () => void): void {
    try {
      answer();
    } catch (error) {
      this.options.onError(error as Error);
    }
  }

  /** Deadlines end only up to the arrival of the oldest unread message, which may be the awaited one. */
  private expireDeadlines(batch: OpenBatch): void {
    const { state, runtime, onError } = this.options;
    const { at } = batch;
    if (this.attention.takeMissing()) {
      batch.execute({ type: 'excuse_silence', at });
    }
    const heardUntil = this.inbox.heardUntil ?? at;
    for (let i = 0; i < this.batchSize.least && state.deadlines.next <= heardUntil; i++) {
      try {
        batch.execute({ type: 'expire', at, chance: runtime.chance() });
      } catch (error) {
        if (error instanceof TornState) throw error;
        onError(error as Error);
        // This deadline must not hold up all the others.
        const due = state.deadlines.findDue(heardUntil);
        if (due !== undefined) state.deadlines.arm(due, at + undecidedPauseMs);
      }
    }
  }

  private runPass(batch: OpenBatch): void {
    const { state, runtime, scheduler, log, onError } = this.options;
    if (!state.wantsPass && this.recheckAt > batch.at) return;
    try {
      const result = schedulingPass(state, scheduler(), {
        at: batch.at,
        newToken: runtime.newToken,
        microseconds: runtime.microseconds,
        limit: this.size,
        log,
        note: (event) => batch.note(event),
      });
      this.recheckAt = result.recheckAt;
      if (result.placements > 0) this.count(result);
    } catch (error) {
      if (error instanceof TornState) throw error;
      onError(error as Error);
      this.recheckAt = batch.at + failedPassPauseMs;
    }
    batch.verify();
  }

  private count({ placements, microseconds }: PassResult): void {
    this.decisions += placements;
    this.decisionMicroseconds += microseconds;
    this.all.count += placements;
    this.all.microseconds += microseconds;
  }

  private armTimer(): void {
    const { runtime, state } = this.options;
    const at = Math.min(this.attention.lookUpBefore(state.deadlines.next), this.recheckAt);
    if (at === this.timerAt) return;
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    this.timerAt = at;
    if (at === Infinity) return;
    this.cancelTimer = runtime.setTimer(at, () => {
      const now = runtime.now();
      this.attention.wake(now, state.deadlines.next);
      this.timerAt = Infinity;
      this.cancelTimer = undefined;
      if (Math.min(state.deadlines.next, this.recheckAt) <= now) this.schedule();
      else if (this.running === undefined) this.armTimer();
    });
  }

  private stopWith(fault: Error, works: readonly Work[]): void {
    this.fault = fault;
    this.cancelTimer?.();
    for (const work of works) work.abandon(fault, 'coordinator_failed');
    for (const work of this.inbox.takeAll()) work.abandon(fault, 'coordinator_failed');
    this.inbox.ease();
    this.options.onFault(fault);
  }
}
