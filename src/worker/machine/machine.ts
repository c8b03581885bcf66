// The worker, as a pure machine: inputs and the time go in, outputs come out. Nothing here reads a
// clock, draws a number, opens a socket or runs task code; the agent on a device and the simulator
// drive this same class.
//
// `Link` has the connection, `Workload` the attempts, `Departure` how a worker leaves, `Resting` how it rests; this
// file has what the coordinator says.

import type {
  AssignMessage,
  CoordinatorMessage,
  DeregisteredMessage,
  ErrorMessage,
  GreetMessage,
  HeartbeatAnswer,
  JobDescription,
  RejectedReport,
  StopOrder,
  WelcomeMessage,
} from '../../protocol/messages.ts';
import { protocolVersion } from '../../protocol/messages.ts';
import type { StopReason } from '../executor.ts';
import type { Connection } from './connection.ts';
import { isConnected, noteSequence } from './connection.ts';
import { Departure } from './departure.ts';
import type { MachineInput, MachineOptions, MachineOutput, MachineTimer } from './port.ts';
import type { MachineTuning, WorkerIdentity } from './port.ts';
import { defaultTuning, exitCodes, ownTokenRefused } from './port.ts';
import type { Job } from './jobs.ts';
import { Link } from './link.ts';
import { Outgoing } from './outgoing.ts';
import { Resting } from './resting.ts';
import { Standing } from './standing.ts';
import { Workload } from './workload.ts';

export type {
  KeptReport,
  LogLevel,
  MachineInput,
  MachineOptions,
  MachineOutput,
  MachineTimer,
  MachineTuning,
  RestOrder,
  WorkerIdentity,
} from './port.ts';
export { defaultTuning, exitCodes, ownTokenRefused } from './port.ts';

export class WorkerMachine {
  readonly workload: Workload;
  readonly #options: MachineOptions;
  readonly #tuning: MachineTuning;
  readonly #out: Outgoing;
  readonly #link: Link;
  readonly #departure: Departure;
  readonly #resting: Resting;
  readonly #standing = new Standing();
  #identity: WorkerIdentity | null;
  #hasEverBeenWelcome = false;
  #isFlushSet = false;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#identity = options.identity;
    this.#tuning = { ...defaultTuning, ...options.tuning };
    this.#out = new Outgoing(this.#tuning.frameCharacters);
    this.workload = new Workload(options, this.#tuning, this.#out);
    const [tuning, out, standing] = [this.#tuning, this.#out, this.#standing];
    const { workload } = this;
    this.#link = new Link(options, tuning, out, workload, standing);
    this.#departure = new Departure(tuning, out, workload, this.#link, standing);
    this.#resting = new Resting(standing, out, workload, this.#link);
  }

  /** Whoever runs the coordinator gives it nothing new. */
  get isDraining(): boolean {
    return this.#standing.isDraining;
  }

  get connectionState(): Connection['state'] {
    return this.#link.connection.state;
  }

  /** Null before the first registration. */
  get workerId(): string | null {
    return this.#identity?.workerId ?? null;
  }

  step(input: MachineInput, nowMs: number): MachineOutput[] {
    if (this.#hasEnded()) return [];
    this.#take(input, nowMs);
    if (!this.#hasEnded()) {
      this.workload.handOver();
      this.#scheduleFlush();
      this.#departure.leaveWhenDone();
    }
    return this.#out.finish();
  }

  #take(input: MachineInput, nowMs: number): void {
    switch (input.type) {
      case 'start':
        if (this.connectionState === 'idle') this.#link.connect();
        return;
      case 'socket_opened':
        if (this.connectionState === 'connecting') this.#sayHello(nowMs);
        return;
      case 'socket_closed':
        return this.#link.lose(input.detail ?? 'The connection was closed.', nowMs);
      case 'socket_refused':
        return this.#onRefused(input.status, input.code, input.detail, nowMs);
      case 'message':
        return this.#onMessage(input.message, nowMs);
      case 'frame':
        for (const message of input.messages) this.#onMessage(message, nowMs);
        return;
      case 'executor':
        return this.workload.onExecutorEvent(input.event, nowMs);
      case 'timer':
        return this.#onTimer(input.timer, nowMs);
      case 'leave':
        return this.#departure.begin(nowMs);
      case 'rest':
        return this.#resting.change(input.rest, nowMs);
      case 'slots':
        return this.#link.useSlots(input.slots);
    }
  }

  #onTimer(timer: MachineTimer, nowMs: number): void {
    switch (timer) {
      case 'reconnect':
        if (this.connectionState === 'waiting') this.#link.connect();
        return;
      case 'handshake':
        return this.#link.giveUpHandshake(nowMs);
      case 'heartbeat':
        return this.#link.beat(nowMs);
      case 'flush':
        this.#isFlushSet = false;
        return this.workload.flushProgress();
      case 'leave_deadline':
        return this.#departure.onDeadline();
    }
  }

  #scheduleFlush(): void {
    if (this.#isFlushSet || !this.#out.isOpen || !this.workload.hasNews) return;
    this.#isFlushSet = true;
    this.#setTimer('flush', this.#tuning.progressWindowMs);
  }

  // ---- coming

  /** Another leader asks, on this connection, who it is and what it holds. */
  #onGreet({ id }: GreetMessage, nowMs: number): void {
    const { connectionState: state } = this;
    if (state !== 'greeting' && state !== 'ready') return this.#ignore('greet');
    this.#link.beGreeted(nowMs);
    this.#sayHello(nowMs, id);
  }

  #sayHello(nowMs: number, greeting?: number): void {
    const [identity, options] = [this.#identity, this.#options];
    const hello = {
      protocol: protocolVersion,
      ...(greeting === undefined ? {} : { greeting }),
      ...(identity === null
        ? {}
        : { worker_id: identity.workerId, worker_token: identity.workerToken }),
      device: { ...options.device, slots: this.workload.inUse.length },
    };
    this.#link.greet(hello, nowMs);
  }

  #onWelcome(message: WelcomeMessage, nowMs: number): void {
    if (this.connectionState !== 'greeting') return this.#ignore('welcome');
    if (message.protocol !== protocolVersion && this.#link.isElsewhere) {
      return this.#link.disconnect('Another version of the protocol.', nowMs);
    }
    if (message.protocol !== protocolVersion) {
      const theirs = `The coordinator speaks version ${message.protocol} of the protocol`;
      return this.#fail(exitCodes.refused, `${theirs}, this worker ${protocolVersion}.`);
    }
    this.#hasEverBeenWelcome = true;
    this.#link.open(message, nowMs);
    this.#keepIdentity(message);
    for (const order of message.stop) this.#stop(order, 'revoked');
    this.#setDraining(message.drain);
    this.workload.resendAll(nowMs);
    this.#out.log('info', 'connected', `Connected as worker ${message.worker_id}.`);
    if (message.waiting_for_approval !== true) return;
    const how = `muster approve ${message.worker_id}`;
    this.#out.log(
      'info',
      'waiting',
      `Waiting for a person to let it in: ${how} at the coordinator.`,
    );
  }

  #keepIdentity(message: WelcomeMessage): void {
    const workerId = message.worker_id;
    const workerToken = message.worker_token;
    if (workerToken === undefined) return;
    this.#identity = { workerId, workerToken };
    this.#out.push({ type: 'save_identity', workerId, workerToken });
  }

  #onRefused(status: number, code: string | null, detail: string, nowMs: number): void {
    if (this.connectionState !== 'connecting') return;
    if (this.#link.isElsewhere) return this.#link.lose(detail, nowMs);
    if (code === 'deregistered') return this.#onDeregistered({ type: 'deregistered', detail });
    if (code === ownTokenRefused) return this.#onOwnTokenRefused(detail, nowMs);
    if (status === 401 || status === 403) return this.#fail(exitCodes.refused, detail);
    // A proxy that restarts may answer 404 too: after a first welcome the address is known to be
    // right.
    const isWrong = status >= 400 && status < 500 && status !== 429;
    if (isWrong && !this.#hasEverBeenWelcome) return this.#fail(exitCodes.no_coordinator, detail);
    this.#link.beRefused(detail, nowMs);
  }

  /**
   * Who starts it with another token wants it to join with that, also when it was removed. Who is removed while it
   * works stays away. What it was is kept on the disk until it is somebody else.
   */
  #onOwnTokenRefused(detail: string, nowMs: number): void {
    if (this.#hasEverBeenWelcome) return this.#link.lose(detail, nowMs);
    this.#identity = null;
    this.#link.stayHome();
    this.workload.abandonAll();
    this.#out.log('warn', 'registering_anew', ownTokenRefusedText);
    this.#link.pause(0);
  }

  // ---- what the coordinator says

  #onMessage(message: CoordinatorMessage, nowMs: number): void {
    const { connection } = this.#link;
    if (connection.state === 'ready') connection.heardAtMs = nowMs;
    if (message.type === 'welcome') return this.#onWelcome(message, nowMs);
    if (this.#link.isElsewhere && connection.state === 'greeting' && isFinal(message)) {
      // Whether it is known at all is said by the coordinator that it was started with.
      return this.#link.disconnect(message.detail, nowMs);
    }
    if (message.type === 'deregistered') return this.#onDeregistered(message);
    if (message.type === 'error') return this.#onError(message, nowMs);
    if (message.type === 'greet') return this.#onGreet(message, nowMs);
    if (connection.state !== 'ready') return this.#ignore(message.type);
    switch (message.type) {
      case 'assign':
        return this.#onAssign(message, nowMs);
      case 'ack':
        for (const report of message.accepted) this.workload.acknowledge(report);
        if (message.heartbeat !== undefined) this.#onHeartbeatAnswer(message.heartbeat, nowMs);
        return;
      case 'reject':
        return this.#onReject(message.rejected, nowMs);
      case 'cancel':
        for (const order of message.attempts) this.#stop(order, 'cancelled');
        return;
      case 'revoke':
        for (const order of message.attempts) this.#stop(order, 'revoked');
        return;
      case 'recall':
        for (const ref of message.attempts) this.workload.recall(ref.task_id, ref.attempt);
        return;
      case 'drain':
        return this.#setDraining(message.drain);
      case 'approved':
        return this.#out.log('info', 'approved', 'A person has let this worker in.');
      case 'ping':
        return this.#link.sendHeartbeat(nowMs);
      default:
        return this.#ignore((message as { readonly type: string }).type);
    }
  }

  #onAssign(message: AssignMessage, nowMs: number): void {
    const { connection } = this.#link;
    if (connection.state !== 'ready') return;
    if (!noteSequence(connection, message.sequence)) {
      return this.#out.log('warn', 'assign_repeated', `Sequence ${message.sequence} came twice.`);
    }
    const jobs = new Map<string, Job | null>();
    for (const assignment of message.assignments) {
      const { job_id: jobId } = assignment;
      const described = descriptionOf(message, jobId);
      let job = jobs.get(jobId);
      if (job === undefined) jobs.set(jobId, (job = this.#learn(jobId, described)));
      if (job !== null) this.workload.take(assignment, job, nowMs);
      else this.workload.decline(assignment, described?.program.sha256, nowMs);
    }
  }

  /** Null without its program. An older coordinator describes a job once per connection. */
  #learn(jobId: string, description: JobDescription | undefined): Job | null {
    const { jobs } = this.workload;
    if (description === undefined) return jobs.find(jobId) ?? null;
    const forget = (id: string) => this.#out.push({ type: 'forget_program', jobId: id });
    return jobs.learn(jobId, description, forget);
  }

  /** Logs one line for all rejections: a thousand short tasks may be rejected together. */
  #onReject(rejected: readonly RejectedReport[], nowMs: number): void {
    const [first] = rejected;
    if (first === undefined) return;
    for (const report of rejected) this.workload.reject(report, nowMs);
    const what = `${first.kind} of ${first.task_id} (${first.code}): ${first.detail}`;
    const more = rejected.length === 1 ? '' : ` And ${rejected.length - 1} more.`;
    this.#out.log('info', 'reports_rejected', `Not taken: ${what}${more}`);
  }

  #onHeartbeatAnswer(answer: HeartbeatAnswer, nowMs: number): void {
    const { connection, heartbeat } = this.#link;
    if (connection.state !== 'ready') return;
    heartbeat.answered(connection, answer, this.#out, nowMs);
    for (const order of answer.stop) this.#stop(order, 'revoked');
    this.#setDraining(answer.drain);
  }

  #onDeregistered(message: DeregisteredMessage): void {
    if (!isConnected(this.#link.connection)) return;
    const pauseSeconds = message.register_after_seconds;
    this.#startOver();
    if (pauseSeconds === undefined) {
      this.#out.log('warn', 'deregistered', message.detail);
      return this.#link.exit(exitCodes.left, 'deregistered');
    }
    this.#out.push({ type: 'disconnect' });
    this.#link.pause(pauseSeconds * 1000);
    this.#out.log('warn', 'registering_anew', message.detail);
  }

  #onError(message: ErrorMessage, nowMs: number): void {
    const { connection } = this.#link;
    if (!isConnected(connection)) return;
    const { code, detail, fatal } = message;
    if (!fatal) return this.#out.log('warn', code, detail);
    if (code === 'deregistered') return this.#onDeregistered({ type: 'deregistered', detail });
    if (finalErrors.has(code)) return this.#fail(exitCodes.refused, detail);
    // In answer to `hello`: this coordinator does not accept the identity.
    const isStranger = code === 'unknown_worker' || code === 'not_yours';
    if (isStranger && connection.state === 'greeting') this.#startOver();
    this.#link.disconnect(detail, nowMs);
  }

  /** The coordinator does not know this worker (any more): nobody waits for its attempts. */
  #startOver(): void {
    this.workload.abandonAll();
    this.workload.jobs.forgetPrograms();
    this.#link.stayHome();
    this.#identity = null;
    this.#out.push({ type: 'forget_identity' });
  }

  #stop(order: StopOrder, otherwise: StopReason): void {
    const reason = stopReasons.has(order.reason) ? (order.reason as StopReason) : otherwise;
    this.workload.stop(order.task_id, order.attempt, reason);
  }

  #setDraining(isDraining: boolean): void {
    const standing = this.#standing;
    if (standing.isDraining === isDraining) return;
    standing.isDraining = isDraining;
    if (isDraining) this.#out.log('info', 'draining', drainingText);
    else this.#out.log('info', 'resumed', 'An operator lets this worker take tasks again.');
    this.workload.setAccepting(standing.isAccepting);
    if (isDraining) this.workload.orderCheckpoints();
  }

  #fail(code: number, detail: string): void {
    this.#out.log('error', 'refused', detail);
    this.#link.exit(code, detail);
  }

  #hasEnded(): boolean {
    return this.connectionState === 'ended';
  }

  #ignore(type: string): void {
    const state = this.connectionState;
    this.#out.log('warn', 'message_ignored', `"${type}" is not expected while ${state}.`);
  }

  #setTimer(timer: MachineTimer, afterMs: number): void {
    this.#out.push({ type: 'set_timer', timer, afterMs });
  }
}

function isFinal(message: CoordinatorMessage): message is DeregisteredMessage | ErrorMessage {
  return message.type === 'deregistered' || (message.type === 'error' && message.fatal);
}

/** An id may be a word that every object inherits. */
function descriptionOf({ programs }: AssignMessage, jobId: string): JobDescription | undefined {
  return Object.hasOwn(programs, jobId) ? programs[jobId] : undefined;
}

const ownTokenRefusedText =
  'The coordinator does not take the token of this worker any more: it was removed. It joins as a new one, with ' +
  'the link or the token that it was started with.';

const drainingText =
  'An operator drains this worker: nothing new is taken, and what runs is handed over at its next checkpoint.';

/** Errors after which trying again is of no use: the answer would be the same. */
const finalErrors: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'protocol_mismatch',
]);

/** Reasons that the coordinator gives with an order; `leaving` is the worker's own. */
const stopReasons: ReadonlySet<string> = new Set<StopReason>([
  'cancelled',
  'revoked',
  'attempt_timeout',
  'progress_timeout',
]);
