// Every attempt that this worker holds, and what becomes of it. The workload knows orders and
// outcomes; of connections, heartbeats and leaving it knows only that `out` may be closed.
//
// Invariant: a held attempt is in exactly one place (`Place`), and has at most one final report.

import { payloadText } from '../../protocol/codec.ts';
import type { AcceptedReport, Assignment, RejectedReport } from '../../protocol/messages.ts';
import { localOwner } from '../../protocol/owner.ts';
import type { AttemptKey, ExecutorEvent, ExecutorOutcome, StopReason } from '../executor.ts';
import type { Ending, LocalAttempt, Report } from './local-attempt.ts';
import { attemptKey, attemptRef } from './local-attempt.ts';
import { handOver } from './hand-over.ts';
import type { MachineOptions, MachineTuning } from './port.ts';
import type { Job } from './jobs.ts';
import { Jobs } from './jobs.ts';
import { Outbox } from './outbox.ts';
import { conclude, noteEvent } from './conclusion.ts';
import type { Outgoing } from './outgoing.ts';
import { PrintedTexts } from './printed.ts';
import { AttemptQueue } from './queue.ts';
import { Slot } from './slot.ts';

/** Codes of rejections that concern the value of a result only: its attempt is still valid. */
const valueProblems: ReadonlySet<string> = new Set([
  'result_too_large',
  'invalid_report',
  'unknown_blob',
]);

export class Workload {
  readonly tuning: MachineTuning;
  readonly out: Outgoing;
  private readonly wattsPerCore: number | null;
  readonly jobs: Jobs;
  readonly slots: readonly Slot[];
  /** Invariant: in the order of arrival, so that the oldest come first. */
  readonly held = new Map<AttemptKey, LocalAttempt>();
  /** Attempts that are no longer held and stay in the executor until it answers the stop. */
  readonly stopping = new Map<AttemptKey, LocalAttempt>();
  readonly queue = new AttemptQueue();
  readonly outbox = new Outbox();
  /** Attempts whose latest progress was not sent yet. */
  readonly stale = new Set<LocalAttempt>();
  readonly printed: PrintedTexts;
  /** False while draining or leaving: what has not begun is released. */
  private isAccepting = true;

  constructor(options: MachineOptions, tuning: MachineTuning, out: Outgoing) {
    this.tuning = tuning;
    this.wattsPerCore = options.wattsPerCore ?? null;
    this.out = out;
    this.jobs = new Jobs(options, tuning);
    this.printed = new PrintedTexts(tuning.printed);
    this.slots = Array.from({ length: options.slots }, (_, index) => new Slot(index));
  }

  take(assignment: Assignment, job: Job, nowMs: number): void {
    const key = attemptKey(assignment.task_id, assignment.attempt);
    const known = this.held.get(key);
    if (known !== undefined) return this.takeAgain(known, assignment.token, nowMs);
    const attempt = newAttempt(key, assignment, job, nowMs);
    this.held.set(key, attempt);
    this.jobs.hold(job);
    if (!this.isAccepting) return this.release(attempt);
    if (job.unfit !== null) return this.refuse(attempt, job.unfit, nowMs);
    if (this.stopping.has(key)) attempt.place = { at: 'parked' };
    else this.queue.append(attempt);
  }

  /**
   * An assignment whose program is not here is given back, so that it comes again with the source.
   * When the coordinator has not named the program either, it is refused: it would come again the
   * same way.
   */
  decline(assignment: Assignment, lacks: string | undefined, nowMs: number): void {
    const known = this.held.get(attemptKey(assignment.task_id, assignment.attempt));
    if (known !== undefined) return this.takeAgain(known, assignment.token, nowMs);
    if (lacks !== undefined) return this.out.lack(assignment, lacks);
    const { task_id, attempt, token } = assignment;
    const entry = { task_id, attempt, token, reason: 'unknown_program' };
    this.out.report({ kind: 'refusal', entry });
  }

  /** An order to stop, by any message: the attempt is not reported from here on. */
  stop(taskId: string, attemptNumber: number, reason: StopReason): void {
    const attempt = this.held.get(attemptKey(taskId, attemptNumber));
    if (attempt === undefined) return;
    if (attempt.place.at === 'handed') this.abandon(attempt, reason);
    else this.forget(attempt);
  }

  recall(taskId: string, attemptNumber: number): void {
    const attempt = this.held.get(attemptKey(taskId, attemptNumber));
    if (attempt === undefined) return;
    const { place } = attempt;
    if (place.at === 'queued' || place.at === 'parked') return this.release(attempt);
    if (place.at !== 'handed') return;
    if (place.ending === 'requeue') place.ending = 'release';
    const { running } = place.slot;
    const mayHaveBegun = running === null || running === attempt;
    if (place.ending !== 'none' || mayHaveBegun) return;
    this.end(attempt, 'release', 'revoked');
  }

  acknowledge(report: AcceptedReport): void {
    const attempt = this.held.get(attemptKey(report.task_id, report.attempt));
    if (attempt === undefined) return;
    if (report.kind === 'checkpoint') return this.settleCheckpoint(attempt, true);
    if (isReportOf(attempt, report)) this.forget(attempt);
  }

  reject(report: RejectedReport, nowMs: number): void {
    const attempt = this.held.get(attemptKey(report.task_id, report.attempt));
    if (attempt === undefined) return;
    if (report.kind === 'checkpoint') return this.settleCheckpoint(attempt, false);
    if (!isReportOf(attempt, report)) return;
    // When only the value was rejected, the attempt is still valid and ends with a failure.
    if (report.kind !== 'result' || !valueProblems.has(report.code)) return this.forget(attempt);
    // The next attempt uploads a missing blob again; a bad value would be as bad again.
    const retryable = report.code === 'unknown_blob';
    const error = { error_type: report.code, error_message: report.detail, retryable };
    this.report(attempt, { kind: 'failure', entry: { ...attemptRef(attempt), ...error } }, nowMs);
  }

  onExecutorEvent(event: ExecutorEvent, nowMs: number): void {
    if (event.type === 'finished') {
      for (const outcome of event.outcomes) this.finish(outcome, nowMs);
    } else if (event.type === 'returned') {
      for (const key of event.keys.toReversed()) this.takeBack(key);
    } else {
      const attempt = this.held.get(event.key);
      if (attempt?.place.at === 'handed') noteEvent(this, attempt, attempt.place, event, nowMs);
    }
  }

  /** Hands queued attempts to slots with room. Called once, at the end of every step. */
  handOver(): void {
    if (this.queue.first !== null) handOver(this.queue, this.slots, this.tuning, this.out);
    this.unblock();
  }

  setAccepting(isAccepting: boolean): void {
    this.isAccepting = isAccepting;
    if (isAccepting) return;
    for (const attempt of this.held.values()) {
      if (attempt.place.at === 'queued' || attempt.place.at === 'parked') this.release(attempt);
    }
  }

  /** Asks running attempts for a checkpoint: they may not come to their end here. */
  orderCheckpoints(): void {
    for (const { index: slot, running } of this.slots) {
      const isWanted = running?.place.at === 'handed' && running.place.ending === 'none';
      if (isWanted) this.out.push({ type: 'checkpoint', slot, key: running.key });
    }
  }

  /** The worker leaves: stops attempts that still run; their checkpoints are still sent. */
  giveUp(): void {
    for (const attempt of this.held.values()) {
      if (attempt.place.at === 'handed') this.end(attempt, 'release_by_bye', 'leaving');
    }
  }

  /** Forgets all attempts and stops those that run. */
  abandonAll(): void {
    for (const attempt of this.held.values()) {
      if (attempt.place.at === 'handed') this.abandon(attempt, 'revoked');
      else this.forget(attempt);
    }
  }

  /** After `welcome`: sends again everything that may not have arrived. */
  resendAll(nowMs: number): void {
    // Checkpoints first: after the failure of its attempt a checkpoint would come too late.
    for (const attempt of this.held.values()) {
      const checkpoint = hasCheckpoints(attempt) ? attempt.checkpoints?.resend() : null;
      if (checkpoint) this.out.checkpoint(attempt, checkpoint);
    }
    this.outbox.resend(Infinity, this.out, nowMs);
    for (const { running } of this.slots) if (running !== null) this.out.start(running);
  }

  /** Progress or printed text waits for its window to pass. */
  get hasNews(): boolean {
    return this.stale.size > 0 || this.printed.isWaiting;
  }

  flushProgress(): void {
    for (const attempt of this.stale) this.out.progressOf(attempt);
    this.stale.clear();
    this.printed.flush(this.out);
  }

  private report(attempt: LocalAttempt, report: Report, nowMs: number): void {
    // After a failure the next attempt resumes from the newest checkpoint; after a result nothing
    // does.
    const last = report.kind === 'failure' ? attempt.checkpoints?.flush() : null;
    if (last) this.out.checkpoint(attempt, last);
    this.outbox.put(attempt, report, this.out, nowMs);
  }

  /** Back to the coordinator: it has not begun and never will. */
  private release(attempt: LocalAttempt): void {
    this.out.release(attempt);
    this.forget(attempt);
  }

  /** Stopped because the worker leaves: `bye` releases it after its last checkpoint. */
  private releaseByBye(attempt: LocalAttempt): void {
    if (attempt.checkpoints?.isPending === true) attempt.place = { at: 'saving' };
    else this.forget(attempt);
  }

  /** Not begun after all: it waits again, or is released when nothing new is accepted. */
  private requeue(attempt: LocalAttempt, at: 'head' | 'tail'): void {
    if (!this.isAccepting) this.release(attempt);
    else if (at === 'head') this.queue.prepend(attempt);
    else this.queue.append(attempt);
  }

  forget(attempt: LocalAttempt): void {
    if (attempt.place.at === 'queued') this.queue.remove(attempt);
    if (attempt.place.at === 'reported') this.outbox.remove(attempt);
    attempt.place = { at: 'gone' };
    this.held.delete(attempt.key);
    this.jobs.letGo(attempt.job);
  }

  private finish(outcome: ExecutorOutcome, nowMs: number): void {
    const left = this.leaveSlot(outcome.key);
    if (left === undefined) {
      this.out.log('warn', 'unknown_outcome', `${outcome.key} is in no slot.`);
      return;
    }
    const { attempt, ending } = left;
    if (outcome.type !== 'stopped') attempt.job.pace.measure(outcome.runMs, this.tuning);
    const conclusion = conclude(attempt, ending, outcome, this.wattsPerCore);
    if (conclusion.type === 'report') this.report(attempt, conclusion.report, nowMs);
    else if (conclusion.type === 'requeue') this.requeue(attempt, 'tail');
    else if (conclusion.type === 'release') this.release(attempt);
    else if (conclusion.type === 'release_by_bye') this.releaseByBye(attempt);
  }

  /** Takes a handed attempt out of its slot; undefined when no slot holds it. */
  private leaveSlot(key: AttemptKey): { attempt: LocalAttempt; ending: Ending } | undefined {
    const attempt = this.stopping.get(key) ?? this.held.get(key);
    if (attempt?.place.at !== 'handed') return undefined;
    const { place } = attempt;
    place.slot.remove(attempt, place);
    attempt.place = { at: 'gone' };
    this.stale.delete(attempt);
    if (place.ending === 'drop') this.finishStopping(attempt);
    else this.printed.end(attempt, this.out);
    return { attempt, ending: place.ending };
  }

  private takeAgain(known: LocalAttempt, token: string, nowMs: number): void {
    known.token = token;
    const { place } = known;
    if (place.at === 'reported') {
      // A coordinator that had the report would not assign the attempt again.
      const entry = { ...place.report.entry, token };
      this.report(known, { ...place.report, entry } as Report, nowMs);
    }
  }

  private refuse(attempt: LocalAttempt, reason: string, nowMs: number): void {
    this.report(attempt, { kind: 'refusal', entry: { ...attemptRef(attempt), reason } }, nowMs);
  }

  private takeBack(key: AttemptKey): void {
    const left = this.leaveSlot(key);
    if (left === undefined || left.ending === 'drop') return;
    const { attempt, ending } = left;
    if (ending === 'release') this.release(attempt);
    else if (ending === 'release_by_bye') this.releaseByBye(attempt);
    else this.requeue(attempt, 'head');
  }

  private settleCheckpoint(attempt: LocalAttempt, isAccepted: boolean): void {
    const next = attempt.checkpoints?.settle(isAccepted) ?? null;
    if (next !== null && hasCheckpoints(attempt)) this.out.checkpoint(attempt, next);
    else if (attempt.place.at === 'saving') this.forget(attempt);
  }

  private end(
    attempt: LocalAttempt,
    ending: 'requeue' | 'release' | 'release_by_bye' | 'drop',
    reason: StopReason,
  ): void {
    if (attempt.place.at !== 'handed') return;
    const { slot } = attempt.place;
    if (!slot.end(attempt.place, ending)) return;
    this.out.push({ type: 'stop', slot: slot.index, key: attempt.key, reason });
  }

  private abandon(attempt: LocalAttempt, reason: StopReason): void {
    this.end(attempt, 'drop', reason);
    this.held.delete(attempt.key);
    this.stopping.set(attempt.key, attempt);
    this.stale.delete(attempt);
    this.printed.forget(attempt);
  }

  private finishStopping(attempt: LocalAttempt): void {
    this.stopping.delete(attempt.key);
    this.jobs.letGo(attempt.job);
    const successor = this.held.get(attempt.key);
    if (successor?.place.at === 'parked') this.queue.append(successor);
  }

  /** What waits behind a long task goes to a free slot, or back to the coordinator when nothing is accepted. */
  private unblock(): void {
    if (this.queue.first !== null) return;
    const isWanted = !this.isAccepting || this.slots.some((slot) => slot.handed.size === 0);
    if (!isWanted) return;
    for (const slot of this.slots) {
      if (!slot.isBlocked()) continue;
      for (const [attempt, place] of slot.waiting()) {
        if (place.ending !== 'none') continue;
        this.end(attempt, this.isAccepting ? 'requeue' : 'release', 'revoked');
      }
    }
  }
}

function newAttempt(
  key: AttemptKey,
  assignment: Assignment,
  job: Job,
  nowMs: number,
): LocalAttempt {
  const { task_id: taskId, attempt, token, index, input, checkpoint } = assignment;
  return {
    key,
    job,
    owner: assignment.owner ?? localOwner,
    taskId,
    attempt,
    index,
    inputJson: payloadText(input),
    stateJson: checkpoint === undefined ? null : payloadText(checkpoint.state),
    receivedAtMs: nowMs,
    startedAtMs: null,
    token,
    place: { at: 'gone' },
    progress: checkpoint?.progress ?? null,
    progressMessage: null,
    checkpoints: null,
    passedFromMs: 0,
    previous: null,
    next: null,
  };
}

function isReportOf(attempt: LocalAttempt, report: AcceptedReport): boolean {
  return attempt.place.at === 'reported' && attempt.place.report.kind === report.kind;
}

/** Whether a checkpoint of the attempt may still be sent: never after its result. */
function hasCheckpoints({ place }: LocalAttempt): boolean {
  if (place.at === 'reported') return place.report.kind === 'failure';
  return place.at === 'handed' || place.at === 'saving';
}
