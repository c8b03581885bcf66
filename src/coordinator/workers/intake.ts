// Turns frames from the sockets of workers into work for the writer loop. A frame is one piece of work,
// and its answer is sent after the commit.

import type { AttemptRecord } from '../../core/records.ts';
import { findLive, type State } from '../../core/state.ts';
import { parseTaskId } from '../../core/task-key.ts';
import { isLeavingSaid } from '../../protocol/leaving.ts';
import type {
  AttemptRef,
  HeartbeatAnswer,
  HeartbeatMessage,
  HelloMessage,
  WorkerMessage,
} from '../../protocol/messages.ts';
import { protocolVersion } from '../../protocol/messages.ts';
import { restSaid } from '../../protocol/resting.ts';
import { takeHeartbeat } from './heartbeats.ts';
import { greet, type GreetingOptions, refuseHello } from './hello.ts';
import { hasWorked } from './identity.ts';
import type { LiveOutput } from './live-output.ts';
import { commandCount, Reports, reportsOf, type TellOutput, wantReported } from './reports.ts';
import type { DiskRoom } from '../port/disk-room.ts';
import type { Rejection } from '../port/rejection.ts';
import type { Bearer } from '../port/tokens.ts';
import type { SessionPort, SessionSink } from '../port/workers.ts';
import { failedAtFrame, Session, type SessionIntake } from './sessions.ts';
import type { Wanted } from '../writer/wanted.ts';
import type { Batch, Work } from '../writer/batch.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

export interface IntakeOptions extends GreetingOptions {
  readonly loop: () => WriterLoop;
  readonly disk: DiskRoom;
  readonly liveOutput: LiveOutput;
  readonly tellOutput: TellOutput;
  /** An attempt was not sent, since something that it needs cannot be read. */
  readonly onUnreadable: (attempt: AttemptRecord, problem: string) => void;
  /** The state of the checkpoint cannot be read; ignored when the task has it no more. */
  readonly dropCheckpoint: (jobId: string, index: number, checkpointId: number) => void;
}

export class Intake implements SessionPort, SessionIntake {
  readonly options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.options = options;
  }

  open(sink: SessionSink, bearer: Bearer | null = null): Session {
    return new Session(this.options.sessions.nextId(), sink, this, bearer);
  }

  openElsewhere(sink: SessionSink, bearer: Bearer | null): Session {
    return new Session(this.options.sessions.nextId(), sink, this, bearer, true);
  }

  receive(session: Session, messages: readonly WorkerMessage[], bytes: number): void {
    this.options.loop().submit(new Frame(this.options, session, messages, bytes));
  }

  closed(session: Session, isCut: boolean): void {
    const { sessions, loop } = this.options;
    const workerId = session.workerId;
    if (!sessions.unbind(session) || workerId === null) return;
    loop().submit({
      size: 1,
      isAwaited: false,
      abandon: () => undefined,
      run: (batch) => {
        const { at } = batch;
        const connectionId = session.id;
        batch.execute({ type: 'disconnect_worker', workerId, connectionId, isCut, at });
      },
    });
  }

  unreadable(
    session: Session,
    { task_id, token }: Pick<AttemptRef, 'task_id' | 'token'>,
    problem: string,
  ): void {
    const task = parseTaskId(task_id);
    const attempt = task && findLive(this.options.state, task.jobId, task.index, token);
    if (attempt?.worker.id === session.workerId) this.options.onUnreadable(attempt, problem);
  }

  foundDamaged(taskId: string, checkpointId: number): void {
    const task = parseTaskId(taskId);
    if (task !== undefined) this.options.dropCheckpoint(task.jobId, task.index, checkpointId);
  }
}

/** A frame with no more results than this is short, and so is a job with no more tasks. */
const few = 16;

class Frame implements Work {
  readonly size: number;
  readonly mayPass: boolean;
  readonly isAwaited = false;
  readonly bytes: number;
  private readonly options: IntakeOptions;
  private readonly session: Session;
  private readonly messages: readonly WorkerMessage[];
  private reports: Reports | undefined;
  private heartbeat: HeartbeatAnswer | undefined;

  constructor(
    options: IntakeOptions,
    session: Session,
    messages: readonly WorkerMessage[],
    bytes: number,
  ) {
    this.options = options;
    this.session = session;
    this.messages = messages;
    this.size = commandCount(messages);
    this.bytes = bytes;
    const bringsResults = messages.every(({ type }) => type === 'result');
    this.mayPass =
      bringsResults &&
      this.size <= few + messages.length &&
      isAwaitedSoon(options.state, messages) &&
      mayPassAll(session.unread, messages);
    if (!bringsResults) session.unread.add(messages);
  }

  abandon(_fault: Error, because: Parameters<Work['abandon']>[1]): void {
    this.session.unread.delete(this.messages);
    const isOurs = because === 'coordinator_failed';
    // The trunk ends with this coordinator: the connection need not.
    if (isOurs && this.session.isElsewhere) return;
    this.session.end(isOurs ? 'the coordinator stops' : failedAtFrame);
  }

  wants(state: State, wanted: Wanted): void {
    for (const message of this.messages) {
      if (message.type !== 'hello' || message.worker_id === undefined) continue;
      if (!state.workers.has(message.worker_id)) wanted.workers.add(message.worker_id);
    }
    const hello = this.messages.find((message) => message.type === 'hello');
    const workerId = this.session.workerId ?? hello?.worker_id ?? null;
    wantReported(state, wanted, this.messages, workerId);
  }

  run(batch: Batch): void {
    const { session } = this;
    session.unread.delete(this.messages);
    for (const message of this.messages) {
      // Messages that arrived before the connection closed still count; only a `hello` is too late then.
      if (message.type === 'hello') {
        if (session.isOpen) this.hello(batch, message);
      } else if (session.workerId === null) {
        refuseHello(batch, session, notGreeted);
        return;
      } else {
        this.take(batch, message, session.workerId);
      }
    }
    if (session.workerId !== null && !this.isReplaced) {
      batch.execute({ type: 'hear_worker', workerId: session.workerId, at: batch.at });
    }
    batch.afterCommit(() => this.answer());
  }

  /**
   * The worker speaks on another connection by now. What this one still brings may be older: of attempts it counts, as
   * their fences say whether it does, and of the worker itself it does not.
   */
  private get isReplaced(): boolean {
    const { workerId } = this.session;
    const current = workerId === null ? undefined : this.options.sessions.find(workerId);
    return current !== undefined && current !== this.session;
  }

  private hello(batch: Batch, message: HelloMessage): void {
    if (message.protocol !== protocolVersion) {
      refuseHello(batch, this.session, {
        code: 'protocol_mismatch',
        detail: `This coordinator speaks protocol ${protocolVersion}, the worker ${message.protocol}; use the same version of both.`,
      });
      return;
    }
    greet(this.options, batch, this.session, message);
  }

  private take(
    batch: Batch,
    message: Exclude<WorkerMessage, HelloMessage>,
    workerId: string,
  ): void {
    if (message.type === 'heartbeat') {
      if (!this.isReplaced) this.beat(batch, message, workerId);
      return;
    }
    if (message.type === 'bye') {
      if (this.isReplaced) return;
      batch.execute({ type: 'leave_worker', workerId, at: batch.at });
      batch.afterCommit(() => this.session.end('bye'));
      return;
    }
    const { runtime, ...rest } = this.options;
    this.reports ??= new Reports(
      { ...rest, hash: runtime.hash, chance: runtime.chance },
      workerId,
      false,
    );
    this.reports.take(batch, message);
    const isLacking = message.type === 'release' && message.releases.some(({ lacks }) => lacks);
    if (isLacking) this.session.forgetPrograms();
  }

  private beat(batch: Batch, message: HeartbeatMessage, workerId: string): void {
    // The worker has moved, and its numbers are those of another connection: it would be said to lack what it is sent now.
    if (this.options.sessions.find(workerId) !== this.session) return;
    const answer = takeHeartbeat(this.options.state, batch, workerId, {
      telemetry: message.telemetry,
      running: message.running,
      assignSequence: message.assign_sequence,
      leaving: isLeavingSaid(message),
      rest: restSaid(message),
      leaseSeconds: message.lease_seconds,
    });
    this.heartbeat = { heartbeat_id: message.heartbeat_id, ...answer };
  }

  private answer(): void {
    const { session, reports, heartbeat } = this;
    const worker = this.options.state.workers.get(session.workerId ?? '');
    session.hasWorked = worker !== undefined && hasWorked(worker);
    const accepted = reports?.accepted ?? [];
    const rejected = reports?.rejected ?? [];
    if (accepted.length > 0 || heartbeat !== undefined) {
      session.post({ type: 'ack', accepted, ...(heartbeat === undefined ? {} : { heartbeat }) });
    }
    if (rejected.length > 0) session.post({ type: 'reject', rejected });
    this.options.sessions.touch(session);
  }
}

/**
 * Whether the first result is of a short job, or of a task that passed others at its worker. Parts of long jobs, which
 * come in small frames when the machine is slow, must not be a batch each.
 */
function isAwaitedSoon({ jobs }: State, messages: readonly WorkerMessage[]): boolean {
  const [message] = messages;
  const [first] = message?.type === 'result' ? message.results : [];
  const named = first && parseTaskId(first.task_id);
  if (named === undefined) return false;
  const job = jobs.get(named.jobId);
  if (job === undefined) return false;
  if (job.spec.taskCount <= few) return true;
  const [attempt] = job.tasks.get(named.index)?.live ?? [];
  return attempt !== undefined && isAmongLesser(attempt);
}

/**
 * Results may come before what is said of other attempts; whatever else a worker says, it says in its order. So they
 * pass only what is of single attempts and of the moment.
 */
function mayPassAll(
  unread: Iterable<readonly WorkerMessage[]>,
  messages: readonly WorkerMessage[],
): boolean {
  const own = new Set<string>();
  for (const message of messages) {
    if (message.type === 'result') for (const { task_id } of message.results) own.add(task_id);
  }
  for (const frame of unread) {
    const isPassed = frame.every((message) => {
      const mayBePassed = passable.has(message.type);
      return mayBePassed && reportsOf(message).every(({ task_id }) => !own.has(task_id));
    });
    if (!isPassed) return false;
  }
  return true;
}

/** Nothing else may be passed. */
const passable: ReadonlySet<WorkerMessage['type']> = new Set([
  'result',
  'started',
  'progress',
  'output',
]);

function isAmongLesser({ priority, worker }: AttemptRecord): boolean {
  return worker.held.from(priority).count < worker.activeTasks;
}

const notGreeted: Rejection = {
  code: 'protocol_error',
  detail: 'The first message on a connection must be "hello".',
};
