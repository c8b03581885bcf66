// Sends to the workers, after the commit, what the batch decided about them: in order, one frame per
// connection. The writer loop does not wait for it. What attempts need is read after the commit, in a queue
// per connection, and whatever is posted later on the same connection is sent after it.
//
// The assignments of a job that is submitted in the very batch leave before its commit, which takes as long as
// the way to the worker. Should the commit fail, nobody was told of the job, and there is none: the worker names
// an attempt that nobody knows, and is told to stop.
//
// An assignment that cannot be sent (the connection closed meanwhile, or the attempt ended) needs
// nothing here: the next `hello` does not name it, or the grace ends.

import type { AttemptRecord } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import type { ToldAs, ToldEvent } from '../../core/told-events.ts';
import { handedOver } from '../../protocol/leaving.ts';
import type { BareAssignMessage, BareAssignment, BareJob } from '../../protocol/bare-assign.ts';
import type { JobPayload } from '../../store/rows.ts';
import { assignmentOf, jobProgramOf, jobWordsOf, wordsOf } from './assignment.ts';
import { AssignFrame, AssignmentLines, type Wording } from './assignment-lines.ts';
import type { Outfitter } from './outfitter.ts';
import { resumable } from './resume-points.ts';
import type { Session, Sessions } from './sessions.ts';

/** What is sent before a commit must not delay it. */
const aheadCharacters = 64 * 1024;

export interface DispatcherOptions {
  readonly sessions: Sessions;
  readonly outfitter: Outfitter;
  readonly isRegistered: (workerId: string) => boolean;
  /** The attempt, if it has not ended since it was assigned. */
  readonly findLive: (jobId: string, index: number, token: string) => AttemptRecord | undefined;
  /** Runs it soon, after what is running now. */
  readonly defer: (fn: () => void) => void;
  /** Called when something that the attempt needs cannot be read. */
  readonly onUnreadable: (attempt: AttemptRecord, problem: string) => void;
  readonly onError: (error: Error) => void;
}

export class Dispatcher {
  private readonly options: DispatcherOptions;
  private readonly sessions: Sessions;
  private readonly lines: AssignmentLines<AttemptRecord>;
  /** Assignments of the batch that is being committed which have left. */
  private readonly sentAhead = new Set<AttemptRecord>();

  constructor(options: DispatcherOptions) {
    this.options = options;
    this.sessions = options.sessions;
    const { outfitter, defer, onError, onUnreadable } = options;
    this.lines = new AssignmentLines({
      outfitter,
      wording,
      isLive,
      defer,
      onUnreadable: (_session, attempt, problem) => onUnreadable(attempt, problem),
      onError,
    });
  }

  /**
   * Before the commit: sends the assignments of jobs that come with it, as far as nothing has to be read for
   * them and nothing is on its way to the worker that must be there first. `dispatch` must follow after the
   * commit, with the same events.
   */
  dispatchAhead(events: readonly ToldEvent[], payloads: readonly JobPayload[]): void {
    this.sentAhead.clear();
    if (payloads.length === 0) return;
    const byJob = new Map(payloads.map((payload) => [payload.jobKey, payload]));
    const frames = new Map<Session, AssignFrame<AttemptRecord>>();
    let characters = 0;
    for (const event of events) {
      if (event.type !== 'task_assigned') continue;
      const { spec } = event.job;
      const payload = byJob.get(spec.key);
      if (payload === undefined) continue;
      const attempt = this.options.findLive(spec.id, event.index, event.token);
      const session = attempt && this.sessions.find(attempt.worker.id);
      if (attempt === undefined || session === undefined) continue;
      if (session.isClaimed || session.isElsewhere) continue;
      const found = frames.get(session);
      if (found === undefined && !(session.isWelcome && session.isCaughtUp)) continue;
      const ready = this.options.outfitter.outfitAtHand(attempt, payload);
      if (ready === undefined) continue;
      const { outfit, program } = ready;
      const frame =
        found ?? new AssignFrame(session, { add: (message) => session.post(message) }, wording);
      const before = frame.characters;
      frame.add(outfit, frame.lacksProgramOf(outfit) ? program : null);
      frames.set(session, frame);
      this.sentAhead.add(attempt);
      characters += frame.characters - before;
      if (characters > aheadCharacters) break;
    }
    for (const [session, frame] of frames) {
      frame.post();
      session.flush();
    }
  }

  /** Returns at once. What is ready within this turn of the loop leaves as one frame. */
  dispatch(events: readonly ToldEvent[], payloads: readonly JobPayload[]): void {
    const { findLive, outfitter } = this.options;
    outfitter.keep(payloads);
    const assigned = new Map<Session, AttemptRecord[]>();
    for (const event of events) {
      if (event.type === 'task_assigned') {
        const attempt = findLive(event.job.spec.id, event.index, event.token);
        const session = attempt && this.sessions.find(attempt.worker.id);
        if (attempt === undefined || session === undefined) continue;
        if (this.sentAhead.has(attempt) || session.keepUntilClaimed(attempt)) continue;
        const theirs = assigned.get(session);
        if (theirs === undefined) assigned.set(session, [attempt]);
        else theirs.push(attempt);
      } else {
        this.tell(event);
      }
    }
    this.sentAhead.clear();
    const flush = () => this.sessions.flush();
    if (assigned.size === 0) return flush();
    let isTurnOver = false;
    this.options.defer(() => {
      isTurnOver = true;
      flush();
    });
    const sent = Array.from(assigned, async ([session, attempts]) => {
      await this.send(session, attempts, payloads);
      if (isTurnOver) session.flush();
    });
    void Promise.all(sent).then(flush);
  }

  private async send(
    session: Session,
    attempts: readonly AttemptRecord[],
    payloads: readonly JobPayload[],
  ): Promise<void> {
    // What they need is read where the connection is.
    if (session.isElsewhere) session.post(bareAssign(session, attempts));
    else await this.lines.enqueue(session, attempts, payloads);
    this.sessions.touch(session);
  }

  private tell(event: ToldEvent): void {
    switch (event.type) {
      case 'attempt_ended':
        return this.stop(event);
      case 'attempt_recalled': {
        const { worker, task, attempt } = event.attempt;
        const task_id = taskId(task.job.spec.id, task.index);
        return this.post(worker.id, { type: 'recall', attempts: [{ task_id, attempt }] });
      }
      case 'worker_drained':
      case 'worker_resumed':
        return this.post(event.worker.id, {
          type: 'drain',
          drain: event.type === 'worker_drained',
        });
      case 'worker_lost':
        // The worker was silent on an open socket: it must say hello again before it gets anything.
        this.sessions.find(event.worker.id)?.end('not heard of for too long');
        return;
      case 'worker_approved':
        return this.post(event.worker.id, { type: 'approved' });
      case 'worker_deregistered':
        this.post(event.worker.id, { type: 'deregistered', detail: whyRemoved[event.because] });
        this.sessions.find(event.worker.id)?.end('deregistered');
        return;
      case 'database_cleared':
        for (const session of this.sessions.all()) {
          // A worker that said hello after the clear, in the same batch, belongs to the new generation.
          if (session.workerId !== null && this.options.isRegistered(session.workerId)) continue;
          session.post({
            type: 'deregistered',
            detail: 'The database was cleared; register anew.',
            register_after_seconds: 10,
          });
          session.end('cleared');
        }
        this.options.outfitter.forget();
        return;
      default:
        return;
    }
  }

  /** The worker must be told to stop an attempt that it did not end by itself. */
  private stop({ attempt, outcome, errorType, isHandedOver }: ToldAs<'attempt_ended'>): void {
    // The attempt was never sent.
    if (errorType === 'payload_unreadable') return;
    const endedByWorker = outcome === 'failed' || outcome === 'refused' || outcome === 'released';
    if (endedByWorker && !isHandedOver) return;
    const { task, worker } = attempt;
    const reason = isHandedOver ? handedOver : errorType;
    const isRevoked = isHandedOver || outcome === 'revoked';
    const task_id = taskId(task.job.spec.id, task.index);
    const order = { task_id, attempt: attempt.attempt, reason };
    this.post(worker.id, { type: isRevoked ? 'revoke' : 'cancel', attempts: [order] });
  }

  private post(workerId: string, message: Parameters<Session['post']>[0]): void {
    const session = this.sessions.find(workerId);
    if (session === undefined) return;
    session.post(message);
    this.sessions.touch(session);
  }
}

const wording: Wording<AttemptRecord> = {
  jobIdOf: ({ task }) => task.job.spec.id,
  assignmentOf,
  describe: jobProgramOf,
  numbered,
};

/** An attempt that waits for a claim is not sent here: it gets its sequence when it is handed out. */
function numbered(attempt: AttemptRecord, sequence: number): void {
  if (attempt.delivery === null) attempt.sequence = sequence;
}

function isLive(attempt: AttemptRecord): boolean {
  return attempt.task.live.includes(attempt);
}

/** All of them in one message, which bears the number of a frame. */
function bareAssign(session: Session, attempts: readonly AttemptRecord[]): BareAssignMessage {
  const sequence = ++session.assignSequence;
  const jobs: Record<string, BareJob> = {};
  const assignments = attempts.filter(isLive).map((attempt): BareAssignment => {
    const { job } = attempt.task;
    const { id, key, rangeStart: range_start } = job.spec;
    jobs[id] ??= { key, range_start, ...jobWordsOf(job) };
    numbered(attempt, sequence);
    const states = resumable(attempt).map((state) => ({
      id: state.id,
      sequence: state.sequence,
      progress: state.progress,
      size_bytes: state.sizeBytes,
      sha256: state.sha256,
    }));
    return { ...wordsOf(attempt), ...(states.length === 0 ? {} : { states }) };
  });
  return { type: 'bare_assign', sequence, jobs, assignments };
}

const removedByOperator = 'An operator removed this worker; it must not come back by itself.';
const whyRemoved: Readonly<Record<ToldAs<'worker_deregistered'>['because'], string>> = {
  asked: removedByOperator,
  away: removedByOperator,
  refused: 'An operator said no: it was not let in. Ask for a new link if it should be.',
  unanswered: 'Nobody has let this worker in, in time. Ask for a new link.',
};
