// Connections of workers: who said hello on which, and what goes out on it. A worker has one current
// session; a newer one replaces it. What goes out in one batch leaves as one frame.

import { encodeFrame } from '../protocol/codec.ts';
import type { CoordinatorMessage, WorkerMessage } from '../protocol/messages.ts';
import type { SessionSink, WorkerSession } from './port.ts';

export class Session implements WorkerSession {
  readonly id: number;
  /** Set by a hello that was accepted. */
  workerId: string | null = null;
  /** Sequence of the newest `assign` frame. */
  assignSequence = 0;
  /** Jobs whose program this connection has received. */
  readonly knownPrograms = new Set<string>();
  isOpen = true;
  private readonly sink: SessionSink;
  private readonly intake: SessionIntake;
  private outgoing: CoordinatorMessage[] = [];

  constructor(id: number, sink: SessionSink, intake: SessionIntake) {
    this.id = id;
    this.sink = sink;
    this.intake = intake;
  }

  receive(messages: readonly WorkerMessage[]): void {
    if (this.isOpen) this.intake.receive(this, messages);
  }

  closed(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.intake.closed(this);
  }

  post(message: CoordinatorMessage): void {
    if (this.isOpen) this.outgoing.push(message);
  }

  flush(): void {
    if (this.outgoing.length === 0) return;
    const messages = this.outgoing;
    this.outgoing = [];
    this.sink.send(encodeFrame(messages));
  }

  /** Sends what is waiting, then ends the connection. */
  end(reason: string): void {
    if (!this.isOpen) return;
    this.flush();
    this.isOpen = false;
    this.sink.close(reason);
    this.intake.closed(this);
  }
}

export interface SessionIntake {
  receive(session: Session, messages: readonly WorkerMessage[]): void;
  closed(session: Session): void;
}

/** The current session of every connected worker. */
export class Sessions {
  private readonly byWorker = new Map<string, Session>();
  private readonly waiting = new Set<Session>();
  private newest = 0;

  nextId(): number {
    return ++this.newest;
  }

  find(workerId: string): Session | undefined {
    return this.byWorker.get(workerId);
  }

  /** The session speaks for the worker from now on. */
  bind(session: Session, workerId: string): void {
    const before = this.byWorker.get(workerId);
    session.workerId = workerId;
    this.byWorker.set(workerId, session);
    if (before === undefined || before === session) return;
    // A worker that came back does not listen there any more. Who still does is a second program with
    // a copy of the identity: it has to get one of its own, or the two would replace each other for ever.
    before.post({
      type: 'deregistered',
      detail: `Another program said hello as worker ${workerId}; register anew.`,
      register_after_seconds: 1,
    });
    before.end('replaced by a newer connection');
  }

  /** True when it was the worker's current session. */
  unbind(session: Session): boolean {
    this.waiting.delete(session);
    if (session.workerId === null || this.byWorker.get(session.workerId) !== session) return false;
    this.byWorker.delete(session.workerId);
    return true;
  }

  all(): Session[] {
    return [...this.byWorker.values()];
  }

  /** Something was posted; it leaves with the next `flush`. */
  touch(session: Session): void {
    this.waiting.add(session);
  }

  flush(): void {
    for (const session of this.waiting) session.flush();
    this.waiting.clear();
  }
}
