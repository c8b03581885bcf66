// Workers over plain HTTP. They have no connection: what is assigned to them lies in a mailbox until
// they claim it, and every call renews their lease. Messages mean the same as on a socket.

import { heartbeatMsOf, leaseOf } from '../../core/lease.ts';
import type { Limits } from '../../protocol/limits.ts';
import type {
  AttemptRef,
  HeartbeatAnswer,
  StopOrder,
  WorkerMessage,
} from '../../protocol/messages.ts';
import { restSaid } from '../../protocol/resting.ts';
import { type ClaimOptions, Claims } from './claims.ts';
import { takeHeartbeat } from './heartbeats.ts';
import { describe } from './hello.ts';
import { isProven } from './identity.ts';
import type { Tokens } from '../access/tokens.ts';
import type { DiskRoom } from '../port/disk-room.ts';
import type { Result } from '../port/rejection.ts';
import { registerWorker, type RegistrationOptions } from './registration.ts';
import type { Runtime } from '../runtime.ts';
import type { Bearer } from '../port/tokens.ts';
import type { Batch } from '../writer/batch.ts';
import { PullCalls } from './pull-calls.ts';
import { PullSession } from './pull-session.ts';
import type {
  ClaimedAssignment,
  PulledHeartbeat,
  PullWorkerPort,
  Registered,
  Registration,
  ReportAnswer,
} from '../port/workers.ts';
import type { LiveOutput } from './live-output.ts';
import { commandCount, type ReportMessage, Reports, type TellOutput } from './reports.ts';
import { readTelemetry } from './telemetry.ts';

export interface PullWorkersOptions extends ClaimOptions, RegistrationOptions {
  readonly runtime: Runtime;
  readonly limits: Limits;
  readonly tokens: Pick<Tokens, 'admit' | 'areNeeded'>;
  readonly disk: DiskRoom;
  readonly liveOutput: LiveOutput;
  readonly tellOutput: TellOutput;
}

export class PullWorkers implements PullWorkerPort {
  private readonly options: PullWorkersOptions;
  private readonly calls: PullCalls;
  private readonly claims: Claims;

  constructor(options: PullWorkersOptions) {
    this.options = options;
    this.calls = new PullCalls(options);
    this.claims = new Claims(options, this.calls);
  }

  hasWorked(workerId: string, token: string): boolean {
    return isProven(this.options, workerId, token);
  }

  register(
    { device, telemetry }: Registration,
    bearer: Bearer | null = null,
  ): Promise<Result<Registered>> {
    const { state } = this.options;
    return this.options.loop.ask<Result<Registered>>((batch) => {
      const description = describe(device);
      const sane = readTelemetry(telemetry);
      const newcomer = { description, telemetry: sane, bearer };
      const registered = registerWorker(this.options, batch, newcomer);
      if ('code' in registered) return () => ({ ok: false, rejection: registered });
      const { workerId, token, isWaiting } = registered;
      this.calls.attach(batch, workerId, false);
      const leaseMs = leaseOf(state, description);
      return () => ({
        ok: true,
        value: {
          worker_id: workerId,
          worker_token: token,
          heartbeat_interval_seconds: heartbeatMsOf(state) / 1000,
          lease_seconds: leaseMs / 1000,
          ...(isWaiting ? { waiting_for_approval: true } : {}),
          ...(sane.warnings.length === 0 ? {} : { warnings: sane.warnings }),
        },
      });
    });
  }

  async heartbeat(
    workerId: string,
    token: string,
    message: PulledHeartbeat,
  ): Promise<Result<Omit<HeartbeatAnswer, 'heartbeat_id'>>> {
    const { state } = this.options;
    const { telemetry, running, lease_seconds: leaseSeconds } = message;
    const size = 1 + running.length;
    const taken = await this.calls.call(workerId, token, [], size, (batch, session) => {
      const answer = takeHeartbeat(state, batch, workerId, {
        telemetry,
        running,
        rest: restSaid(message),
        leaseSeconds,
        assignSequence: session.deliveries,
        leaving: false,
      });
      return () => ({ answer, session });
    });
    if (!taken.ok) return taken;
    const { answer, session } = taken.value;
    // Orders that would have been sent on a socket wait here for the next heartbeat. They are taken only
    // now, so that those of the same commit are among them.
    const stop = onePerAttempt([...answer.stop, ...session.takeStops()]);
    return { ok: true, value: { ...answer, stop } };
  }

  report(
    workerId: string,
    token: string,
    messages: readonly WorkerMessage[],
  ): Promise<Result<ReportAnswer>> {
    const { runtime, ...rest } = this.options;
    return this.calls.call(workerId, token, messages, commandCount(messages), (batch) => {
      const reports = new Reports(
        { ...rest, chance: runtime.chance, hash: runtime.hash },
        workerId,
        true,
      );
      for (const message of messages) reports.take(batch, message as ReportMessage);
      return () => ({ accepted: reports.accepted, rejected: reports.rejected });
    });
  }

  giveBack(
    workerId: string,
    token: string,
    refs: readonly AttemptRef[],
  ): Promise<Result<ReportAnswer>> {
    const { runtime, ...rest } = this.options;
    const message = { type: 'release', releases: refs } as const;
    return this.calls.callInPassing(workerId, token, [message], refs.length, (batch) => {
      const reports = new Reports(
        { ...rest, chance: runtime.chance, hash: runtime.hash },
        workerId,
        true,
      );
      const before = this.attemptsOf(workerId);
      reports.giveBack(batch, refs);
      if (this.attemptsOf(workerId) < before) this.endSocket(batch, workerId);
      return () => ({ accepted: reports.accepted, rejected: reports.rejected });
    });
  }

  private attemptsOf(workerId: string): number {
    return this.options.state.workers.get(workerId)?.attempts.size ?? 0;
  }

  /** The program may be busy until it is ended: whatever it were given meanwhile would be lost with it. */
  private endSocket(batch: Batch, workerId: string): void {
    const { sessions } = this.options;
    const session = sessions.find(workerId);
    if (session === undefined || session instanceof PullSession) return;
    sessions.unbind(session);
    const connectionId = session.id;
    batch.execute({ type: 'disconnect_worker', workerId, connectionId, at: batch.at });
    batch.afterCommit(() => session.end('its program ends'));
  }

  claim(
    workerId: string,
    token: string,
    how: { readonly max: number; readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<Result<readonly ClaimedAssignment[]>> {
    return this.claims.claim(workerId, token, how);
  }
}

/** An order that waited knows why the attempt ended; the list of a heartbeat shows only that it has. */
function onePerAttempt(orders: readonly StopOrder[]): StopOrder[] {
  const newest = orders.map((order) => [`${order.task_id} ${order.attempt}`, order] as const);
  return [...new Map(newest).values()];
}
