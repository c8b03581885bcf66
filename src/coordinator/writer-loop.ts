// The one writer. It drains its inbox in batches: read the visitors, decide and apply every command,
// handle the deadlines that are due, run one scheduling pass, commit everything in one transaction,
// and only then release answers, dispatches and streams. Batch N+1 starts after commit N.
//
// A failed commit ends it: memory is ahead of the disk then, and nothing may be answered from it.

import type { Command } from '../core/commands.ts';
import type { Event } from '../core/events.ts';
import { execute, type Executed } from '../core/execute.ts';
import type { JobRecord } from '../core/records.ts';
import type { State } from '../core/state.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import type { BlobReference, IdempotencyRow, JobPayload } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { DecisionLog } from './decision-log.ts';
import type { PassRecord } from './pass-record.ts';
import type { Runtime } from './runtime.ts';
import { schedulingPass } from './scheduling-pass.ts';
import { loadVisitors, type Visitors, type Wanted } from './visitors.ts';
import { settleMemory, takeWriteBatch } from './write-batch.ts';

export interface Work {
  /** What must be in memory before it runs; undefined when nothing can be missing. */
  wants?(state: State, wanted: Wanted): void;
  run(batch: Batch): void;
  /** The batch will not be committed. */
  abandon(fault: Error): void;
  /** Roughly how many commands it holds; batches are cut by this. */
  readonly size: number;
}

/** One batch in the making. */
export interface Batch {
  readonly at: number;
  readonly visitors: Visitors;
  execute(command: Command): Executed;
  /** Stored together with the job that a command of this batch submits. */
  addPayload(payload: JobPayload): void;
  findJob(id: string): JobRecord | undefined;
  /** A job needs the blob from this batch on. */
  addBlobReference(reference: BlobReference): void;
  /** The submission that came with this key before, in the store or in this very batch. */
  findIdempotencyKey(key: string): IdempotencyRow | undefined;
  addIdempotencyKey(row: IdempotencyRow): void;
  /** Runs after the commit, in order. */
  afterCommit(release: () => void): void;
}

export interface LoopOptions {
  readonly state: State;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly scheduler: () => Scheduler;
  readonly log: DecisionLog;
  /** Sequence of the newest commit in the store. */
  readonly sequence: number;
  readonly onCommitted: (
    events: readonly Event[],
    payloads: readonly JobPayload[],
  ) => Promise<void>;
  readonly onFault: (fault: Error) => void;
  /** After every step, in tests and simulations. */
  readonly check?: (state: State) => void;
}

/** Commands in one batch, and placements in one pass: some milliseconds of work. */
const batchLimit = 300;

export class WriterLoop {
  private readonly options: LoopOptions;
  private inbox: Work[] = [];
  private sequence: number;
  private isScheduled = false;
  private running: Promise<void> | undefined;
  private fault: Error | undefined;
  private cancelTimer: (() => void) | undefined;
  private timerAt = Infinity;
  private recheckAt = Infinity;
  private decisions = 0;
  private decisionMicroseconds = 0;

  constructor(options: LoopOptions) {
    this.options = options;
    this.sequence = options.sequence;
  }

  submit(work: Work): void {
    if (this.fault !== undefined) return work.abandon(this.fault);
    this.inbox.push(work);
    this.schedule();
  }

  /** Runs in the next batch; the answer is made and given after its commit. */
  ask<T>(
    run: (batch: Batch) => () => T,
    { wants, size = 1 }: { readonly wants?: (wanted: Wanted) => void; readonly size?: number } = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      this.submit({
        size,
        wants: (_state, wanted) => wants?.(wanted),
        abandon: reject,
        run: (batch) => {
          const answer = run(batch);
          batch.afterCommit(() => resolve(answer()));
        },
      });
    });
  }

  /** Resolves when memory shows committed state only; the caller must read without awaiting. */
  async settled(): Promise<void> {
    while (this.running !== undefined) await this.running;
    if (this.fault !== undefined) throw this.fault;
  }

  /** Resolves when the inbox is empty; nothing may be submitted after. */
  async finish(): Promise<void> {
    while (this.fault === undefined && (this.inbox.length > 0 || this.running !== undefined)) {
      await (this.running ?? this.drain());
    }
    this.fault ??= new Error('The coordinator has stopped.');
    this.cancelTimer?.();
  }

  /** Over all decisions since the start, or since everything was cleared; null before the first. */
  get meanDecisionMicroseconds(): number | null {
    return this.decisions === 0 ? null : this.decisionMicroseconds / this.decisions;
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
    this.options.runtime.defer(() => {
      this.isScheduled = false;
      if (this.running === undefined && this.fault === undefined) void this.drain();
    });
  }

  private drain(): Promise<void> {
    this.running = this.runBatch(this.takeWorks()).then(() => {
      this.running = undefined;
      if (this.fault !== undefined) return;
      if (this.inbox.length > 0 || this.options.state.wantsPass) this.schedule();
      else this.armTimer();
    });
    return this.running;
  }

  private takeWorks(): Work[] {
    let size = 0;
    let count = 0;
    while (count < this.inbox.length && size < batchLimit) size += this.inbox[count++]!.size;
    if (count === this.inbox.length) {
      const all = this.inbox;
      this.inbox = [];
      return all;
    }
    return this.inbox.splice(0, count);
  }

  private async runBatch(works: readonly Work[]): Promise<void> {
    const { state, store, runtime, onCommitted } = this.options;
    try {
      const visitors = await loadVisitors(state, store, works, runtime.now());
      const batch = new OpenBatch(state, runtime.now(), visitors, this.options.check);
      for (const work of works) work.run(batch);
      this.expireDeadlines(batch);
      this.runPass(batch);
      const write = takeWriteBatch(state, this.sequence + 1, batch);
      if (write !== undefined) {
        await store.commit(write, batch.at);
        this.sequence++;
      }
      settleMemory(state);
      visitors.leave(state);
      for (const release of batch.releases) release();
      if (batch.events.length > 0) await onCommitted(batch.events, batch.payloads);
    } catch (error) {
      this.stopWith(error as Error, works);
    }
  }

  private expireDeadlines(batch: OpenBatch): void {
    const { state, runtime } = this.options;
    for (let i = 0; i < batchLimit && state.deadlines.next <= batch.at; i++) {
      batch.execute({ type: 'expire', at: batch.at, chance: runtime.chance() });
    }
  }

  private runPass(batch: OpenBatch): void {
    const { state, runtime, scheduler, log, check } = this.options;
    if (!state.wantsPass && this.recheckAt > batch.at) return;
    const result = schedulingPass(state, scheduler(), {
      at: batch.at,
      newToken: runtime.newToken,
      microseconds: runtime.microseconds,
      limit: batchLimit,
      log,
    });
    for (const event of result.events) batch.events.push(event);
    this.recheckAt = result.recheckAt;
    if (result.record !== undefined) this.count(result.record);
    check?.(state);
  }

  private count({ placements, microseconds }: PassRecord): void {
    this.decisions += placements;
    this.decisionMicroseconds += microseconds;
  }

  private armTimer(): void {
    const at = Math.min(this.options.state.deadlines.next, this.recheckAt);
    if (at === this.timerAt) return;
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    this.timerAt = at;
    if (at === Infinity) return;
    this.cancelTimer = this.options.runtime.setTimer(at, () => {
      this.timerAt = Infinity;
      this.cancelTimer = undefined;
      this.schedule();
    });
  }

  private stopWith(fault: Error, works: readonly Work[]): void {
    this.fault = fault;
    this.cancelTimer?.();
    for (const work of works) work.abandon(fault);
    for (const work of this.inbox) work.abandon(fault);
    this.inbox = [];
    this.options.onFault(fault);
  }
}

class OpenBatch implements Batch {
  readonly at: number;
  readonly visitors: Visitors;
  readonly events: Event[] = [];
  readonly payloads: JobPayload[] = [];
  readonly blobReferences: BlobReference[] = [];
  readonly idempotencyKeys = new Map<string, IdempotencyRow>();
  readonly releases: (() => void)[] = [];
  private readonly state: State;
  private readonly check: ((state: State) => void) | undefined;

  constructor(
    state: State,
    at: number,
    visitors: Visitors,
    check: ((state: State) => void) | undefined,
  ) {
    this.state = state;
    this.at = at;
    this.visitors = visitors;
    this.check = check;
  }

  execute(command: Command): Executed {
    const executed = execute(this.state, command);
    for (const event of executed.events) this.events.push(event);
    this.check?.(this.state);
    return executed;
  }

  addPayload(payload: JobPayload): void {
    this.payloads.push(payload);
  }

  findJob(id: string): JobRecord | undefined {
    return this.state.jobs.get(id);
  }

  addBlobReference(reference: BlobReference): void {
    this.blobReferences.push(reference);
  }

  findIdempotencyKey(key: string): IdempotencyRow | undefined {
    return this.idempotencyKeys.get(key) ?? this.visitors.idempotencyKeys.get(key);
  }

  addIdempotencyKey(row: IdempotencyRow): void {
    this.idempotencyKeys.set(row.key, row);
  }

  afterCommit(release: () => void): void {
    this.releases.push(release);
  }
}
