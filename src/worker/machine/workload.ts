// Every attempt that this worker holds, and what becomes of it. The workload knows orders and
// outcomes; of connections, heartbeats and leaving it knows only that `out` may be closed.
//
// Invariant: a held attempt is in exactly one place (`Place`), and has at most one final report.

import type { AcceptedReport, Assignment, AttemptRef } from '../../protocol/messages.ts';
import type { RejectedReport } from '../../protocol/messages.ts';
import type { AttemptKey, ExecutorEvent, ExecutorOutcome, StopReason } from '../executor.ts';
import type { Ending, LocalAttempt, Report, SavingPlace } from './local-attempt.ts';
import { attemptKey, attemptRef, newAttempt } from './local-attempt.ts';
import { handOver } from './hand-over.ts';
import { attemptOf, keptReport, readKept } from './kept-reports.ts';
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
  readonly #wattsPerCore: number | null;
  readonly jobs: Jobs;
  /** Those that are in use come first; in the others what they hold finishes. */
  readonly slots: Slot[] = [];
  inUse: readonly Slot[] = [];
  /** Invariant: in the order of arrival, so that the oldest come first. */
  readonly held = new Map<AttemptKey, LocalAttempt>();
  /** Attempts that are no longer held and stay in the executor until it answers the stop. */
  readonly stopping = new Map<AttemptKey, LocalAttempt>();
  readonly queue = new AttemptQueue();
  readonly outbox = new Outbox();
  /** Attempts whose latest progress was not sent yet. */
  readonly stale = new Set<LocalAttempt>();
  readonly printed: PrintedTexts;
  /** What an earlier life held: named in the next `hello`, and released after its `welcome`. */
  heldBefore: readonly AttemptRef[] = [];
  /** False while draining, leaving or resting: what has not begun is released. */
  #isAccepting = true;
  readonly #keepsReports: boolean;

  constructor(options: MachineOptions, tuning: MachineTuning, out: Outgoing) {
    this.tuning = tuning;
    this.#wattsPerCore = options.wattsPerCore ?? null;
    this.out = out;
    this.jobs = new Jobs(options, tuning);
    this.printed = new PrintedTexts(tuning.printed);
    this.#keepsReports = options.keepsReports ?? false;
    this.setSlots(options.slots);
    this.#goOn(options);
  }

  /** What an earlier life of this worker has left. */
  #goOn({ identity, kept = [], heldBefore = [] }: MachineOptions): void {
    for (const each of kept) {
      const report = identity === null ? null : readKept(each);
      if (report === null) this.#letGo(each.key);
      else {
        const attempt = attemptOf(each);
        this.held.set(attempt.key, attempt);
        this.jobs.hold(attempt.job);
        this.outbox.put(attempt, report, this.out, -Infinity);
      }
    }
    const isUnknown = (ref: AttemptRef) => !this.held.has(attemptKey(ref.task_id, ref.attempt));
    if (identity !== null) this.heldBefore = heldBefore.filter(isUnknown);
  }

  /** What it holds and has not reported: `heldBefore` of its next life, if this one is closed properly. */
  unreported(): AttemptRef[] {
    const attempts = [...this.held.values()].filter(({ place }) => place.at !== 'reported');
    return [...this.heldBefore, ...attempts.map(attemptRef)];
  }

  setSlots(count: number): void {
    while (this.slots.length < count) this.slots.push(new Slot(this.slots.length));
    this.inUse = this.slots.slice(0, count);
  }

  take(assignment: Assignment, job: Job, nowMs: number): void {
    const key = attemptKey(assignment.task_id, assignment.attempt);
    const known = this.held.get(key);
    if (known !== undefined) return this.#takeAgain(known, assignment.token, nowMs);
    const attempt = newAttempt(assignment, job, nowMs);
    this.held.set(key, attempt);
    this.jobs.hold(job);
    if (!this.#isAccepting) return this.#release(attempt);
    if (job.unfit !== null) return this.#refuse(attempt, job.unfit, nowMs);
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
    if (known !== undefined) return this.#takeAgain(known, assignment.token, nowMs);
    if (lacks !== undefined) return this.out.lack(assignment, lacks);
    const { task_id, attempt, token } = assignment;
    const entry = { task_id, attempt, token, reason: 'unknown_program' };
    this.out.report({ kind: 'refusal', entry });
  }

  /** An order to stop, by any message: the attempt is not reported from here on. */
  stop(taskId: string, attemptNumber: number, reason: StopReason): void {
    const attempt = this.held.get(attemptKey(taskId, attemptNumber));
    if (attempt === undefined) return;
    if (attempt.place.at === 'handed') this.#abandon(attempt, reason);
    else this.forget(attempt);
  }

  recall(taskId: string, attemptNumber: number): void {
    const attempt = this.held.get(attemptKey(taskId, attemptNumber));
    if (attempt === undefined) return;
    const { place } = attempt;
    if (place.at === 'queued' || place.at === 'parked') return this.#release(attempt);
    if (place.at !== 'handed') return;
    if (place.ending === 'requeue') place.ending = 'release';
    const { running } = place.slot;
    const mayHaveBegun = running === null || running === attempt;
    if (place.ending !== 'none' || mayHaveBegun) return;
    this.#end(attempt, 'release', 'revoked');
  }

  acknowledge(report: AcceptedReport): void {
    const attempt = this.held.get(attemptKey(report.task_id, report.attempt));
    if (attempt === undefined) return;
    if (report.kind === 'checkpoint') return this.#settleCheckpoint(attempt, true);
    if (isReportOf(attempt, report)) this.forget(attempt);
  }

  reject(report: RejectedReport, nowMs: number): void {
    const attempt = this.held.get(attemptKey(report.task_id, report.attempt));
    if (attempt === undefined) return;
    if (report.kind === 'checkpoint') return this.#settleCheckpoint(attempt, false);
    if (!isReportOf(attempt, report)) return;
    // When only the value was rejected, the attempt is still valid and ends with a failure.
    if (report.kind !== 'result' || !valueProblems.has(report.code)) return this.forget(attempt);
    // The next attempt uploads a missing blob again; a bad value would be as bad again.
    const retryable = report.code === 'unknown_blob';
    const error = { error_type: report.code, error_message: report.detail, retryable };
    this.#report(attempt, { kind: 'failure', entry: { ...attemptRef(attempt), ...error } }, nowMs);
  }

  onExecutorEvent(event: ExecutorEvent, nowMs: number): void {
    if (event.type === 'finished') {
      for (const outcome of event.outcomes) this.#finish(outcome, nowMs);
    } else if (event.type === 'returned') {
      for (const key of event.keys.toReversed()) this.#takeBack(key);
    } else {
      const attempt = this.held.get(event.key);
      if (attempt?.place.at === 'handed') noteEvent(this, attempt, attempt.place, event, nowMs);
    }
  }

  /** Hands queued attempts to slots with room. Called once, at the end of every step. */
  handOver(): void {
    if (this.queue.first !== null) handOver(this.queue, this.inUse, this.tuning, this.out);
    this.#unblock();
  }

  setAccepting(isAccepting: boolean): void {
    this.#isAccepting = isAccepting;
    if (isAccepting) return;
    for (const attempt of this.held.values()) {
      if (attempt.place.at === 'queued' || attempt.place.at === 'parked') this.#release(attempt);
    }
  }

  /** Asks running attempts for a checkpoint: they may not come to their end here. */
  orderCheckpoints(): void {
    for (const { index: slot, running } of this.slots) {
      const isWanted = running?.place.at === 'handed' && running.place.ending === 'none';
      if (isWanted) this.out.push({ type: 'checkpoint', slot, key: running.key });
    }
  }

  /** The worker leaves or rests: stops attempts that still run; their checkpoints are still sent. */
  stopAll(ending: 'release' | 'release_by_bye'): void {
    for (const attempt of this.held.values()) this.#end(attempt, ending, 'leaving');
  }

  /** Forgets all attempts and stops those that run. */
  abandonAll(): void {
    this.heldBefore = [];
    for (const attempt of this.held.values()) {
      if (attempt.place.at === 'handed') this.#abandon(attempt, 'revoked');
      else this.forget(attempt);
    }
  }

  /** After `welcome`: sends again everything that may not have arrived. */
  resendAll(nowMs: number): void {
    // Checkpoints first: after the failure of its attempt a checkpoint would come too late.
    for (const attempt of this.held.values()) {
      const checkpoint = hasCheckpoints(attempt) ? attempt.checkpoints?.resend() : null;
      if (checkpoint) this.out.checkpoint(attempt, checkpoint);
      else if (attempt.place.at === 'saving') this.#endSaving(attempt, attempt.place);
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

  #report(attempt: LocalAttempt, report: Report, nowMs: number): void {
    // After a failure the next attempt resumes from the newest checkpoint; after a result nothing
    // does.
    const last = report.kind === 'failure' ? attempt.checkpoints?.flush() : null;
    if (last) this.out.checkpoint(attempt, last);
    if (this.#keepsReports && report.kind !== 'refusal') this.out.keep(keptReport(attempt, report));
    this.outbox.put(attempt, report, this.out, nowMs);
  }

  #letGo(key: AttemptKey): void {
    if (this.#keepsReports) this.out.letGo(key);
  }

  /** Back to the coordinator: it does not go on here. */
  #release(attempt: LocalAttempt): void {
    this.out.release(attempt);
    this.forget(attempt);
  }

  /**
   * It has left its slot, because the worker leaves or rests: it is released after its last checkpoint. What has begun
   * is not dropped without a word while there is no connection: that would count as a loss.
   */
  #giveBack(attempt: LocalAttempt, isByBye: boolean): void {
    const place = { at: 'saving', isByBye } as const;
    const mustSay = !isByBye && !this.out.isOpen && attempt.startedAtMs !== null;
    if (mustSay || attempt.checkpoints?.isPending === true) attempt.place = place;
    else this.#endSaving(attempt, place);
  }

  #endSaving(attempt: LocalAttempt, { isByBye }: SavingPlace): void {
    if (isByBye) this.forget(attempt);
    else this.#release(attempt);
  }

  /** Not begun after all: it waits again, or is released when nothing new is accepted. */
  #requeue(attempt: LocalAttempt, at: 'head' | 'tail'): void {
    if (!this.#isAccepting) this.#release(attempt);
    else if (at === 'head') this.queue.prepend(attempt);
    else this.queue.append(attempt);
  }

  forget(attempt: LocalAttempt): void {
    if (attempt.place.at === 'queued') this.queue.remove(attempt);
    if (attempt.place.at === 'reported') {
      this.outbox.remove(attempt);
      if (attempt.place.report.kind !== 'refusal') this.#letGo(attempt.key);
    }
    attempt.place = { at: 'gone' };
    this.held.delete(attempt.key);
    this.jobs.letGo(attempt.job);
  }

  #finish(outcome: ExecutorOutcome, nowMs: number): void {
    const left = this.#leaveSlot(outcome.key);
    if (left === undefined) {
      this.out.log('warn', 'unknown_outcome', `${outcome.key} is in no slot.`);
      return;
    }
    const { attempt, ending } = left;
    if (outcome.type !== 'stopped') attempt.job.pace.measure(outcome.runMs, this.tuning);
    const conclusion = conclude(attempt, ending, outcome, this.#wattsPerCore);
    if (conclusion.type === 'report') this.#report(attempt, conclusion.report, nowMs);
    else if (conclusion.type === 'requeue') this.#requeue(attempt, 'tail');
    else if (conclusion.type !== 'nothing') {
      this.#giveBack(attempt, conclusion.type === 'release_by_bye');
    }
  }

  /** Takes a handed attempt out of its slot; undefined when no slot holds it. */
  #leaveSlot(key: AttemptKey): { attempt: LocalAttempt; ending: Ending } | undefined {
    const attempt = this.stopping.get(key) ?? this.held.get(key);
    if (attempt?.place.at !== 'handed') return undefined;
    const { place } = attempt;
    place.slot.remove(attempt, place);
    attempt.place = { at: 'gone' };
    this.stale.delete(attempt);
    if (place.ending === 'drop') this.#finishStopping(attempt);
    else this.printed.end(attempt, this.out);
    return { attempt, ending: place.ending };
  }

  #takeAgain(known: LocalAttempt, token: string, nowMs: number): void {
    known.token = token;
    const { place } = known;
    if (place.at === 'reported') {
      // A coordinator that had the report would not assign the attempt again.
      const entry = { ...place.report.entry, token };
      this.#report(known, { ...place.report, entry } as Report, nowMs);
    }
  }

  #refuse(attempt: LocalAttempt, reason: string, nowMs: number): void {
    this.#report(attempt, { kind: 'refusal', entry: { ...attemptRef(attempt), reason } }, nowMs);
  }

  #takeBack(key: AttemptKey): void {
    const left = this.#leaveSlot(key);
    if (left === undefined || left.ending === 'drop') return;
    const { attempt, ending } = left;
    if (ending === 'none' || ending === 'requeue') this.#requeue(attempt, 'head');
    else this.#giveBack(attempt, ending === 'release_by_bye');
  }

  #settleCheckpoint(attempt: LocalAttempt, isAccepted: boolean): void {
    const next = attempt.checkpoints?.settle(isAccepted) ?? null;
    if (next !== null && hasCheckpoints(attempt)) this.out.checkpoint(attempt, next);
    else if (attempt.place.at === 'saving') this.#endSaving(attempt, attempt.place);
  }

  #end(
    attempt: LocalAttempt,
    ending: 'requeue' | 'release' | 'release_by_bye' | 'drop',
    reason: StopReason,
  ): void {
    if (attempt.place.at !== 'handed') return;
    const { slot } = attempt.place;
    if (!slot.end(attempt.place, ending)) return;
    this.out.push({ type: 'stop', slot: slot.index, key: attempt.key, reason });
  }

  #abandon(attempt: LocalAttempt, reason: StopReason): void {
    this.#end(attempt, 'drop', reason);
    this.held.delete(attempt.key);
    this.stopping.set(attempt.key, attempt);
    this.stale.delete(attempt);
    this.printed.forget(attempt);
  }

  #finishStopping(attempt: LocalAttempt): void {
    this.stopping.delete(attempt.key);
    this.jobs.letGo(attempt.job);
    const successor = this.held.get(attempt.key);
    if (successor?.place.at === 'parked') this.queue.append(successor);
  }

  /**
   * What waits behind a long task goes to a free slot, or back to the coordinator when nothing is accepted. It does not
   * wait in a slot that is not in use any more.
   */
  #unblock(): void {
    const { slots, inUse, queue } = this;
    const isFree = queue.first === null && inUse.some((slot) => slot.handed.size === 0);
    const isWanted = isFree || !this.#isAccepting;
    for (let i = isWanted ? 0 : inUse.length; i < slots.length; i++) {
      const slot = slots[i]!;
      if (!slot.isBlocked()) continue;
      for (const [attempt, place] of slot.waiting()) {
        if (place.ending !== 'none') continue;
        this.#end(attempt, this.#isAccepting ? 'requeue' : 'release', 'revoked');
      }
    }
  }
}

function isReportOf(attempt: LocalAttempt, report: AcceptedReport): boolean {
  return attempt.place.at === 'reported' && attempt.place.report.kind === report.kind;
}

/** Whether a checkpoint of the attempt may still be sent: never after its result. */
function hasCheckpoints({ place }: LocalAttempt): boolean {
  if (place.at === 'reported') return place.report.kind === 'failure';
  return place.at === 'handed' || place.at === 'saving';
}
