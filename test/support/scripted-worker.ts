// A scripted worker: the test says what it reports, and reads what the coordinator sends it.

import type { Coordinator } from '../../src/coordinator/port/coordinator.ts';
import type { WorkerSession } from '../../src/coordinator/port/workers.ts';
import { decodeFrame } from '../../src/protocol/codec.ts';
import type {
  AttemptRef,
  Assignment,
  CoordinatorMessage,
  DeviceDescription,
  FailureReport,
  HeartbeatMessage,
  HeldAttempt,
  HelloMessage,
  KeptPrograms,
  ResultReport,
  WorkerMessage,
} from '../../src/protocol/messages.ts';
import type { Rest } from '../../src/protocol/resting.ts';

export class ScriptedWorker {
  readonly device: DeviceDescription;
  id: string | undefined;
  token: string | undefined;
  /** What its `hello` says of programs. */
  keeps: KeptPrograms | null = null;
  /** Why it rests, as its `hello` says. */
  rest: Rest | null = null;
  /** Which start of it this is, and how often it has said hello, as its `hello` says. */
  life: Pick<HelloMessage, 'instance' | 'connection'> = {};
  /** Everything received and not yet taken by `take`. */
  inbox: CoordinatorMessage[] = [];
  /** Why the newest session was closed by the coordinator; null while it is open. */
  closedFor: string | null = null;
  /** Everything it was ever given, by task id; the newest attempt last. */
  readonly given = new Map<string, Assignment[]>();
  private session: WorkerSession | undefined;
  private heartbeats = 0;
  private frames = 0;

  constructor(device: Partial<DeviceDescription> = {}) {
    this.device = { type: 'pc', platform: 'linux', ...device };
  }

  /** Opens a connection; says hello as whoever it is by now. */
  connect(coordinator: Pick<Coordinator, 'sessions'>, held: readonly HeldAttempt[] = []): void {
    this.closedFor = null;
    this.frames = 0;
    const session = coordinator.sessions.open({
      send: (frame) => this.receive(frame),
      close: (reason) => {
        if (this.session === session) this.closedFor = reason;
      },
    });
    this.session = session;
    this.hello(held);
  }

  /** Says hello again on the connection that it has, as to a greeting of this number. */
  answerGreeting(greeting: number, held: readonly HeldAttempt[] = []): void {
    this.frames = 0;
    this.hello(held, { greeting });
  }

  private hello(held: readonly HeldAttempt[], said: Pick<HelloMessage, 'greeting'> = {}): void {
    const identity =
      this.id === undefined || this.token === undefined
        ? {}
        : { worker_id: this.id, worker_token: this.token };
    const { device, keeps } = this;
    const programs = keeps === null ? {} : { programs: keeps };
    const rest = this.rest === null ? {} : { rest: this.rest };
    const about = { device, attempts: held, ...programs, ...rest, ...this.life, ...said };
    this.say({ type: 'hello', protocol: 1, ...identity, ...about });
  }

  say(...messages: WorkerMessage[]): void {
    this.session?.receive(messages);
  }

  /** The connection breaks. */
  drop(): void {
    this.session?.closed();
  }

  start(...tasks: readonly string[]): void {
    this.say({ type: 'started', started: tasks.map((task) => this.ref(task)) });
  }

  complete(task: string, value: unknown = null, given: Partial<ResultReport> = {}): void {
    this.say({ type: 'result', results: [{ ...this.ref(task), value, ...given }] });
  }

  checkpoint(task: string, sequence: number, progress: number, state: unknown = null): void {
    const checkpoint = { ...this.ref(task), sequence, progress, state };
    this.say({ type: 'checkpoint', checkpoints: [checkpoint] });
  }

  fail(task: string, given: Partial<FailureReport> = {}): void {
    const report = { error_type: 'Error', error_message: 'boom' };
    this.say({ type: 'failure', failures: [{ ...this.ref(task), ...report, ...given }] });
  }

  release(...tasks: readonly string[]): void {
    this.say({ type: 'release', releases: tasks.map((task) => this.ref(task)) });
  }

  /** Its program is not here. */
  lack(task: string, sha256: string): void {
    this.say({ type: 'release', releases: [{ ...this.ref(task), lacks: sha256 }] });
  }

  heartbeat(...tasks: readonly string[]): void {
    this.beat({}, ...tasks);
  }

  /** A heartbeat that says more of itself. */
  beat(said: Pick<HeartbeatMessage, 'rest' | 'lease_seconds'>, ...tasks: readonly string[]): void {
    this.say({
      type: 'heartbeat',
      heartbeat_id: ++this.heartbeats,
      telemetry: {},
      assign_sequence: this.frames,
      running: tasks.map((task) => this.ref(task)),
      ...said,
    });
  }

  /** The attempt of the task that it was given last, or the one with the number. */
  ref(task: string, attempt?: number): AttemptRef {
    const all = this.given.get(task) ?? [];
    const found = attempt === undefined ? all.at(-1) : all.find((each) => each.attempt === attempt);
    if (found === undefined) throw new Error(`${this.id} was never given ${task}`);
    return { task_id: found.task_id, attempt: found.attempt, token: found.token };
  }

  held(task: string, state: HeldAttempt['state'] = 'running'): HeldAttempt {
    return { ...this.ref(task), state };
  }

  /** Takes what has come, the newest last. */
  take(): CoordinatorMessage[] {
    const taken = this.inbox;
    this.inbox = [];
    return taken;
  }

  /** Takes the messages of one type and forgets the rest. */
  takeOnly<T extends CoordinatorMessage['type']>(
    type: T,
  ): Extract<CoordinatorMessage, { type: T }>[] {
    return this.take().filter((each) => each.type === type) as Extract<
      CoordinatorMessage,
      { type: T }
    >[];
  }

  private receive(frame: string): void {
    const decoded = decodeFrame(frame);
    if (!decoded.ok) throw new Error(decoded.detail);
    for (const message of decoded.messages as CoordinatorMessage[]) {
      this.inbox.push(message);
      if (message.type === 'welcome') {
        this.id = message.worker_id;
        this.token = message.worker_token ?? this.token;
      }
      if (message.type !== 'assign') continue;
      this.frames = message.sequence;
      for (const assignment of message.assignments) {
        const before = this.given.get(assignment.task_id) ?? [];
        this.given.set(assignment.task_id, [...before, assignment]);
      }
    }
  }
}
