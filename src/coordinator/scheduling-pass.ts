// One pass over the queue: as long as a worker has room, the first task that it may run goes to the
// worker that the algorithm selects. First everybody's free slots, then (for measured, short tasks)
// a small backlog beyond them. Every placement goes through the core like any other command.

import { hasFreeSlot, isAvailable, meets } from '../core/eligibility.ts';
import type { Event } from '../core/events.ts';
import { execute } from '../core/execute.ts';
import { mayPrefetch } from '../core/prefetch.ts';
import type { Lane } from '../core/queue.ts';
import { nextIndex, type EntryRecord, type JobRecord, type WorkerRecord } from '../core/records.ts';
import { takeSnapshot, type RecordSnapshot, type State } from '../core/state.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import { type LoggedDecision, PassRecord } from './decision-log.ts';
import { findCopy, hasCandidates } from './speculation.ts';

export interface PassOptions {
  readonly at: number;
  readonly newToken: () => string;
  readonly microseconds: () => number;
  /** Most placements in one pass; the rest follows after the commit. */
  readonly limit: number;
}

export interface PassResult {
  readonly events: Event[];
  /** The last placement, when there was one. */
  readonly decision: LoggedDecision | undefined;
  /** When a backlog should be looked at again, Infinity when there is none. */
  readonly recheckAt: number;
}

export function schedulingPass(
  state: State,
  scheduler: Scheduler,
  options: PassOptions,
): PassResult {
  state.wantsPass = false;
  const events: Event[] = [];
  const snapshot: RecordSnapshot = takeSnapshot(state);
  let decision: LoggedDecision | undefined;
  if (snapshot.workers.some((worker) => isAvailable(worker))) {
    const pass = new Pass(state, scheduler, snapshot, options, events);
    const startedAt = options.microseconds();
    if (!state.queue.isEmpty) pass.fillSlots();
    if (!state.queue.isEmpty) pass.fillBacklogs();
    decision = pass.decision(options.microseconds() - startedAt);
  }
  const recheckAt = state.queue.isEmpty
    ? Math.min(
        recallBacklogs(state, snapshot, options.at, events),
        copyStragglers(state, scheduler, snapshot, options, events),
      )
    : Infinity;
  return { events, decision, recheckAt };
}

class Pass {
  private readonly state: State;
  private readonly scheduler: Scheduler;
  private readonly snapshot: RecordSnapshot;
  private readonly options: PassOptions;
  private readonly events: Event[];
  private placed = 0;
  private record: PassRecord | undefined;

  constructor(
    state: State,
    scheduler: Scheduler,
    snapshot: RecordSnapshot,
    options: PassOptions,
    events: Event[],
  ) {
    this.state = state;
    this.scheduler = scheduler;
    this.snapshot = snapshot;
    this.options = options;
    this.events = events;
  }

  decision(microseconds: number): LoggedDecision | undefined {
    return this.record?.finish(this.options.at, this.state.config, microseconds);
  }

  fillSlots(): void {
    const open: { lane: Lane; mask: Mask }[] = [];
    for (const lane of this.state.queue.lanes()) {
      const mask = this.mask((worker) => this.mayRun(worker, lane) && hasFreeSlot(worker));
      if (mask.count > 0) open.push({ lane, mask });
    }
    for (;;) {
      const next = this.firstOf(open);
      if (next === undefined || this.isSpent()) return;
      const row = this.place(next.entry, next.mask);
      if (row < 0) next.mask.clear();
      else if (!hasFreeSlot(this.snapshot.workers[row]!))
        for (const { mask } of open) mask.drop(row);
    }
  }

  /** In each lane only the job in front: those behind it wait for a free slot. */
  fillBacklogs(): void {
    for (const lane of this.state.queue.lanes()) {
      let job: JobRecord | undefined;
      let mask: Mask | undefined;
      for (;;) {
        const entry = this.state.queue.first(lane);
        if (entry === undefined || this.isSpent()) break;
        const isMeasured = entry.job.smoothedTaskMs !== null;
        if (!isMeasured) break;
        if (entry.job !== job || mask === undefined) {
          job = entry.job;
          mask = this.mask(
            (worker) => this.mayRun(worker, lane) && this.mayHold(worker, entry.job),
          );
        }
        if (mask.count === 0) break;
        const row = this.place(entry, mask);
        if (row < 0) break;
        if (!this.mayHold(this.snapshot.workers[row]!, entry.job)) mask.drop(row);
      }
    }
  }

  private mayRun(worker: WorkerRecord, lane: Lane): boolean {
    return isAvailable(worker) && meets(worker, lane.kind, lane.requirements);
  }

  private mayHold(worker: WorkerRecord, job: JobRecord): boolean {
    return mayPrefetch(this.state.settings, worker, job);
  }

  private isSpent(): boolean {
    if (this.placed < this.options.limit) return false;
    this.state.wantsPass = true;
    return true;
  }

  /** In queue order, the first entry of all lanes that somebody may run. */
  private firstOf(
    open: readonly { lane: Lane; mask: Mask }[],
  ): { entry: EntryRecord; mask: Mask } | undefined {
    let best: { entry: EntryRecord; mask: Mask } | undefined;
    for (const { lane, mask } of open) {
      if (mask.count === 0) continue;
      const entry = this.state.queue.first(lane);
      if (entry === undefined) continue;
      if (best === undefined || this.state.queue.compare(entry, best.entry) < 0) {
        best = { entry, mask };
      }
    }
    return best;
  }

  /** The row that got the task, -1 when nobody takes it. */
  private place(entry: EntryRecord, mask: Mask): number {
    const index = nextIndex(entry);
    const avoid = entry.job.tasks.get(index)?.avoid ?? [];
    const preferred = avoid.length === 0 ? mask : this.without(mask, avoid);
    const eligible = preferred.count > 0 ? preferred : mask;
    // Before the placement changes the workers.
    const record = (this.record ??= new PassRecord(this.snapshot));
    const row = this.scheduler.select(this.snapshot, eligible.rows);
    const worker = this.snapshot.workers[row];
    if (worker === undefined) return -1;
    const { at, newToken } = this.options;
    const executed = execute(this.state, {
      type: 'assign',
      jobId: entry.job.spec.id,
      index,
      workerId: worker.id,
      token: newToken(),
      at,
    });
    if (executed.rejection !== undefined) return -1;
    for (const event of executed.events) this.events.push(event);
    this.placed++;
    record.note(row, eligible.rows, entry.job.spec.id, index);
    return row;
  }

  private mask(isEligible: (worker: WorkerRecord) => boolean): Mask {
    const mask = new Mask(this.snapshot.workers.length);
    this.snapshot.workers.forEach((worker, row) => {
      if (isEligible(worker)) mask.add(row);
    });
    return mask;
  }

  private without(mask: Mask, avoid: readonly string[]): Mask {
    const fewer = new Mask(this.snapshot.workers.length);
    this.snapshot.workers.forEach((worker, row) => {
      if (mask.rows[row] === 1 && !avoid.includes(worker.id)) fewer.add(row);
    });
    return fewer;
  }
}

class Mask {
  readonly rows: Uint8Array;
  count = 0;

  constructor(length: number) {
    this.rows = new Uint8Array(length);
  }

  add(row: number): void {
    this.rows[row] = 1;
    this.count++;
  }

  drop(row: number): void {
    if (this.rows[row] !== 1) return;
    this.rows[row] = 0;
    this.count--;
  }

  clear(): void {
    this.rows.fill(0);
    this.count = 0;
  }
}

/** Nothing waits, somebody is idle, and somebody else sits on tasks that do not move. */
function recallBacklogs(
  state: State,
  snapshot: RecordSnapshot,
  at: number,
  events: Event[],
): number {
  const hasIdle = snapshot.workers.some((worker) => isAvailable(worker) && hasFreeSlot(worker));
  if (!hasIdle) return Infinity;
  let recheckAt = Infinity;
  for (const worker of snapshot.workers) {
    if (worker.activeTasks <= worker.slots) continue;
    const dueAt = worker.lastReportAt + state.settings.recallAfterMs;
    if (dueAt > at) {
      recheckAt = Math.min(recheckAt, dueAt);
      continue;
    }
    const executed = execute(state, { type: 'recall_attempts', worker, at });
    for (const event of executed.events) events.push(event);
  }
  return recheckAt;
}

/** A straggler grows late without anything happening: it has to be looked for. */
const stragglerLookMs = 1000;

/** Nothing waits, somebody is idle: copies of what takes too long. */
function copyStragglers(
  state: State,
  scheduler: Scheduler,
  snapshot: RecordSnapshot,
  { at, newToken, limit }: PassOptions,
  events: Event[],
): number {
  const choose = (eligible: Uint8Array) => scheduler.select(snapshot, eligible);
  for (let copies = 0; copies < limit; copies++) {
    const isIdle = snapshot.workers.some((worker) => isAvailable(worker) && hasFreeSlot(worker));
    if (!isIdle) return Infinity;
    const copy = findCopy(state, snapshot.workers, choose, at);
    if (copy === undefined) break;
    const { task } = copy.attempt;
    const executed = execute(state, {
      type: 'speculate',
      jobId: task.job.spec.id,
      index: task.index,
      workerId: copy.worker.id,
      token: newToken(),
      at,
    });
    if (executed.rejection !== undefined) break;
    for (const event of executed.events) events.push(event);
  }
  return hasCandidates(state) ? at + stragglerLookMs : Infinity;
}
