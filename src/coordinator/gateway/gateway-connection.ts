// One connection of a worker at a member that does not decide. It may outlive the trunk that carries it: then the worker
// is greeted, and what it says before its new hello is dropped, since it was meant for another leader.

import { encodeFrame } from '../../protocol/codec.ts';
import type { HelloMessage, WorkerMessage } from '../../protocol/messages.ts';
import type { Bearer } from '../port/tokens.ts';
import type { SessionSink, WorkerSession } from '../port/workers.ts';
import { Session, type SessionIntake } from '../workers/sessions.ts';
import { DispatchNumbers } from './dispatch-numbers.ts';

/** A worker whose coordinator is gone comes back at once, here or elsewhere. */
const goingAway = 1001;

/** Who has opened it, and from where. */
export interface Origin {
  readonly bearer: Bearer | null;
  readonly address: string | null;
}

export interface ConnectionOwner extends SessionIntake {
  /** Messages of a worker that no trunk carries at the moment. */
  receiveUncarried(
    connection: GatewayConnection,
    messages: readonly WorkerMessage[],
    bytes: number,
  ): void;
  /** It is gone, or was closed here. */
  left(connection: GatewayConnection): void;
  /** Calls once, later; returns what cancels it. */
  after(ms: number, fn: () => void): () => void;
}

export class GatewayConnection implements WorkerSession {
  readonly origin: Origin;
  /** Of the present trunk; null while there is none, and until the worker has said hello for it. */
  session: Session | null = null;
  numbers = new DispatchNumbers();
  workerId: string | null = null;
  hasWorked = false;
  /** Its worker has an attempt, as it said last. */
  holds = false;
  readonly #sink: SessionSink;
  readonly #owner: ConnectionOwner;
  #isOpen = true;
  /** The worker has said which start of it this is, so it knows `greet` too. */
  #knowsGreet = false;
  /** The hello that is waited for. */
  #greeting: number | null = null;
  #cancel: () => void = () => undefined;

  constructor(sink: SessionSink, origin: Origin, owner: ConnectionOwner) {
    this.#sink = sink;
    this.origin = origin;
    this.#owner = owner;
  }

  /** Its worker was welcome, and would say hello again on this connection. */
  get outlivesTrunk(): boolean {
    return this.#isOpen && this.#knowsGreet && this.workerId !== null;
  }

  /** A trunk carries it under this number from now on. */
  carry(n: number): Session {
    this.#cancel();
    this.#greeting = null;
    this.numbers = new DispatchNumbers();
    const outer = this.#sink;
    const sink: SessionSink = {
      // What is prepared for a trunk that is gone is not sent.
      send: (frame) => this.session === session && this.#sink.send(frame),
      close: (reason, code) => {
        if (this.session === session) this.#close(reason, code);
      },
      caughtUp: () => outer.caughtUp?.(),
    };
    const session = new Session(n, sink, this.#owner, this.origin.bearer);
    session.workerId = this.workerId;
    this.session = session;
    return session;
  }

  /** The trunk is gone. The worker is told only when there is another, or after `patienceMs`. */
  letGo(because: string, patienceMs: number): void {
    this.session?.closed();
    this.session = null;
    this.#greeting = null;
    this.#closeAfter(patienceMs, because);
  }

  /** There is another trunk, and its worker will be greeted. */
  wait(): void {
    this.#cancel();
  }

  /** There is another trunk: whoever does not say hello for it in time is closed. */
  greet(id: number, because: string, patienceMs: number): void {
    this.#greeting = id;
    this.#sink.send(encodeFrame([{ type: 'greet', id }]));
    this.#closeAfter(patienceMs, because);
  }

  /** From the hello on that answers the greeting; none: what it says is not for the present leader. */
  answerIn(messages: readonly WorkerMessage[]): readonly WorkerMessage[] {
    const at = messages.findIndex(
      (message) => message.type === 'hello' && message.greeting === this.#greeting,
    );
    return this.#greeting === null || at < 0 ? [] : messages.slice(at);
  }

  /** Its hello goes to the leader. */
  hears({ instance, connection }: HelloMessage): void {
    this.#knowsGreet = instance !== undefined && connection !== undefined;
  }

  receive(messages: readonly WorkerMessage[], bytes = 0): void {
    if (!this.#isOpen) return;
    if (this.session === null) this.#owner.receiveUncarried(this, messages, bytes);
    else this.session.receive(messages, bytes);
  }

  /** The worker has closed it. */
  closed(): void {
    if (!this.#isOpen) return;
    this.#end();
  }

  /** For the reason that nobody decides what it says. */
  close(because: string): void {
    this.#close(because, goingAway);
  }

  #close(because: string, code: number | undefined): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#sink.close(because, code);
  }

  #end(): void {
    this.#isOpen = false;
    this.#cancel();
    this.#owner.left(this);
    this.session?.closed();
  }

  #closeAfter(ms: number, because: string): void {
    this.#cancel();
    this.#cancel = this.#owner.after(ms, () => this.close(because));
  }
}
