// Checks checkpoints: only the attempt that holds the task may save one; it is on the disk when it is
// acknowledged and after every crash; an open task has two at most, and a task that is over has none. A
// task resumes from the newest one, and its recovery event says so.

import type { ToldAs, ToldEvent } from '../../core/told-events.ts';
import type { SaveCheckpoint } from '../../core/commands.ts';
import { parseTaskId, taskId } from '../../core/task-key.ts';
import { payloadText } from '../../protocol/codec.ts';
import type { AcceptedReport, Assignment } from '../../protocol/messages.ts';
import type { JobFolder, MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { CheckpointRow, NewCheckpoint, RecoveryRow, WriteBatch } from '../../store/rows.ts';
import type { AttemptChecker } from './attempt-checker.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { findFolder, visibleJobs } from './disk-view.ts';
import { lie } from './task-checker.ts';
import { chainAt, type SavedState } from '../workload.ts';

const keptStates = 2;

/** How an attempt began: from a checkpoint with this progress, or anew. */
type Beginning = number | 'anew';

type CheckpointSaved = ToldAs<'checkpoint_saved'>;

export type GivenAttempt = Pick<Assignment, 'task_id' | 'attempt' | 'token' | 'checkpoint'>;

export class CheckpointChecker {
  private readonly disk: MemoryDisk;
  private readonly attempts: Pick<AttemptChecker, 'liveOf'>;
  /** The newest checkpoint that was accepted, by task. */
  private readonly newest = new Map<string, Pick<CheckpointRow, 'attempt' | 'sequence'>>();
  /** How each attempt that left for a worker began. */
  private readonly begun = new Map<string, Beginning>();
  /** Run time behind the state that an attempt was given, by attempt. */
  private readonly runBefore = new Map<string, number>();
  /** Attempts of earlier lives of the coordinator. */
  private readonly old = new Set<string>();
  /** Attempts that were given beside one that was live. */
  private readonly copies = new Set<string>();
  /** The recovery events, by the attempt that resumed. */
  private readonly recorded = new Map<string, RecoveryRow>();

  constructor(disk: MemoryDisk, attempts: Pick<AttemptChecker, 'liveOf'>) {
    this.disk = disk;
    this.attempts = attempts;
  }

  /** Called with committed events, in order, before they change the attempts. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'task_assigned':
        if (event.isCopy) {
          this.copies.add(`${taskId(event.job.spec.id, event.index)} #${event.attempt}`);
        }
        return;
      case 'checkpoint_saved':
        this.accepted(event.command);
        return this.compareRunTime(event);
      case 'checkpoint_dropped': {
        const { task, attempt } = event.checkpoint;
        const what = 'is taken for damaged, which it is not';
        throw broken(taskId(task.job.spec.id, task.index), `a checkpoint of #${attempt} ${what}`);
      }
      // Checkpoints end with the job: a retry begins from the start.
      case 'job_cancelled':
      case 'job_abandoned':
        for (const id of this.newest.keys()) {
          if (parseTaskId(id)?.jobId === event.job.spec.id) this.newest.delete(id);
        }
        return;
      default:
        return;
    }
  }

  /** After a crash: the newest accepted checkpoint, or a newer one, must be on the disk. */
  resume(): void {
    for (const [id, newest] of this.newest) {
      const parsed = parseTaskId(id);
      const folder = parsed === undefined ? undefined : findFolder(this.disk, parsed.jobId);
      if (folder === undefined || isOver(folder, parsed!.index)) continue;
      const { attempt, sequence } = newest;
      const row = folder.checkpoints.find(
        (one) =>
          one.index === parsed!.index && one.attempt === attempt && one.sequence === sequence,
      );
      const kept = folder.kept.get(parsed!.index)?.at(-1);
      if (row === undefined || kept === undefined || kept.id < row.id) {
        throw broken(id, `its checkpoint ${sequence} of #${attempt} is gone`);
      }
    }
    for (const name of this.begun.keys()) this.old.add(name);
    this.newest.clear();
    for (const folder of visibleJobs(this.disk)) {
      for (const [index, kept] of folder.kept) {
        this.newest.set(taskId(folder.row.spec.id, index), kept.at(-1)!);
      }
    }
  }

  /** Called with reports that a worker may forget now. */
  acknowledged(reports: readonly AcceptedReport[]): void {
    for (const { task_id: id, attempt, kind } of reports) {
      if (kind !== 'checkpoint') continue;
      const parsed = parseTaskId(id)!;
      const folder = findFolder(this.disk, parsed.jobId);
      if (folder === undefined) continue;
      const isThere = folder.checkpoints.some(
        (row) => row.index === parsed.index && row.attempt === attempt,
      );
      if (!isThere) throw broken(id, `a checkpoint of #${attempt} is acknowledged and not stored`);
    }
  }

  /** Called when a batch was written. */
  written(batch: WriteBatch): void {
    const keys = new Set([
      ...batch.jobs.map(({ spec }) => spec.key),
      ...batch.tasks.map(({ jobKey }) => jobKey),
      ...batch.checkpoints.map(({ row }) => row.jobKey),
    ]);
    for (const key of keys) {
      const folder = this.disk.jobs.get(key);
      if (folder?.row.spec.generation === this.disk.generation) this.checkKept(folder);
    }
    const dropped = new Set(batch.droppedStates);
    for (const checkpoint of batch.checkpoints) this.checkState(checkpoint, dropped);
    for (const row of batch.recoveries) this.checkRecovery(row);
  }

  /**
   * Attempts leave for a worker: each must resume from the newest checkpoint, a copy from either of
   * the two.
   */
  begins(assignments: readonly GivenAttempt[]): void {
    for (const { task_id: id, attempt, token, checkpoint } of assignments) {
      const parsed = parseTaskId(id)!;
      const folder = findFolder(this.disk, parsed.jobId);
      const row = folder?.tasks.get(parsed.index);
      const isLive = row?.token === token || row?.others.some((other) => other.token === token);
      // An attempt that had ended before it left has no checkpoint any more.
      if (row?.status !== 'assigned' || isLive !== true) continue;
      const kept = folder!.kept.get(parsed.index) ?? [];
      const name = `${id} #${attempt}`;
      const given = checkpoint === undefined ? 'nothing' : describe(checkpoint);
      const all = kept.map((each) => describe({ ...each, state: this.stateOf(each) }));
      const right = all.at(-1) ?? 'nothing';
      // The original may have saved another checkpoint since the copy was made, and ended before it left.
      const isCopy = row.others.length > 0 || this.copies.has(name);
      const isRight = isCopy ? [...all, 'nothing'].includes(given) : given === right;
      if (!isRight) {
        throw new BrokenPromise(`${name} is to resume from ${given}, kept is ${right}.`);
      }
      this.begun.set(name, checkpoint?.progress ?? 'anew');
      // The states that a copy was to resume from may be gone when they are read: it begins anew, and who has assigned it
      // counts what lay behind them all the same.
      const isUnsure = isCopy && given === 'nothing' && kept.length > 0;
      if (!isUnsure) this.runBefore.set(name, kept[all.indexOf(given)]?.runMs ?? 0);
      this.compareRecovery(name);
    }
  }

  private accepted({
    jobId,
    index,
    attempt,
    sequence,
    token,
    workerId,
    state,
  }: SaveCheckpoint): void {
    const id = taskId(jobId, index);
    const [original] = this.attempts.liveOf(id);
    const isTheirs =
      original?.attempt === attempt && original.token === token && original.workerId === workerId;
    if (!isTheirs) {
      const holds = original === undefined ? 'nobody holds it' : `#${original.attempt} holds it`;
      throw broken(id, `a checkpoint of #${attempt} by ${workerId} was accepted; ${holds}`);
    }
    const before = this.newest.get(id);
    if (before?.attempt === attempt && sequence <= before.sequence) {
      throw broken(id, `checkpoint ${sequence} of #${attempt} is taken after ${before.sequence}`);
    }
    if (state.encoding === 'json' && state.text.includes(lie))
      throw broken(id, 'resumes from a lie');
    this.newest.set(id, { attempt, sequence });
  }

  /** What lies behind a state: what its attempt has run, and what lay behind the one it began from. */
  private compareRunTime({ startedAt, assignedAt, command }: CheckpointSaved): void {
    const { jobId, index, attempt, sequence, at, runMs } = command;
    const id = taskId(jobId, index);
    const name = `${id} #${attempt}`;
    const before = this.runBefore.get(name);
    const row = findFolder(this.disk, jobId)?.checkpoints.findLast(
      (one) => one.index === index && one.attempt === attempt && one.sequence === sequence,
    );
    if (row === undefined || before === undefined) return;
    const right = before + Math.min(runMs ?? at - startedAt, at - assignedAt);
    if (Math.abs(row.runMs - right) < 0.001) return;
    throw broken(
      id,
      `${row.runMs} ms lie behind a checkpoint of #${attempt}, right is ${right} ms`,
    );
  }

  private checkKept({ row: job, tasks, kept }: JobFolder): void {
    for (const [index, rows] of kept) {
      const id = taskId(job.spec.id, index);
      if (rows.length > keptStates) throw broken(id, `${rows.length} of its states are kept`);
      const status = tasks.get(index)?.status;
      if (status === 'completed' || status === 'cancelled') {
        throw broken(id, `it is ${status} and its checkpoints are kept`);
      }
      for (const { id: checkpointId } of rows) {
        if (!this.disk.states.has(checkpointId)) throw broken(id, 'the state it needs is gone');
      }
    }
  }

  /** A state must belong to its task and be what the task had computed by then. */
  private checkState({ row, state }: NewCheckpoint, dropped: ReadonlySet<number>): void {
    const folder = this.disk.jobs.get(row.jobKey);
    if (folder?.row.spec.generation !== this.disk.generation) return;
    const id = taskId(row.jobId, row.index);
    const kept = folder.kept.get(row.index)?.at(-1);
    if (!dropped.has(row.id) && (kept === undefined || kept.id < row.id)) {
      throw broken(id, `checkpoint ${row.sequence} of #${row.attempt} was stored and is not kept`);
    }
    if (state?.encoding !== 'json') return;
    const saved = JSON.parse(state.text) as SavedState;
    if (saved.attempt !== row.attempt) {
      throw broken(id, `a state of #${saved.attempt} is stored as one of #${row.attempt}`);
    }
    if (saved.chain !== chainAt(saved.id, saved.step)) throw broken(id, 'its state is wrong');
  }

  private checkRecovery(row: RecoveryRow): void {
    const { jobId, index, nextAttempt, outcome, checkpointId, resumedFromProgress } = row;
    const id = taskId(jobId, index);
    if (outcome !== 'resumed' && outcome !== 'restarted') return;
    const hasPoint = checkpointId !== null && resumedFromProgress !== null;
    if (hasPoint !== (outcome === 'resumed')) {
      throw broken(id, `its recovery event says ${outcome}, from checkpoint ${checkpointId}`);
    }
    if (nextAttempt === null) throw broken(id, `its recovery event says ${outcome} by no attempt`);
    this.recorded.set(`${id} #${nextAttempt}`, row);
    this.compareRecovery(`${id} #${nextAttempt}`);
  }

  private compareRecovery(name: string): void {
    const row = this.recorded.get(name);
    const begun = this.begun.get(name);
    if (row === undefined || begun === undefined) return;
    // The checkpoint that a copy began from is not stored: after a restart its event names the
    // newest one.
    if (row.reason === 'straggler' && this.old.has(name)) return;
    const says = row.resumedFromProgress ?? 'anew';
    if (says === begun) return;
    throw new BrokenPromise(
      `${name} began ${wording(begun)}; its recovery event says ${row.outcome} ${wording(says)}.`,
    );
  }

  private stateOf({ id }: CheckpointRow): unknown {
    const state = this.disk.states.get(id)?.state;
    return state?.encoding === 'json' ? (JSON.parse(state.text) as unknown) : undefined;
  }
}

function isOver({ row: job, tasks }: JobFolder, index: number): boolean {
  const status = tasks.get(index)?.status;
  const isDone = status === 'completed' || status === 'cancelled';
  return isDone || (job.status === 'cancelled' && status !== 'failed');
}

function describe(given: { sequence: number; progress: number; state?: unknown }): string {
  return `checkpoint ${given.sequence} at ${given.progress}: ${payloadText(given.state)}`;
}

function wording(beginning: Beginning): string {
  return beginning === 'anew' ? 'anew' : `at ${beginning}`;
}

function broken(id: string, what: string): BrokenPromise {
  return new BrokenPromise(`Task ${id}: ${what}.`);
}
