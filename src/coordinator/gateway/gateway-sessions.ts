// Connections of workers at a member that does not decide. What a worker says goes to the leader on the trunk, and what
// the leader says comes back; assignments come bare, and what they need is read here. Nothing is answered here, and
// nothing is kept beyond the trunk: what was on its way when it broke, the worker says again to whoever leads.

import type { BareAssignMessage } from '../../protocol/bare-assign.ts';
import type { AckMessage, CoordinatorMessage, WorkerMessage } from '../../protocol/messages.ts';
import type { OutfitReading } from '../../store/reading.ts';
import { CoordinatorStopped } from '../port/stopped.ts';
import type { Bearer } from '../port/tokens.ts';
import type { TrunkEars, TrunkPort } from '../port/trunk.ts';
import type { SessionElsewhere, SessionPort, SessionSink, WorkerSession } from '../port/workers.ts';
import type { Runtime } from '../runtime.ts';
import { AssignmentLines } from '../workers/assignment-lines.ts';
import { damagedOnly, Outfitter } from '../workers/outfitter.ts';
import { ResumePoints } from '../workers/resume-points.ts';
import type { Session } from '../workers/sessions.ts';
import { type ConnectionOwner, GatewayConnection } from './gateway-connection.ts';
import { Greetings } from './greetings.ts';
import { type GivenAttempt, GivenAttempts, wordingOfGiven } from './given-attempts.ts';

/** A connection waits so long for another trunk. */
const trunkPatienceMs = 5_000;
/** … and its worker may take so long to say hello again. */
const helloPatienceMs = 2_000;

export interface GatewayOptions {
  readonly store: OutfitReading;
  readonly runtime: Pick<Runtime, 'hash' | 'defer' | 'now' | 'setTimer'>;
  readonly onError: (error: Error) => void;
  /** For tests: frames of assignments end when their payloads reach it. */
  readonly frameCharacters?: number;
}

export class GatewaySessions implements SessionPort, ConnectionOwner {
  readonly #options: GatewayOptions;
  readonly #lines: AssignmentLines<GivenAttempt>;
  readonly #given = new GivenAttempts();
  /** Those that the present trunk carries, by number. No number is used again, on another trunk neither. */
  readonly #carried = new Map<number, GatewayConnection>();
  /** Those that wait for a trunk, or for the hello of their worker. */
  readonly #uncarried = new Set<GatewayConnection>();
  #trunk: TrunkPort | null = null;
  #newest = 0;
  #greeted = 0;
  readonly #greetings: Greetings;

  constructor(options: GatewayOptions) {
    const { store, runtime, onError, frameCharacters } = options;
    const { hash, defer } = runtime;
    this.#options = options;
    this.#greetings = new Greetings({
      after: (ms, fn) => this.after(ms, fn),
      greet: (connection) => {
        // It may have gone since.
        if (!this.#uncarried.has(connection)) return;
        connection.greet(++this.#greeted, 'no hello in time', helloPatienceMs);
      },
    });
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
        if (this.#carried.has(id)) this.#trunk?.unreadable(id, { task_id, token }, problem);
      },
      onError,
      frameCharacters,
    });
  }

  /** Connections that are carried by the present trunk. */
  get size(): number {
    return this.#carried.size;
  }

  /** Whether less should be read from workers: the leader has not read what it was sent. */
  get isCrowded(): boolean {
    return this.#trunk?.isBehind ?? false;
  }

  async eased(): Promise<void> {
    await this.#trunk?.caughtUp();
  }

  /** A trunk to the leader is open; the one before must be lost. Workers of before are asked what they hold. */
  begin(trunk: TrunkPort): TrunkEars {
    this.#trunk = trunk;
    for (const connection of this.#uncarried) connection.wait();
    this.#greetings.begin(this.#uncarried);
    return {
      out: (n, messages) => this.#out(n, messages),
      end: (n, reason, code) => this.#end(n, reason, code),
      lost: (because) => {
        if (this.#trunk === trunk) this.#lost(because);
      },
    };
  }

  /** This member leads: who waits for another leader comes back to this one. */
  giveUp(because: string): void {
    for (const connection of this.#uncarried) connection.close(because);
  }

  /** Throws `CoordinatorStopped` while there is no trunk. */
  open(
    sink: SessionSink,
    bearer: Bearer | null = null,
    address: string | null = null,
  ): WorkerSession {
    if (this.#trunk === null) throw new CoordinatorStopped();
    const connection = new GatewayConnection(sink, { bearer, address }, this);
    this.#carry(connection, this.#trunk, bearer?.text ?? null);
    return connection;
  }

  /** Nobody is elsewhere for who decides nothing. */
  openElsewhere(): SessionElsewhere {
    throw new CoordinatorStopped();
  }

  foundDamaged(): void {
    throw new CoordinatorStopped();
  }

  /** None is elsewhere. */
  unreadable(): void {
    throw new CoordinatorStopped();
  }

  receive(session: Session, messages: readonly WorkerMessage[], bytes: number): void {
    const connection = this.#carried.get(session.id);
    if (connection === undefined) return;
    const passed = messages.map((message) => this.#passed(connection, session, message));
    // It lacks so much that it is ended.
    if (session.isOpen) this.#trunk?.pass(session.id, passed, bytes);
  }

  receiveUncarried(
    connection: GatewayConnection,
    messages: readonly WorkerMessage[],
    bytes: number,
  ): void {
    const trunk = this.#trunk;
    const answer = trunk === null ? [] : connection.answerIn(messages);
    const [hello] = answer;
    if (trunk === null || hello?.type !== 'hello') return;
    this.#uncarried.delete(connection);
    // It may have opened the connection with a link, and has a token of its own since.
    const { bearer } = connection.origin;
    this.#carry(connection, trunk, bearer === null ? null : (hello.worker_token ?? bearer.text));
    connection.receive(answer, bytes);
  }

  /** Told by the session itself; what becomes of its connection is told by that. */
  closed(): void {}

  left(connection: GatewayConnection): void {
    this.#uncarried.delete(connection);
    const n = connection.session?.id;
    if (n !== undefined && this.#carried.delete(n)) this.#trunk?.gone(n);
  }

  after(ms: number, fn: () => void): () => void {
    const { runtime } = this.#options;
    return runtime.setTimer(runtime.now() + ms, fn);
  }

  #carry(connection: GatewayConnection, trunk: TrunkPort, token: string | null): void {
    const n = ++this.#newest;
    connection.carry(n);
    this.#carried.set(n, connection);
    trunk.open(n, { token, address: connection.origin.address });
  }

  /** As the leader is to read it. */
  #passed(connection: GatewayConnection, session: Session, message: WorkerMessage): WorkerMessage {
    switch (message.type) {
      case 'hello':
        connection.hears(message);
        connection.holds = message.attempts.length > 0;
        if (message.programs !== undefined) {
          session.remember(message.programs, message.worker_id === undefined);
        }
        return message;
      case 'heartbeat': {
        connection.holds = message.running.length > 0;
        const assign_sequence = connection.numbers.receivedBy(message.assign_sequence);
        return { ...message, assign_sequence };
      }
      case 'release':
        if (message.releases.some(({ lacks }) => lacks !== undefined)) session.forgetPrograms();
        return message;
      default:
        return message;
    }
  }

  #out(n: number, messages: readonly (CoordinatorMessage | BareAssignMessage)[]): void {
    const connection = this.#carried.get(n);
    const session = connection?.session ?? null;
    if (connection === undefined || session === null) return;
    for (const message of messages) {
      if (message.type === 'bare_assign') {
        this.#assign(connection, session, message);
        continue;
      }
      if (message.type === 'welcome') {
        session.workerId = message.worker_id;
        connection.workerId = message.worker_id;
      } else if (message.type === 'ack') connection.hasWorked ||= tellsOfWork(message);
      session.post(message);
    }
    session.flush();
  }

  #assign(connection: GatewayConnection, session: Session, message: BareAssignMessage): void {
    const { numbers } = connection;
    connection.holds = true;
    const posted = () => numbers.sent(message.sequence, session.assignSequence);
    const sent = this.#lines.enqueue(session, this.#given.of(message), [], posted);
    void sent.then(() => session.flush());
  }

  #end(n: number, reason: string, code: number | undefined): void {
    const session = this.#carried.get(n)?.session;
    // The leader knows: it is not told.
    if (this.#carried.delete(n)) session?.end(reason, code);
  }

  /**
   * Whoever leads next knows nothing of these connections, and what their workers have said since may be lost: each says
   * hello again, with all that it holds, on the same connection if its worker can.
   */
  #lost(because: string): void {
    this.#trunk = null;
    this.#greetings.stop();
    const connections = [...this.#carried.values(), ...this.#uncarried];
    this.#carried.clear();
    for (const connection of connections) {
      if (connection.outlivesTrunk) {
        this.#uncarried.add(connection);
        connection.letGo(because, trunkPatienceMs);
      } else {
        connection.close(because);
      }
    }
  }
}

/** It has completed or failed a task. */
function tellsOfWork({ accepted }: AckMessage): boolean {
  return accepted.some(({ kind }) => kind === 'result' || kind === 'failure');
}
