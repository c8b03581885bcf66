// Connections of workers at a member that does not decide. What a worker says goes to the leader on the trunk, and what
// the leader says comes back; assignments come bare, and what they need is read here. Nothing is answered here, and
// nothing is kept beyond the trunk: what was on its way when it broke, the worker says again to whoever leads.

import type { BareAssignMessage } from '../../protocol/bare-assign.ts';
import type { AckMessage, CoordinatorMessage, WorkerMessage } from '../../protocol/messages.ts';
import { CoordinatorStopped } from '../port/stopped.ts';
import type { Bearer } from '../port/tokens.ts';
import type { TrunkEars, TrunkPort } from '../port/trunk.ts';
import type { SessionElsewhere, SessionPort, SessionSink } from '../port/workers.ts';
import type { Runtime } from '../runtime.ts';
import { AssignmentLines } from '../workers/assignment-lines.ts';
import type { OutfitReading } from '../../store/reading.ts';
import { damagedOnly, Outfitter } from '../workers/outfitter.ts';
import { ResumePoints } from '../workers/resume-points.ts';
import { Session, type SessionIntake } from '../workers/sessions.ts';
import { DispatchNumbers } from './dispatch-numbers.ts';
import { type GivenAttempt, GivenAttempts, wordingOfGiven } from './given-attempts.ts';

/** A worker whose coordinator is gone comes back at once, here or elsewhere. */
const goingAway = 1001;

export interface GatewayOptions {
  readonly store: OutfitReading;
  readonly runtime: Pick<Runtime, 'hash' | 'defer'>;
  readonly onError: (error: Error) => void;
}

interface Connection {
  readonly session: Session;
  readonly numbers: DispatchNumbers;
}

export class GatewaySessions implements SessionPort, SessionIntake {
  readonly #lines: AssignmentLines<GivenAttempt>;
  readonly #given = new GivenAttempts();
  /** Of the present trunk, by number. No number is used again, on another trunk neither. */
  readonly #connections = new Map<number, Connection>();
  #trunk: TrunkPort | null = null;
  #newest = 0;

  constructor({ store, runtime, onError }: GatewayOptions) {
    const { hash, defer } = runtime;
    const turn = () => new Promise<void>((resolve) => defer(resolve));
    const points = new ResumePoints<GivenAttempt>(store, { hash, turn }, ({ id }, { words }) =>
      this.#trunk?.damaged(words.task_id, id),
    );
    this.#lines = new AssignmentLines({
      // A member that is cut off from the database must not fail the tasks of others.
      outfitter: new Outfitter(store, points, damagedOnly),
      wording: wordingOfGiven,
      isLive: () => true,
      defer,
      onUnreadable: ({ id }, { words: { task_id, token } }, problem) => {
        if (this.#connections.has(id)) this.#trunk!.unreadable(id, { task_id, token }, problem);
      },
      onError,
    });
  }

  /** Connections that are carried by the present trunk. */
  get size(): number {
    return this.#connections.size;
  }

  /** Whether less should be read from workers: the leader has not read what it was sent. */
  get isCrowded(): boolean {
    return this.#trunk?.isBehind ?? false;
  }

  async eased(): Promise<void> {
    await this.#trunk?.caughtUp();
  }

  /** A trunk to the leader is open. The one before must be lost. */
  begin(trunk: TrunkPort): TrunkEars {
    this.#trunk = trunk;
    return {
      out: (n, messages) => this.#out(n, messages),
      end: (n, reason, code) => this.#end(n, reason, code),
      lost: (because) => {
        if (this.#trunk === trunk) this.#lost(because);
      },
    };
  }

  /** Throws `CoordinatorStopped` while there is no trunk. */
  open(sink: SessionSink, bearer: Bearer | null = null, address: string | null = null): Session {
    if (this.#trunk === null) throw new CoordinatorStopped();
    const session = new Session(++this.#newest, sink, this, bearer);
    this.#connections.set(session.id, { session, numbers: new DispatchNumbers() });
    this.#trunk.open(session.id, { token: bearer?.text ?? null, address });
    return session;
  }

  /** Nobody is elsewhere for who decides nothing. */
  openElsewhere(): SessionElsewhere {
    throw new CoordinatorStopped();
  }

  receive(session: Session, messages: readonly WorkerMessage[], bytes: number): void {
    const connection = this.#connections.get(session.id);
    if (connection === undefined) return;
    const passed = messages.map((message) => this.#passed(connection, message));
    // It lacks so much that it is ended.
    if (session.isOpen) this.#trunk?.pass(session.id, passed, bytes);
  }

  closed({ id }: Session): void {
    if (this.#connections.delete(id)) this.#trunk?.gone(id);
  }

  foundDamaged(): void {
    throw new CoordinatorStopped();
  }

  /** None is elsewhere. */
  unreadable(): void {
    throw new CoordinatorStopped();
  }

  /** As the leader is to read it. */
  #passed({ session, numbers }: Connection, message: WorkerMessage): WorkerMessage {
    switch (message.type) {
      case 'hello':
        if (message.programs !== undefined) {
          session.remember(message.programs, message.worker_id === undefined);
        }
        return message;
      case 'heartbeat':
        return { ...message, assign_sequence: numbers.receivedBy(message.assign_sequence) };
      case 'release':
        if (message.releases.some(({ lacks }) => lacks !== undefined)) session.forgetPrograms();
        return message;
      default:
        return message;
    }
  }

  #out(n: number, messages: readonly (CoordinatorMessage | BareAssignMessage)[]): void {
    const connection = this.#connections.get(n);
    if (connection === undefined) return;
    const { session } = connection;
    for (const message of messages) {
      if (message.type === 'bare_assign') {
        this.#assign(connection, message);
        continue;
      }
      if (message.type === 'welcome') session.workerId = message.worker_id;
      else if (message.type === 'ack') session.hasWorked ||= tellsOfWork(message);
      session.post(message);
    }
    session.flush();
  }

  #assign({ session, numbers }: Connection, message: BareAssignMessage): void {
    const posted = () => numbers.sent(message.sequence, session.assignSequence);
    const sent = this.#lines.enqueue(session, this.#given.of(message), [], posted);
    void sent.then(() => session.flush());
  }

  #end(n: number, reason: string, code: number | undefined): void {
    const connection = this.#connections.get(n);
    // The leader knows: it is not told.
    if (this.#connections.delete(n)) connection!.session.end(reason, code);
  }

  /**
   * Whoever leads next knows nothing of these connections, and what their workers have said since may be lost: each says
   * hello again, with all that it holds. What is ready is sent before: it was true when it was said.
   */
  #lost(because: string): void {
    this.#trunk = null;
    const connections = [...this.#connections.values()];
    this.#connections.clear();
    for (const { session } of connections) session.end(because, goingAway);
  }
}

/** It has completed or failed a task. */
function tellsOfWork({ accepted }: AckMessage): boolean {
  return accepted.some(({ kind }) => kind === 'result' || kind === 'failure');
}
