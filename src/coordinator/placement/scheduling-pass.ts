// One pass over the queue: as long as a worker has room, the first task that it may run goes to the
// worker that the algorithm selects. First the free slots of all workers, then (for measured, short
// tasks) a small backlog beyond them. Every placement goes through the core like any other command.
//
// The scheduler looks at the cluster once, and each lane gets a contest among the workers that may run
// its tasks. These two steps cost O(workers); a placement does not, nor does a pass that finds nobody free.

import { isFailure } from '../../core/blame.ts';
import { hasFreeSlot, isAvailable, meets } from '../../core/eligibility.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { execute } from '../../core/execute.ts';
import { expectedTaskMs, mayTakeOneMore } from '../../core/prefetch.ts';
import { findPause, pausesUntil } from '../../core/refusals.ts';
import type { Lane } from '../../core/queue.ts';
import { nextIndex } from '../../core/entries.ts';
import type { EntryRecord, JobRecord, TaskRecord, WorkerRecord } from '../../core/records.ts';
import {
  findFree,
  findOverfull,
  takeSnapshot,
  type RecordSnapshot,
  type State,
} from '../../core/state.ts';
import type { Contest, Scheduler } from '../../scheduling/scheduler.ts';
import type { DecisionLog } from '../decisions/decision-log.ts';
import type { Absence, PassRecord } from '../decisions/pass-record.ts';
import { HeldAside } from './held-aside.ts';
import { recallBacklogs } from './recall.ts';
import { findStragglers, gainMs, hasCandidates, isTaker, type Straggler } from './speculation.ts';

export interface PassOptions {
  readonly at: number;
  readonly newToken: () => string;
  readonly microseconds: () => number;
  /** Most placements in one pass; the rest follows after the commit. */
  readonly limit: number;
  /** Keeps the decisions. */
  readonly log: DecisionLog;
  /** Called with every event, right after it was applied. */
  readonly note: (event: ToldEvent) => void;
}

export interface PassResult {
  readonly placements: number;
  /** Length of the pass. */
  readonly microseconds: number;
  /** When a backlog should be looked at again, Infinity when there is none. */
  readonly recheckAt: number;
}

export function schedulingPass(
  state: State,
  scheduler: Scheduler,
  options: PassOptions,
): PassResult {
  state.wantsPass = false;
  const snapshot = takeSnapshot(state);
  const pass = new Pass(state, scheduler, snapshot, options);
  const startedAt = options.microseconds();
  if (!state.queue.isEmpty) pass.fillSlots();
  if (!state.queue.isEmpty) pass.fillBacklogs();
  let recheckAt = pass.heldUntil;
  if (state.queue.isEmpty) {
    const overfull = findOverfull(state);
    const free = overfull.length > 0 || hasCandidates(state) ? findFree(state) : [];
    if (free.length > 0) {
      const recallAt = recallBacklogs(state, { idle: free, overfull }, options);
      recheckAt = Math.min(recallAt, pass.copyStragglers());
    }
  }
  const microseconds = options.microseconds() - startedAt;
  return { placements: pass.end(microseconds), microseconds, recheckAt };
}

/** A contest that is open, with its number in the record of the pass. */
interface OpenContest {
  readonly contest: Contest;
  readonly number: number;
}

interface OpenLane extends OpenContest {
  readonly lane: Lane;
}

/** An attempt becomes a straggler without any event, so the pass has to look for stragglers. */
const stragglerLookMs = 1000;

/** A task that may have its next attempt. */
interface Waiting {
  readonly entry: EntryRecord;
  readonly index: number;
}

/** Returned instead of a row when the task is held back. */
const heldAside = -2;

function hasFailedOn(task: TaskRecord, worker: WorkerRecord): boolean {
  return task.past.some(({ workerId, outcome }) => workerId === worker.id && isFailure(outcome));
}

class Pass {
  private readonly state: State;
  private readonly scheduler: Scheduler;
  private readonly snapshot: RecordSnapshot;
  private readonly options: PassOptions;
  private mask: Uint8Array<ArrayBuffer> | undefined;
  private placed = 0;
  /** Set when the first contest is opened. */
  private hasBegun = false;
  /** Undefined before that, and when no decisions are kept. */
  private record: PassRecord | undefined;
  private rows: Map<string, number> | undefined;
  /** Entries with tasks that wait for a worker on which they did not fail; see `mustWait`. */
  private readonly held = new Map<EntryRecord, HeldAside>();
  /** Entries of which every worker that could take a task pauses; see `refusals.ts` of the core. */
  private readonly pausedEntries = new Set<EntryRecord>();
  /** Rows of workers that pause for a job. */
  private readonly pausing = new Map<JobRecord, readonly number[]>();
  /** When the first of all that wait for a worker may be tried again. */
  heldUntil = Infinity;

  constructor(state: State, scheduler: Scheduler, snapshot: RecordSnapshot, options: PassOptions) {
    this.state = state;
    this.scheduler = scheduler;
    this.snapshot = snapshot;
    this.options = options;
  }

  /** How many were placed. `microseconds` is the length of the whole pass. */
  end(microseconds: number): number {
    if (this.record !== undefined) this.options.log.keep(this.record, microseconds);
    return this.placed;
  }

  fillSlots(): void {
    const free = findFree(this.state);
    if (free.length === 0) return;
    let open: OpenLane[] = [];
    for (const lane of this.state.queue.lanes()) {
      const opened = this.open(free, (worker) => this.mayRun(worker, lane));
      if (opened !== undefined) open.push({ lane, ...opened });
    }
    for (;;) {
      const next = this.firstOf(open);
      if (next === undefined || this.isSpent()) return;
      const row = this.place(next, next.lane);
      if (row === heldAside) continue;
      if (row < 0) open = open.filter((lane) => lane !== next.lane);
      else if (!hasFreeSlot(this.snapshot.workers[row]!))
        for (const each of open) this.drop(each, row);
    }
  }

  /** Fills backlogs from the front of each lane, up to the first task that no worker may take. */
  fillBacklogs(): void {
    // Here busy workers compete, which may not pause.
    this.pausedEntries.clear();
    for (const lane of this.state.queue.lanes()) {
      let job: JobRecord | undefined;
      let priority: number | undefined;
      let opened: OpenContest | undefined;
      for (;;) {
        const next = this.next(lane);
        if (next === undefined || this.isSpent()) break;
        const { entry } = next;
        if (!this.mayWaitAtWorkers(entry)) break;
        if (entry.job !== job || entry.priority !== priority) {
          ({ job, priority } = entry);
          opened = this.open(
            this.holders(entry.job),
            (worker) => this.mayHold(worker, entry) && this.mayRun(worker, lane),
          );
        }
        if (opened === undefined) break;
        const row = this.place(next, opened);
        if (row === heldAside) continue;
        if (row < 0) break;
        if (!this.mayHold(this.snapshot.workers[row]!, entry)) this.drop(opened, row);
      }
    }
  }

  /** Copies stragglers. Returns when to look again, Infinity when there is nothing to look at. */
  copyStragglers(): number {
    const { state } = this;
    const { at, limit } = this.options;
    while (this.placed < limit && this.copyOne());
    return hasCandidates(state) ? at + stragglerLookMs : Infinity;
  }

  private copyOne(): boolean {
    let best: { copy: Straggler; opened: OpenContest; row: number; gainMs: number } | undefined;
    const stragglers = findStragglers(this.state, this.options.at);
    if (stragglers.length === 0) return false;
    const free = findFree(this.state);
    for (const copy of stragglers) {
      const opened = this.open(free, (worker) => isTaker(worker, copy.attempt, this.options.at));
      const row = opened?.contest.best() ?? -1;
      const worker = this.snapshot.workers[row];
      if (opened === undefined || worker === undefined) continue;
      const gained = gainMs(copy, worker);
      if (gained > (best?.gainMs ?? 0)) best = { copy, opened, row, gainMs: gained };
    }
    if (best === undefined) return false;
    const { copy, opened, row } = best;
    const { job, index } = copy.attempt.task;
    return this.send('speculate', job, index, opened, row, noRows);
  }

  private mayRun(worker: WorkerRecord, lane: Lane): boolean {
    if (!isAvailable(worker) || !meets(worker, lane.kind, lane.requirements)) return false;
    const until = pausesUntil(worker, this.options.at);
    if (until > 0) this.heldUntil = Math.min(this.heldUntil, until);
    return until === 0;
  }

  /** Only what was measured, or may pass what waits there already. */
  private mayWaitAtWorkers({ job }: EntryRecord): boolean {
    return expectedTaskMs(job) !== null || this.state.queue.order === 'priority';
  }

  /**
   * Those that may have one more task of the job are among them. Nobody gets a backlog of tasks that are long, or not
   * measured: they can only pass that of others.
   */
  private holders(job: JobRecord): readonly WorkerRecord[] {
    const { mostSlots, settings, queue } = this.state;
    const taskMs = expectedTaskMs(job);
    const isShort = taskMs !== null && taskMs <= settings.prefetchMs * mostSlots;
    if (isShort) return this.snapshot.workers;
    const free = findFree(this.state);
    return queue.order === 'priority' ? [...free, ...findOverfull(this.state)] : free;
  }

  private mayHold(worker: WorkerRecord, entry: EntryRecord): boolean {
    return mayTakeOneMore(this.state, worker, entry, this.options.at);
  }

  private isSpent(): boolean {
    if (this.placed < this.options.limit) return false;
    this.state.wantsPass = true;
    return true;
  }

  /** The first task, in queue order, of all lanes that have a contest. */
  private firstOf(open: readonly OpenLane[]): (Waiting & { lane: OpenLane }) | undefined {
    let best: (Waiting & { lane: OpenLane }) | undefined;
    for (const lane of open) {
      const next = this.next(lane.lane);
      if (next === undefined) continue;
      if (best === undefined || this.state.queue.compare(next.entry, best.entry) < 0) {
        best = { ...next, lane };
      }
    }
    return best;
  }

  /** The first task of a lane, without those that are held back. */
  private next(lane: Lane): Waiting | undefined {
    if (this.held.size === 0 && this.pausedEntries.size === 0) {
      const entry = this.state.queue.first(lane);
      return entry && { entry, index: nextIndex(entry) };
    }
    for (let place = lane.head; place < lane.entries.length; place++) {
      const entry = lane.entries[place]!;
      if (this.pausedEntries.has(entry)) continue;
      const index = this.held.get(entry)?.next() ?? nextIndex(entry);
      if (index !== Infinity) return { entry, index };
    }
    return undefined;
  }

  /** The row that got the task, -1 when no worker takes it, `heldAside` when it waits for another worker. */
  private place({ entry, index }: Waiting, opened: OpenContest): number {
    const pausing = this.rowsPausing(entry.job);
    let except = joined(pausing, this.rowsToAvoid(entry.job, index));
    let row = opened.contest.best(except);
    if (row < 0) return -1;
    if (pausing.includes(row)) {
      // Only workers are left that pause or that are to be avoided: rather the latter.
      except = pausing;
      row = opened.contest.best(except);
      if (pausing.includes(row)) {
        this.pausedEntries.add(entry);
        return heldAside;
      }
    }
    if (except.includes(row) && this.mustWait(entry.job, index, row)) {
      let aside = this.held.get(entry);
      if (aside === undefined) this.held.set(entry, (aside = new HeldAside(entry)));
      // A task that has failed was assigned before, so it is the first due one, which `next` finds.
      aside.next();
      aside.hold();
      return heldAside;
    }
    return this.send('assign', entry.job, index, opened, row, except) ? row : -1;
  }

  /** Has the core assign the task to the row; false when the core refuses. */
  private send(
    type: 'assign' | 'speculate',
    job: JobRecord,
    index: number,
    { contest, number }: OpenContest,
    row: number,
    except: readonly number[],
  ): boolean {
    const { at, newToken } = this.options;
    const { id: jobId } = job.spec;
    const workerId = this.snapshot.workers[row]!.id;
    const executed = execute(this.state, { type, jobId, index, workerId, token: newToken(), at });
    if (executed.rejection !== undefined) return false;
    let attempt = 1;
    for (const event of executed.events) {
      if (event.type === 'task_assigned') ({ attempt } = event);
      this.options.note(event);
    }
    contest.take(row);
    this.placed++;
    this.record?.place(
      number,
      row,
      jobId,
      index,
      attempt,
      except.length === 0 ? undefined : except,
    );
    return true;
  }

  private drop({ contest, number }: OpenContest, row: number): void {
    contest.drop(row);
    this.record?.drop(number, row);
  }

  /** Undefined when no worker is eligible. */
  private open(
    among: readonly WorkerRecord[],
    isEligible: (worker: WorkerRecord) => boolean,
  ): OpenContest | undefined {
    const eligible = among.filter(isEligible);
    if (eligible.length === 0) return undefined;
    const mask = (this.mask ??= new Uint8Array(this.snapshot.workers.length));
    mask.fill(0);
    for (const { row } of eligible) mask[row] = 1;
    if (!this.hasBegun) this.begin();
    return { contest: this.scheduler.contest(mask), number: this.record?.open(mask) ?? 0 };
  }

  private begin(): void {
    this.hasBegun = true;
    const { scheduler, snapshot, state } = this;
    const { at, log } = this.options;
    scheduler.begin(snapshot);
    const absenceOf = (row: number) => absenceIn(snapshot.workers[row]!, at);
    this.record = log.begin({
      at,
      config: state.config,
      memory: scheduler.memory,
      snapshot,
      absenceOf,
    });
  }

  /**
   * The task has failed on every free worker, and others that could run it are busy. The task waits for
   * one of those for a while. Otherwise a device that fails everything fast would use up the budgets of
   * all tasks that it is given.
   */
  private mustWait(job: JobRecord, index: number, row: number): boolean {
    const { programKind, requirements } = job.spec;
    const task = job.tasks.get(index)!;
    const until = task.waitsSince + this.state.settings.otherWorkerMs;
    if (until <= this.options.at || !hasFailedOn(task, this.snapshot.workers[row]!)) return false;
    const hasOthers = this.snapshot.workers.some(
      (worker) =>
        isAvailable(worker) &&
        !task.avoid.includes(worker.id) &&
        findPause(job, worker, this.options.at) === undefined &&
        meets(worker, programKind, requirements),
    );
    if (hasOthers) this.heldUntil = Math.min(this.heldUntil, until);
    return hasOthers;
  }

  /** Workers on which the task failed, or that refused it. */
  private rowsToAvoid(job: JobRecord, index: number): readonly number[] {
    const avoid = job.tasks.get(index)?.avoid;
    return avoid === undefined || avoid.length === 0 ? noRows : this.rowsOf(avoid);
  }

  /** Workers that may not have a task of the job yet, because they did not take the last one. */
  private rowsPausing(job: JobRecord): readonly number[] {
    if (job.refusals.size === 0) return noRows;
    let rows = this.pausing.get(job);
    if (rows !== undefined) return rows;
    const ids: string[] = [];
    for (const [{ id }, { until }] of job.refusals) {
      if (until <= this.options.at) continue;
      ids.push(id);
      this.heldUntil = Math.min(this.heldUntil, until);
    }
    rows = ids.length === 0 ? noRows : this.rowsOf(ids);
    this.pausing.set(job, rows);
    return rows;
  }

  /** Of those that are in the snapshot. */
  private rowsOf(ids: readonly string[]): readonly number[] {
    this.rows ??= new Map(this.snapshot.workers.map(({ id }, row) => [id, row]));
    const rows: number[] = [];
    for (const id of ids) {
      const row = this.rows.get(id);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }
}

/** For the record: why a worker of the matrix can be given nothing. */
function absenceIn(worker: WorkerRecord, at: number): Absence | undefined {
  if (worker.connection.state !== 'connected') return 'connection_closed';
  if (worker.leaving) return 'leaving';
  if (worker.rest !== null) return 'resting';
  if (worker.asleep) return 'asleep';
  return pausesUntil(worker, at) > 0 ? 'unwilling' : undefined;
}

const noRows: readonly number[] = [];

function joined(some: readonly number[], more: readonly number[]): readonly number[] {
  if (some.length === 0) return more;
  return more.length === 0 ? some : [...new Set([...some, ...more])];
}
