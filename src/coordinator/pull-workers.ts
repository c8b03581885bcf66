// Workers over plain HTTP. They have no connection: what is assigned to them lies in a mailbox until
// they claim it, and every call renews their lease. The meaning is that of the socket.

import { leaseOf } from '../core/lease.ts';
import type { AttemptRecord } from '../core/records.ts';
import type { State } from '../core/state.ts';
import { payloadText, programJson } from '../protocol/codec.ts';
import type { Limits } from '../protocol/limits.ts';
import type {
  Assignment,
  CoordinatorMessage,
  HeartbeatAnswer,
  HeartbeatMessage,
  JobProgram,
  StopOrder,
  WorkerMessage,
} from '../protocol/messages.ts';
import { takeHeartbeat } from './heartbeats.ts';
import { describe } from './hello.ts';
import type { Newcomers } from './newcomers.ts';
import type {
  ClaimedAssignment,
  Registered,
  Registration,
  Rejection,
  ReportAnswer,
  Result,
} from './port.ts';
import { commandCount, type ReportMessage, Reports, wantReported } from './reports.ts';
import type { Runtime } from './runtime.ts';
import { type Place, Session, type SessionIntake, type Sessions } from './sessions.ts';
import { readTelemetry } from './telemetry.ts';
import type { Wanted } from './visitors.ts';
import type { Batch } from './batch.ts';
import type { WriterLoop } from './writer-loop.ts';

export interface PullWorkersOptions {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
  readonly limits: Limits;
  readonly newcomers: Newcomers;
  readonly state: State;
  readonly loop: WriterLoop;
  readonly intake: SessionIntake;
  readonly nextWorkerKey: () => number;
}

export class PullWorkers {
  private readonly options: PullWorkersOptions;

  constructor(options: PullWorkersOptions) {
    this.options = options;
  }

  register({ device, telemetry }: Registration): Promise<Result<Registered>> {
    const { runtime, state, newcomers, nextWorkerKey } = this.options;
    return this.options.loop.ask<Result<Registered>>((batch) => {
      const description = describe(device);
      const full = newcomers.refusal(description, batch.at);
      if (full !== null) return () => ({ ok: false, rejection: full });
      const workerId = runtime.newId();
      const token = runtime.newToken();
      const sane = readTelemetry(telemetry);
      batch.execute({
        type: 'register_worker',
        workerId,
        key: nextWorkerKey(),
        tokenHash: runtime.hash(token),
        description,
        measured: sane.measured,
        telemetryJson: sane.json,
        at: batch.at,
      });
      this.attach(batch, workerId, false);
      const { heartbeatIntervalMs } = state.settings;
      const leaseMs = leaseOf(state, description);
      return () => ({
        ok: true,
        value: {
          worker_id: workerId,
          worker_token: token,
          heartbeat_interval_seconds: heartbeatIntervalMs / 1000,
          lease_seconds: leaseMs / 1000,
        },
      });
    });
  }

  heartbeat(
    workerId: string,
    token: string,
    message: Pick<HeartbeatMessage, 'telemetry' | 'running'>,
  ): Promise<Result<Omit<HeartbeatAnswer, 'heartbeat_id'>>> {
    const { state } = this.options;
    return this.call(workerId, token, [], 1 + message.running.length, (batch, session) => {
      const answer = takeHeartbeat(state, batch, workerId, {
        ...message,
        assignSequence: session.deliveries,
        leaving: false,
      });
      // Orders that would have been sent on a socket wait here for the next heartbeat.
      return () => ({ ...answer, stop: [...answer.stop, ...session.takeStops()] });
    });
  }

  report(
    workerId: string,
    token: string,
    messages: readonly WorkerMessage[],
  ): Promise<Result<ReportAnswer>> {
    const { runtime, limits } = this.options;
    return this.call(workerId, token, messages, commandCount(messages), (batch) => {
      const reports = new Reports(
        { chance: runtime.chance, hash: runtime.hash, limits },
        workerId,
        true,
      );
      for (const message of messages) reports.take(batch, message as ReportMessage);
      return () => ({ accepted: reports.accepted, rejected: reports.rejected });
    });
  }

  async claim(
    workerId: string,
    token: string,
    how: { readonly max: number; readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<Result<readonly ClaimedAssignment[]>> {
    const { runtime, loop } = this.options;
    const until = loop.steadyNow + how.waitMs;
    const arrived = await this.call(workerId, token, [], 1, (_batch, found) => () => found, true);
    if (!arrived.ok) return arrived;
    const session = arrived.value;
    // What this very batch has placed is in the mailbox when the batch is over.
    await loop.settled();
    for (;;) {
      // Who has gone must not take an assignment along.
      if (hasGone(how.signal)) return { ok: true, value: [] };
      if (session.mailbox.length > 0) {
        const taken = await this.deliver(workerId, token, session, how.max);
        if (!taken.ok) return taken;
        if (taken.value.length === 0) continue;
        if (!hasGone(how.signal)) return taken;
        await this.takeBack(workerId, taken.value);
        return { ok: true, value: [] };
      }
      if (loop.steadyNow >= until || !session.isOpen) return { ok: true, value: [] };
      const renewAt = loop.steadyNow + this.leaseMs(workerId) / 2;
      const waitMs = Math.min(until, renewAt) - loop.steadyNow;
      await session.news(runtime, waitMs, how.signal);
      // Who waits for an answer is there, however long it takes.
      if (loop.steadyNow < renewAt || hasGone(how.signal)) continue;
      const renewed = await this.call(workerId, token, [], 1, () => () => null, true);
      if (!renewed.ok) return renewed;
    }
  }

  private deliver(
    workerId: string,
    token: string,
    session: PullSession,
    max: number,
  ): Promise<Result<readonly ClaimedAssignment[]>> {
    return this.call(workerId, token, [], max, (batch) => {
      const taken: ClaimedAssignment[] = [];
      let bytes = 0;
      while (taken.length < max) {
        const [next] = session.mailbox;
        if (next === undefined) break;
        // Each has its program along: what would make the answer too long waits for the next claim.
        bytes += bytesOf(next);
        if (taken.length > 0 && bytes > claimedBytes) break;
        session.mailbox.shift();
        if (this.handOut(batch, session, next)) {
          const lease_seconds = this.leaseMs(workerId) / 1000;
          taken.push({ ...next.assignment, ...next.program, lease_seconds });
        }
      }
      // What ended in this very batch is not worth beginning.
      return () => taken.filter((given) => this.isLive(given));
    });
  }

  private isLive({ job_id: jobId, index, token }: Assignment): boolean {
    return this.findLive(jobId, index, token) !== undefined;
  }

  private findLive(jobId: string, index: number, token: string): AttemptRecord | undefined {
    const task = this.options.state.jobs.get(jobId)?.tasks.get(index);
    return task?.live.find((each) => each.token === token);
  }

  /** Who asked has gone while the assignments were committed: somebody else may have them at once. */
  private async takeBack(
    workerId: string,
    assignments: readonly ClaimedAssignment[],
  ): Promise<void> {
    const { chance } = this.options.runtime;
    await this.options.loop.ask((batch) => {
      for (const { job_id: jobId, index, attempt, token } of assignments) {
        const claim = { jobId, index, attempt, token, workerId };
        const { at } = batch;
        batch.execute({ type: 'give_back', ...claim, reason: 'released', chance: chance(), at });
      }
      return () => undefined;
    });
  }

  /** False when it was taken back meanwhile. */
  private handOut(batch: Batch, session: PullSession, { assignment }: Letter): boolean {
    const { job_id: jobId, index, token } = assignment;
    const attempt = this.findLive(jobId, index, token);
    if (attempt === undefined) return false;
    const sequence = session.deliveries + 1;
    const { rejection } = batch.execute({
      type: 'deliver_attempt',
      attempt,
      sequence,
      at: batch.at,
    });
    if (rejection !== undefined) return false;
    session.deliveries = sequence;
    return true;
  }

  private leaseMs(workerId: string): number {
    const { state } = this.options;
    return leaseOf(state, state.workers.get(workerId) ?? { leaseMs: null });
  }

  /** An authenticated call of a worker, in the next batch. */
  private call<T>(
    workerId: string,
    token: string,
    messages: readonly WorkerMessage[],
    size: number,
    run: (batch: Batch, session: PullSession) => () => T,
    asksForWork = false,
  ): Promise<Result<T>> {
    const { state, loop } = this.options;
    const wants = (wanted: Wanted) => {
      if (!state.workers.has(workerId)) wanted.workers.add(workerId);
      wantReported(state, wanted, messages);
    };
    return loop.ask<Result<T>>(
      (batch) => {
        const refused = this.authenticate(batch, workerId, token);
        if (refused !== undefined) return () => ({ ok: false, rejection: refused });
        const answer = run(batch, this.attach(batch, workerId, asksForWork));
        return () => ({ ok: true, value: answer() });
      },
      { wants, size },
    );
  }

  private authenticate(batch: Batch, workerId: string, token: string): Rejection | undefined {
    const { state, runtime } = this.options;
    const worker = state.workers.get(workerId);
    if (worker === undefined) {
      const row = batch.visitors.workers.get(workerId);
      const wasRemoved = row !== undefined && row.tokenHash === runtime.hash(token);
      return wasRemoved
        ? { code: 'deregistered', detail: `Worker ${workerId} was removed and must stay away.` }
        : { code: 'unknown_worker', detail: `No worker has the id ${workerId}; register anew.` };
    }
    if (worker.tokenHash === runtime.hash(token)) return undefined;
    return { code: 'not_yours', detail: `The token does not belong to worker ${workerId}.` };
  }

  private attach(batch: Batch, workerId: string, asksForWork: boolean): PullSession {
    const { sessions, intake } = this.options;
    const found = sessions.find(workerId);
    const session =
      found instanceof PullSession ? found : new PullSession(sessions.nextId(), intake);
    if (session !== found) sessions.bind(session, workerId);
    const { id: connectionId } = session;
    batch.execute({ type: 'attach_worker', workerId, connectionId, asksForWork, at: batch.at });
    return session;
  }
}

function hasGone(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

interface Letter {
  readonly assignment: Assignment;
  readonly program: JobProgram;
}

/** The newest of them. Of whatever else it should stop, a worker that lists it in a heartbeat hears then. */
const mostStops = 256;

/** At most in the answer to a claim, unless its first assignment is larger. */
const claimedBytes = 16 * 1024 * 1024;

/** As it is answered, within a kilobyte. */
function bytesOf({ assignment, program }: Letter): number {
  const { input, checkpoint } = assignment;
  const state = checkpoint === undefined ? '' : payloadText(checkpoint.state);
  const texts = [programJson(program.program), payloadText(input), state];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 1000);
}

/** Stands where a socket would: keeps what is posted until the worker asks for it. */
class PullSession extends Session {
  readonly mailbox: Letter[] = [];
  /** How many assignments were handed out. */
  deliveries = 1;
  private stops: StopOrder[] = [];
  /** Claims that wait; a worker may have several under way. */
  private readonly waiting = new Set<() => void>();

  constructor(id: number, intake: SessionIntake) {
    super(id, { send: () => undefined, close: () => undefined }, intake);
  }

  override post(message: CoordinatorMessage): void {
    if (message.type === 'assign') {
      for (const assignment of message.assignments) {
        const program = message.programs[assignment.job_id];
        if (program !== undefined) this.mailbox.push({ assignment, program });
      }
      this.wakeAll();
    }
    if (message.type === 'cancel' || message.type === 'revoke') this.stop(message.attempts);
  }

  /** Nothing goes out in order here: who asks takes what there is. */
  override reserve(): Place {
    return { add: (message) => this.post(message), close: () => undefined };
  }

  override end(reason: string): void {
    super.end(reason);
    this.wakeAll();
  }

  takeStops(): readonly StopOrder[] {
    const taken = this.stops;
    this.stops = [];
    return taken;
  }

  /** Resolves when there may be something, or when the time is over. */
  async news(runtime: Runtime, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        cancel();
        signal?.removeEventListener('abort', end);
        this.waiting.delete(end);
        resolve();
      };
      const cancel = runtime.setTimer(runtime.now() + waitMs, end);
      this.waiting.add(end);
      signal?.addEventListener('abort', end);
    });
  }

  private wakeAll(): void {
    for (const wake of this.waiting) wake();
  }

  /** What is still in the mailbox needs no order: it is never handed out. */
  private stop(orders: readonly StopOrder[]): void {
    for (const order of orders) {
      const place = this.mailbox.findIndex(
        ({ assignment }) =>
          assignment.task_id === order.task_id && assignment.attempt === order.attempt,
      );
      if (place >= 0) this.mailbox.splice(place, 1);
      else this.stops.push(order);
    }
    this.stops = this.stops.slice(-mostStops);
  }
}
