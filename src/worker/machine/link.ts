// The link to the coordinator: connect, hello, heartbeats, loss by silence, the pause before the
// next try. The machine deals with the messages of the coordinator.

import type { WelcomeMessage, WorkerMessage } from '../../protocol/messages.ts';
import type { Connection } from './connection.ts';
import { Backoff, isConnected } from './connection.ts';
import { Heartbeat } from './heartbeat.ts';
import { heldAttempts } from './held-lists.ts';
import type { MachineOptions, MachineTimer, MachineTuning, RestOrder } from './port.ts';
import type { Outgoing } from './outgoing.ts';
import type { Standing } from './standing.ts';
import type { Workload } from './workload.ts';

type HelloMessage = Extract<WorkerMessage, { readonly type: 'hello' }>;
type Welcome = Pick<
  WelcomeMessage,
  'heartbeat_interval_seconds' | 'lease_seconds' | 'coordinators'
>;

/** Refusals that are told until the next welcome, at most. */
const refusalsMax = 10;
/** Other coordinators that are tried, at most. */
const othersMax = 16;

export class Link {
  connection: Connection = { state: 'idle' };
  readonly heartbeat: Heartbeat;
  readonly #tuning: MachineTuning;
  readonly #out: Outgoing;
  readonly #workload: Workload;
  readonly #standing: Standing;
  readonly #backoff: Backoff;
  readonly #instance: string;
  /** How often `hello` was said. */
  #hellos = 0;
  readonly #mayGoTo: (url: string) => boolean;
  /** Other coordinators, as the newest `welcome` has named them. */
  #others: readonly string[] = [];
  /** Tries since the newest `welcome`. */
  #tries = 0;
  /** Whether it is connected, or tries to be, to another coordinator than the one that it was started with. */
  isElsewhere = false;
  /** As `hello` has said it. */
  #saidRest: RestOrder | null = null;
  /** Why it was refused since the last welcome, each told once. */
  readonly #toldRefusals = new Set<string>();

  constructor(
    options: MachineOptions,
    tuning: MachineTuning,
    out: Outgoing,
    workload: Workload,
    standing: Standing,
  ) {
    this.#standing = standing;
    this.#tuning = tuning;
    this.#out = out;
    this.#workload = workload;
    this.#backoff = new Backoff(tuning, options.random);
    this.#instance = options.instance;
    this.#mayGoTo = options.mayGoTo ?? (() => false);
    this.heartbeat = new Heartbeat(options.random, options.telemetry);
  }

  connect(): void {
    this.connection = { state: 'connecting' };
    this.#setTimer('handshake', this.#tuning.handshakeMs);
    const places = this.#others.length + 1;
    const other = this.#others[(this.#tries % places) - 1];
    this.#tries += 1;
    this.isElsewhere = other !== undefined;
    this.#out.push(other === undefined ? { type: 'connect' } : { type: 'connect', to: other });
  }

  /** It has no identity that others would know. */
  stayHome(): void {
    this.#others = [];
  }

  /**
   * Back to `greeting` on the socket that is open. Nobody may have taken what was sent before, so all of this step that
   * is not sent yet is dropped, as with a connection: the `hello` that must follow says what is held.
   */
  beGreeted(nowMs: number): void {
    this.#noteLife(nowMs);
    this.#out.close();
    this.#out.push({ type: 'clear_timer', timer: 'heartbeat' });
    this.#setTimer('handshake', this.#tuning.handshakeMs);
  }

  greet(
    hello: Pick<HelloMessage, 'protocol' | 'worker_id' | 'worker_token' | 'device' | 'greeting'>,
    nowMs: number,
  ): void {
    this.connection = { state: 'greeting' };
    this.#hellos += 1;
    const [workload, standing] = [this.#workload, this.#standing];
    this.#out.greet(workload.heldBefore);
    this.#saidRest = standing.rest;
    const telemetry = this.heartbeat.measured();
    const before = workload.heldBefore.map((ref) => ({ ...ref, state: 'queued' as const }));
    const attempts = [...before, ...heldAttempts(workload.held, nowMs)];
    const programs = workload.jobs.keptPrograms();
    const life = { instance: this.#instance, connection: this.#hellos };
    const about = { ...life, telemetry, attempts, programs, ...standing.inHello() };
    this.#out.message({ type: 'hello', ...hello, ...about });
  }

  /** From here on reports may be sent. */
  open(welcome: Welcome, nowMs: number): void {
    // The first try after this connection is for the one that it was started with.
    this.#tries = 0;
    this.#others = (welcome.coordinators ?? []).filter(this.#mayGoTo).slice(0, othersMax);
    this.#toldRefusals.clear();
    this.connection = {
      state: 'ready',
      welcomedAtMs: nowMs,
      leaseMs: welcome.lease_seconds * 1000,
      intervalMs: welcome.heartbeat_interval_seconds * 1000,
      heardAtMs: nowMs,
      assignSequence: 0,
      missedSequences: new Set(),
      unanswered: null,
    };
    this.#out.push({ type: 'clear_timer', timer: 'handshake' });
    this.#setTimer('heartbeat', this.heartbeat.nextAfterMs(this.connection));
    const { rest } = this.#standing;
    if (rest !== this.#saidRest || rest?.leaseSeconds !== undefined) this.sayAtOnce(nowMs);
    this.#out.open();
    this.#workload.heldBefore = [];
  }

  /**
   * The `heartbeat` timer: sends a heartbeat, or disconnects when the coordinator has been silent.
   */
  beat(nowMs: number): void {
    const { connection } = this;
    if (connection.state !== 'ready') return;
    if (nowMs - connection.heardAtMs > connection.leaseMs) {
      return this.disconnect('The coordinator has been silent for too long.', nowMs);
    }
    this.#workload.outbox.resend(nowMs - connection.leaseMs, this.#out, nowMs);
    this.sendHeartbeat(nowMs);
    this.#setTimer('heartbeat', this.heartbeat.nextAfterMs(connection));
  }

  /** One more heartbeat, beside those of the timer. */
  sendHeartbeat(nowMs: number): void {
    const { connection } = this;
    if (connection.state !== 'ready') return;
    this.heartbeat.send(connection, this.#workload, this.#standing, this.#out, nowMs);
  }

  /** Before what is given back because of it: a release from a worker that takes tasks would count as a refusal. */
  sayAtOnce(nowMs: number): void {
    if (this.connection.state !== 'ready') return;
    this.sendHeartbeat(nowMs);
    this.#out.cut();
  }

  /** The `handshake` timer. */
  giveUpHandshake(nowMs: number): void {
    const { state } = this.connection;
    if (state !== 'connecting' && state !== 'greeting') return;
    this.disconnect('The coordinator did not answer in time.', nowMs);
  }

  disconnect(detail: string, nowMs: number): void {
    this.#out.push({ type: 'disconnect' });
    this.lose(detail, nowMs);
  }

  /** Somebody answers, and does not take it: while it tries to come back, a person should know why. */
  beRefused(detail: string, nowMs: number): void {
    const isNew = !this.#toldRefusals.has(detail) && this.#toldRefusals.size < refusalsMax;
    if (isNew) this.#toldRefusals.add(detail);
    if (isNew && !this.#backoff.isFirst) this.#sayUnreachable(detail);
    this.lose(detail, nowMs);
  }

  /** Running attempts go on; the coordinator is told of them in the next `hello`. */
  lose(detail: string, nowMs: number): void {
    const { connection } = this;
    if (!isConnected(connection)) return;
    if (connection.state === 'ready') {
      this.#noteLife(nowMs);
      this.#out.log('warn', 'disconnected', `${detail} Trying to reconnect; tasks go on.`);
    } else if (this.#backoff.isFirst) {
      this.#sayUnreachable(detail);
    }
    this.pause(0);
  }

  #noteLife(nowMs: number): void {
    const { connection } = this;
    if (connection.state !== 'ready') return;
    const livedMs = nowMs - connection.welcomedAtMs;
    if (livedMs >= this.#tuning.steadyConnectionMs) this.#backoff.reset();
  }

  /** Only `hello` says how many there are. */
  useSlots(count: number): void {
    const before = this.#workload.inUse.length;
    this.#workload.setSlots(count);
    const { state } = this.connection;
    if (before === count || (state !== 'greeting' && state !== 'ready')) return;
    this.#out.push({ type: 'disconnect' });
    this.pause(0);
  }

  #sayUnreachable(detail: string): void {
    this.#out.log('warn', 'unreachable', `${detail} Trying again until it answers.`);
  }

  /** Waits at least so long before it connects again. */
  pause(leastMs: number): void {
    this.#out.close();
    this.#out.push({ type: 'clear_timer', timer: 'handshake' });
    this.#out.push({ type: 'clear_timer', timer: 'heartbeat' });
    this.connection = { state: 'waiting' };
    this.#setTimer('reconnect', leastMs + this.#backoff.nextMs());
  }

  /** The last output of the machine. */
  exit(code: number, reason: string): void {
    for (const timer of timers) this.#out.push({ type: 'clear_timer', timer });
    if (isConnected(this.connection)) this.#out.push({ type: 'disconnect' });
    this.connection = { state: 'ended' };
    this.#out.push({ type: 'exit', code, reason });
  }

  #setTimer(timer: MachineTimer, afterMs: number): void {
    this.#out.push({ type: 'set_timer', timer, afterMs });
  }
}

const timers: readonly MachineTimer[] = [
  'handshake',
  'reconnect',
  'heartbeat',
  'flush',
  'leave_deadline',
];
