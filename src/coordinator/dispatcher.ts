// After the commit: what the batch decided about workers goes out to them, one frame per connection.
// An assignment that cannot be sent (the connection closed meanwhile) needs nothing here: the next
// `hello` does not name it, or the grace ends.

import type { Event } from '../core/events.ts';
import type { AttemptRecord, JobRecord, TaskRecord } from '../core/records.ts';
import { taskId } from '../core/task-key.ts';
import { RawJson } from '../protocol/codec.ts';
import type { Assignment, JobProgram, ProgramDescription } from '../protocol/messages.ts';
import { localOwner } from '../protocol/owner.ts';
import type { JobPayload } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { ResumePoint, ResumePoints } from './checkpoints.ts';
import type { Session, Sessions } from './sessions.ts';

/** Programs are kept for the jobs that were dispatched last. */
const programCacheBytes = 32 * 1024 * 1024;
/** A frame ends when its payloads reach this; one payload may be larger by itself. */
const frameCharacters = 2 * 1024 * 1024;

export class Dispatcher {
  private readonly store: Store;
  private readonly sessions: Sessions;
  private readonly isRegistered: (workerId: string) => boolean;
  private readonly resumePoints: ResumePoints;
  private readonly programs = new Map<string, { json: string; program: JobProgram }>();
  private programBytes = 0;

  constructor(
    store: Store,
    sessions: Sessions,
    isRegistered: (workerId: string) => boolean,
    resumePoints: ResumePoints,
  ) {
    this.store = store;
    this.sessions = sessions;
    this.isRegistered = isRegistered;
    this.resumePoints = resumePoints;
  }

  async dispatch(events: readonly Event[], payloads: readonly JobPayload[]): Promise<void> {
    const assigned: AttemptRecord[] = [];
    for (const event of events) {
      if (event.type === 'task_assigned') {
        const attempt = liveAttempt(event.job.tasks.get(event.index), event.token);
        if (attempt !== undefined) assigned.push(attempt);
      } else {
        this.tell(event);
      }
    }
    if (assigned.length > 0) await this.assign(assigned, payloads);
    this.sessions.flush();
  }

  private async assign(
    attempts: readonly AttemptRecord[],
    payloads: readonly JobPayload[],
  ): Promise<void> {
    const inputs = await this.readInputs(attempts, payloads);
    const bySession = new Map<Session, AttemptRecord[]>();
    for (const attempt of attempts) {
      const session = this.sessions.find(attempt.worker.id);
      if (session === undefined) continue;
      const theirs = bySession.get(session);
      if (theirs === undefined) bySession.set(session, [attempt]);
      else theirs.push(attempt);
    }
    for (const [session, theirs] of bySession) await this.send(session, theirs, inputs);
  }

  /** One frame, or several when the inputs and states are large. */
  private async send(
    session: Session,
    attempts: readonly AttemptRecord[],
    inputs: Inputs,
  ): Promise<void> {
    let frame = new AssignFrame(session);
    for (const attempt of attempts) {
      const { job, index } = attempt.task;
      const program = session.knownPrograms.has(job.spec.id) ? null : await this.program(job);
      // Deleted or cleared since: the attempt is revoked by then.
      if (program === undefined) continue;
      const checkpoint =
        attempt.task.checkpoints.length === 0 ? undefined : await this.resumePoints.find(attempt);
      if (program !== null) frame.teach(job, program);
      frame.add(attempt, inputs.get(job)?.get(index) ?? new RawJson('null'), checkpoint);
      if (frame.characters < frameCharacters) continue;
      frame.post();
      session.flush();
      frame = new AssignFrame(session);
    }
    frame.post();
    this.sessions.touch(session);
  }

  private async readInputs(
    attempts: readonly AttemptRecord[],
    payloads: readonly JobPayload[],
  ): Promise<Inputs> {
    const wanted = new Map<JobRecord, number[]>();
    for (const { task } of attempts) {
      const indices = wanted.get(task.job);
      if (indices === undefined) wanted.set(task.job, [task.index]);
      else indices.push(task.index);
    }
    const inputs: Inputs = new Map();
    for (const [job, indices] of wanted) {
      const { key, rangeStart } = job.spec;
      const fresh = payloads.find((payload) => payload.jobKey === key)?.inputs ?? [];
      if (fresh.length > 0) this.hold(job, payloads);
      const texts =
        rangeStart !== null
          ? indices.map((index) => String(rangeStart + index))
          : fresh.length > 0
            ? indices.map((index) => fresh[index]!)
            : await this.store.readInputs(key, indices);
      inputs.set(job, new Map(indices.map((index, i) => [index, new RawJson(texts[i] ?? 'null')])));
    }
    return inputs;
  }

  private hold(job: JobRecord, payloads: readonly JobPayload[]): void {
    const payload = payloads.find(({ jobKey }) => jobKey === job.spec.key);
    if (payload !== undefined) this.keep(job, payload.programJson);
  }

  private async program(job: JobRecord): Promise<JobProgram | undefined> {
    const { id, key } = job.spec;
    const kept = this.programs.get(id);
    if (kept !== undefined) return kept.program;
    const json = await this.store.findProgram(key);
    return json === undefined ? undefined : this.keep(job, json);
  }

  private keep(job: JobRecord, json: string): JobProgram {
    const { id, attemptTimeoutMs, checkpointIntervalMs } = job.spec;
    const program: JobProgram = {
      program: JSON.parse(json) as ProgramDescription,
      attempt_timeout_seconds: attemptTimeoutMs === null ? null : attemptTimeoutMs / 1000,
      checkpoint_interval_seconds:
        checkpointIntervalMs === null ? null : checkpointIntervalMs / 1000,
    };
    this.programs.set(id, { json, program });
    this.programBytes += json.length;
    for (const [oldest, { json: text }] of this.programs) {
      if (this.programBytes <= programCacheBytes || oldest === id) break;
      this.programs.delete(oldest);
      this.programBytes -= text.length;
    }
    return program;
  }

  private tell(event: Event): void {
    switch (event.type) {
      case 'attempt_ended':
        return this.stop(event.attempt, event.outcome, event.errorType);
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
        // Silent on an open socket: it must say hello again before it gets anything.
        this.sessions.find(event.worker.id)?.end('not heard of for too long');
        return;
      case 'worker_deregistered':
        this.post(event.worker.id, {
          type: 'deregistered',
          detail: 'An operator removed this worker; it must not come back by itself.',
        });
        this.sessions.find(event.worker.id)?.end('deregistered');
        return;
      case 'database_cleared':
        for (const session of this.sessions.all()) {
          // Who said hello behind the clear, in the same batch, belongs to the new generation.
          if (session.workerId !== null && this.isRegistered(session.workerId)) continue;
          session.post({
            type: 'deregistered',
            detail: 'The database was cleared; register anew.',
            register_after_seconds: 10,
          });
          session.end('cleared');
        }
        this.programs.clear();
        this.programBytes = 0;
        return;
      default:
        return;
    }
  }

  /** What the worker did not end by itself, it must be told to stop. */
  private stop(attempt: AttemptRecord, outcome: string, reason: string): void {
    const endedByWorker = outcome === 'failed' || outcome === 'refused' || outcome === 'released';
    if (endedByWorker) return;
    const { task, worker } = attempt;
    const task_id = taskId(task.job.spec.id, task.index);
    const order = { task_id, attempt: attempt.attempt, reason };
    this.post(worker.id, { type: outcome === 'revoked' ? 'revoke' : 'cancel', attempts: [order] });
  }

  private post(workerId: string, message: Parameters<Session['post']>[0]): void {
    const session = this.sessions.find(workerId);
    if (session === undefined) return;
    session.post(message);
    this.sessions.touch(session);
  }
}

/** The assignments of one frame, as they gather. */
class AssignFrame {
  characters = 0;
  private readonly session: Session;
  private readonly sequence: number;
  private readonly programs: Record<string, JobProgram> = {};
  private readonly assignments: Assignment[] = [];

  constructor(session: Session) {
    this.session = session;
    this.sequence = session.assignSequence + 1;
  }

  teach({ spec }: JobRecord, program: JobProgram): void {
    this.session.knownPrograms.add(spec.id);
    this.programs[spec.id] = program;
    this.characters += program.program.source.length;
  }

  add(attempt: AttemptRecord, input: RawJson, checkpoint: ResumePoint | undefined): void {
    const { job, index } = attempt.task;
    // What lies in a mailbox has not been sent: it gets its number when it is handed out.
    if (attempt.delivery === null) attempt.sequence = this.sequence;
    this.assignments.push({
      task_id: taskId(job.spec.id, index),
      job_id: job.spec.id,
      owner: localOwner,
      index,
      attempt: attempt.attempt,
      token: attempt.token,
      input,
      ...(checkpoint === undefined ? {} : { checkpoint }),
    });
    this.characters += input.text.length + (checkpoint?.state.text.length ?? 0);
  }

  post(): void {
    const { session, sequence, programs, assignments } = this;
    if (assignments.length === 0) return;
    session.assignSequence = sequence;
    session.post({ type: 'assign', sequence, programs, assignments });
  }
}

type Inputs = Map<JobRecord, Map<number, RawJson>>;

function liveAttempt(task: TaskRecord | undefined, token: string): AttemptRecord | undefined {
  return task?.live.find((attempt) => attempt.token === token);
}
