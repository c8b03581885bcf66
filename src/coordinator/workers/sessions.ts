// Connections of workers: which worker each one speaks for, and what is to be sent on it. A worker has one
// current session; a newer one replaces it. The messages of one batch are sent as one frame.

import type { AttemptRecord } from '../../core/records.ts';
import { quotedId } from '../../core/rejection.ts';
import { encodeFrame } from '../../protocol/codec.ts';
import type { BareAssignMessage } from '../../protocol/bare-assign.ts';
import type {
  AttemptRef,
  CoordinatorMessage,
  KeptPrograms,
  WorkerMessage,
} from '../../protocol/messages.ts';
import { defaultShelf, narrower, ProgramShelf } from '../../protocol/program-shelf.ts';
import type { Bearer } from '../port/tokens.ts';
import type { SessionElsewhere, SessionSink } from '../port/workers.ts';

/** Most unsent messages, with the reports that an `ack` names: an honest worker is never so far behind. */
const mostUnsent = 100_000;
/** Both sides forget programs by one rule, so a worker may lack one that it should have only so often. */
const mostForgotten = 16;
/** A hello that was overtaken comes within seconds, or its connection is given up. */
const mostDeparted = 10_000;

/** To a worker, or to the member at which it is. */
export type SentMessage = CoordinatorMessage | BareAssignMessage;

export class Session implements SessionElsewhere {
  readonly id: number;
  /** Set by a hello that was accepted. */
  workerId: string | null = null;
  /** As its newest hello has said it; null: it has said nothing of it. */
  life: WorkerLife | null = null;
  hasWorked = false;
  /** The `welcome` to its newest hello was posted: whatever came before that, the worker would not take. */
  isWelcome = false;
  /** Sequence of the newest `assign` frame. */
  assignSequence = 0;
  isOpen = true;
  /** Frames that wait to be read, but for those that bring results alone. */
  readonly unread = new Set<readonly WorkerMessage[]>();
  /** Who has opened it; null where no tokens are needed. */
  readonly bearer: Bearer | null;
  /** Its connection is at another member, which reads what assignments need. */
  readonly isElsewhere: boolean;
  private readonly sink: SessionSink;
  private readonly intake: SessionIntake;
  /** The programs that the worker keeps; null when it keeps none. */
  private programs: ProgramShelf<null> | null = null;
  private outgoing: (SentMessage | HeldFramePlace)[] = [];
  private unsent = 0;
  private forgotten = 0;

  constructor(
    id: number,
    sink: SessionSink,
    intake: SessionIntake,
    bearer: Bearer | null = null,
    isElsewhere = false,
  ) {
    this.id = id;
    this.bearer = bearer;
    this.isElsewhere = isElsewhere;
    this.sink = sink;
    this.intake = intake;
  }

  /** Takes over what `hello` says about kept programs. A new worker has none yet. */
  remember({ most, most_characters, kept }: KeptPrograms, isNew: boolean): void {
    const theirs = { programs: most, characters: most_characters };
    this.programs = new ProgramShelf(narrower(theirs, defaultShelf));
    if (isNew) return;
    for (const { sha256, characters } of kept) this.programs.put(sha256, characters, null);
  }

  hasProgram(sha256: string): boolean {
    return this.programs?.has(sha256) ?? false;
  }

  /** The program is used by the frame that is sent now; `characters`: of its source, when that is sent too. */
  useProgram(sha256: string, characters: number | null): void {
    if (characters === null) this.programs?.use(sha256);
    else this.programs?.put(sha256, characters, null);
  }

  /** The worker lacks a program that it should have: from now on it is expected to have none. */
  forgetPrograms(): void {
    this.programs?.clear();
    if (++this.forgotten > mostForgotten) this.end('it lacks programs that it was sent');
  }

  /** Whether what is posted now leaves with the next flush: nothing before it is still being prepared. */
  get isCaughtUp(): boolean {
    return this.isOpen && !this.outgoing.some((each) => each instanceof HeldFramePlace);
  }

  /** Whether assignments wait here until the worker asks for them. */
  get isClaimed(): boolean {
    return false;
  }

  /** True for workers over plain HTTP, whose assignments wait for a claim; on a socket they are sent. */
  keepUntilClaimed(_attempt: AttemptRecord): boolean {
    return false;
  }

  receive(messages: readonly WorkerMessage[], bytes = 0): void {
    if (this.isOpen) this.intake.receive(this, messages, bytes);
  }

  unreadable(ref: Pick<AttemptRef, 'task_id' | 'token'>, problem: string): void {
    if (this.isOpen) this.intake.unreadable(this, ref, problem);
  }

  closed(isCut = false): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.intake.closed(this, isCut);
  }

  post(message: SentMessage): void {
    if (!this.isOpen) return;
    this.outgoing.push(message);
    this.unsent += sizeOf(message);
    // The worker reports without reading what it was sent.
    if (this.unsent > mostUnsent) this.end('too much waits to be read');
  }

  /** A place for messages that are still being prepared: what is posted from now on is sent after them. */
  reserve(): FramePlace {
    const place = new HeldFramePlace();
    if (this.isOpen) this.outgoing.push(place);
    return place;
  }

  /** Resolves when the worker has read enough to be sent more; undefined when it may be sent more now. */
  caughtUp(): Promise<void> | undefined {
    return this.isOpen ? this.sink.caughtUp?.() : undefined;
  }

  /** Sends what is ready, up to the first place that is still open. */
  flush(): void {
    const messages: SentMessage[] = [];
    let sent = 0;
    for (const each of this.outgoing) {
      if (each instanceof HeldFramePlace) {
        messages.push(...each.take());
        if (!each.isClosed) break;
      } else {
        messages.push(each);
        this.unsent -= sizeOf(each);
      }
      sent++;
    }
    this.outgoing.splice(0, sent);
    if (messages.length > 0) this.sink.send(encodeFrame(messages));
  }

  /** Sends what is ready, then ends the connection, by the usual code if none is given. Messages that are still being prepared are dropped. */
  end(reason: string, code?: number): void {
    if (!this.isOpen) return;
    for (const each of this.outgoing) if (each instanceof HeldFramePlace) each.close();
    this.flush();
    this.isOpen = false;
    this.sink.close(reason, code);
    this.intake.closed(this, false);
  }
}

function sizeOf(message: SentMessage): number {
  if (message.type === 'ack') return 1 + message.accepted.length;
  return message.type === 'reject' ? 1 + message.rejected.length : 1;
}

/** A place in the order of what is sent on a connection. */
export interface FramePlace {
  add(message: CoordinatorMessage): void;
  /** No more messages will be added. */
  close(): void;
}

class HeldFramePlace implements FramePlace {
  isClosed = false;
  private ready: CoordinatorMessage[] = [];

  add(message: CoordinatorMessage): void {
    if (!this.isClosed) this.ready.push(message);
  }

  close(): void {
    this.isClosed = true;
  }

  take(): readonly CoordinatorMessage[] {
    const taken = this.ready;
    this.ready = [];
    return taken;
  }
}

/** Why a connection ends when what came on it, or goes out on it, fails here. */
export const failedAtFrame = 'the coordinator failed at this frame';

export interface SessionIntake {
  receive(session: Session, messages: readonly WorkerMessage[], bytes: number): void;
  closed(session: Session, isCut: boolean): void;
  unreadable(session: Session, ref: Pick<AttemptRef, 'task_id' | 'token'>, problem: string): void;
}

/** One start of a worker, and how often it has said hello since. */
export interface WorkerLife {
  readonly instance: string;
  readonly connection: number;
}

/** The current session of every connected worker. */
export class Sessions {
  private readonly byWorker = new Map<string, Session>();
  /** Of workers whose session has ended, the newest last: their older hellos may still be on the way. */
  private readonly departed = new Map<string, WorkerLife>();
  private readonly waiting = new Set<Session>();
  private newest = 0;

  private readonly onTakeover: (workerId: string) => void;

  constructor(onTakeover: (workerId: string) => void = () => undefined) {
    this.onTakeover = onTakeover;
  }

  nextId(): number {
    return ++this.newest;
  }

  find(workerId: string): Session | undefined {
    return this.byWorker.get(workerId);
  }

  isCurrent(session: Session): boolean {
    return session.workerId !== null && this.byWorker.get(session.workerId) === session;
  }

  /**
   * Whether the worker has come on a newer connection than the one of this hello. Two ways to here do not keep the order
   * of one socket, so of one start of a worker the number counts, not which of them is first.
   */
  isOvertaken(session: Session, workerId: string, life: WorkerLife | null): boolean {
    const current = this.byWorker.get(workerId);
    if (current === session) return false;
    const newest = current === undefined ? this.departed.get(workerId) : current.life;
    return isLater(newest ?? null, life);
  }

  /** The session speaks for the worker from now on. */
  bind(session: Session, workerId: string, life: WorkerLife | null = null): void {
    const before = this.byWorker.get(workerId);
    session.workerId = workerId;
    session.life = life;
    this.byWorker.set(workerId, session);
    this.departed.delete(workerId);
    if (before === undefined || before === session) return;
    // The same start of the worker: it does not listen on the old connection any more.
    if (isLater(life, before.life)) return before.end('replaced by a newer connection');
    this.onTakeover(workerId);
    // A worker that came back does not listen on the old connection. A program that still does has a copy
    // of the identity: it must get one of its own, or the two would replace each other for ever.
    before.post({
      type: 'deregistered',
      detail: `Another program said hello as worker ${quotedId(workerId)}; register anew.`,
      register_after_seconds: 1,
    });
    before.end('replaced by a newer connection');
  }

  /** True when it was the worker's current session. */
  unbind(session: Session): boolean {
    this.waiting.delete(session);
    const { workerId, life } = session;
    if (workerId === null || !this.isCurrent(session)) return false;
    this.byWorker.delete(workerId);
    if (life !== null) this.remember(workerId, life);
    return true;
  }

  private remember(workerId: string, life: WorkerLife): void {
    this.departed.set(workerId, life);
    if (this.departed.size <= mostDeparted) return;
    for (const oldest of this.departed.keys()) return void this.departed.delete(oldest);
  }

  all(): Session[] {
    return [...this.byWorker.values()];
  }

  /** Something was posted; the next `flush` sends it. */
  touch(session: Session): void {
    this.waiting.add(session);
  }

  flush(): void {
    for (const session of this.waiting) session.flush();
    this.waiting.clear();
  }
}

/** Whether one start of a worker has said both, and this one after the other. */
function isLater(life: WorkerLife | null, than: WorkerLife | null): boolean {
  if (life === null || life.instance !== than?.instance) return false;
  return life.connection > than.connection;
}
