// Workers over plain HTTP. They have no connection: what is assigned to them lies in a mailbox until
// they claim it, and every call renews their lease. Messages mean the same as on a socket.

import { leaseOf } from '../../core/lease.ts';
import type { AttemptRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import { payloadText, programJson } from '../../protocol/codec.ts';
import type { ErrorCode } from '../../protocol/errors.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { HeartbeatAnswer, HeartbeatMessage, WorkerMessage } from '../../protocol/messages.ts';
import { assignmentOf, jobProgramOf } from './assignment.ts';
import { takeHeartbeat } from './heartbeats.ts';
import { describe } from './hello.ts';
import { identify, isProven, whyNot } from './identity.ts';
import type { Newcomers } from './newcomers.ts';
import { type Outfit, type Outfitter, portions } from './outfitter.ts';
import type { Rejection, Result } from '../port/rejection.ts';
import type {
  ClaimedAssignment,
  PullWorkerPort,
  Registered,
  Registration,
  ReportAnswer,
} from '../port/workers.ts';
import { PullSession } from './pull-session.ts';
import { commandCount, type ReportMessage, Reports, wantReported } from './reports.ts';
import type { Runtime } from '../runtime.ts';
import type { SessionIntake, Sessions } from './sessions.ts';
import { readTelemetry } from './telemetry.ts';
import type { Wanted } from '../writer/wanted.ts';
import type { Batch } from '../writer/batch.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

export interface PullWorkersOptions {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
  readonly limits: Limits;
  readonly newcomers: Newcomers;
  readonly state: State;
  readonly loop: WriterLoop;
  readonly intake: SessionIntake;
  readonly nextWorkerKey: () => number;
  readonly outfitter: Outfitter;
  /** Called when something that the attempt needs cannot be read. */
  readonly onUnreadable: (attempt: AttemptRecord, problem: string) => void;
}

/** An attempt with all that it needs, for the answer to a claim. */
interface Ready {
  readonly attempt: AttemptRecord;
  readonly given: Omit<ClaimedAssignment, 'lease_seconds'>;
}

/** Most bytes in the answer to a claim, unless its first assignment is larger. */
const claimedBytes = 16 * 1024 * 1024;
/** Inputs read at once: those that turn out not to fit are read again for the next claim. */
const portionOfClaim = 16;

export class PullWorkers implements PullWorkerPort {
  private readonly options: PullWorkersOptions;

  constructor(options: PullWorkersOptions) {
    this.options = options;
  }

  hasWorked(workerId: string, token: string): boolean {
    return isProven(this.options, workerId, token);
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
    // Tasks that this very batch assigns are in the mailbox when the batch is over.
    await loop.settled();
    for (;;) {
      // A claim whose reader is gone must not take assignments along.
      if (hasGone(how.signal)) return { ok: true, value: [] };
      if (session.hasMail) {
        const taken = await this.deliver(workerId, token, session, how);
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
      // A worker that waits for the answer is alive, so its lease is renewed meanwhile.
      if (loop.steadyNow < renewAt || hasGone(how.signal)) continue;
      const renewed = await this.call(workerId, token, [], 1, () => () => null, true);
      if (!renewed.ok) return renewed;
    }
  }

  /** Empty when all that waited cannot be read, has ended, or was given to another claim. */
  private deliver(
    workerId: string,
    token: string,
    session: PullSession,
    how: { readonly max: number; readonly signal?: AbortSignal },
  ): Promise<Result<readonly ClaimedAssignment[]>> {
    return session.claims.run(async () => {
      const ready = await this.outfit(session, how.max);
      const isOver = ready.length === 0 || hasGone(how.signal) || !session.isOpen;
      if (isOver) return { ok: true, value: [] };
      return this.call(workerId, token, [], ready.length, (batch, current) => {
        const isCurrent = current === session;
        const taken = ready.filter((each) => isCurrent && this.handOut(batch, session, each));
        const lease_seconds = this.leaseMs(workerId) / 1000;
        // An attempt that has ended in this very batch is left out.
        return () =>
          taken
            .filter(({ attempt }) => this.isLive(attempt))
            .map(({ given }) => ({ ...given, lease_seconds }));
      });
    });
  }

  /** Waiting attempts with all that they need; those that would make the answer too long go on waiting. */
  private async outfit(session: PullSession, max: number): Promise<readonly Ready[]> {
    const { outfitter, onUnreadable } = this.options;
    const ready: Ready[] = [];
    let bytes = 0;
    for (const portion of portions(session.mail(max), portionOfClaim)) {
      for (const outfit of await outfitter.outfit(portion, [])) {
        const each = await this.filledIn(outfit);
        if (typeof each === 'string') {
          session.takeOut(outfit.attempt);
          // An attempt that has ended meanwhile needs nothing.
          if (this.isLive(outfit.attempt)) onUnreadable(outfit.attempt, each);
          continue;
        }
        bytes += bytesOf(each.given);
        if (ready.length > 0 && bytes > claimedBytes) return ready;
        ready.push(each);
      }
    }
    return ready;
  }

  /** Adds the program. Returns a sentence when something cannot be read. */
  private async filledIn(outfit: Outfit): Promise<Ready | string> {
    if (outfit.problem !== null) return outfit.problem;
    const { attempt } = outfit;
    const program = await this.options.outfitter.readProgram(attempt.task.job);
    if (typeof program === 'string') return program;
    return { attempt, given: { ...assignmentOf(outfit), ...jobProgramOf(outfit, program) } };
  }

  private isLive(attempt: AttemptRecord): boolean {
    const { job, index } = attempt.task;
    const task = this.options.state.jobs.get(job.spec.id)?.tasks.get(index);
    return task?.live.includes(attempt) === true;
  }

  /** The reader has gone while the delivery was committed: other workers may have the tasks at once. */
  private async takeBack(
    workerId: string,
    assignments: readonly ClaimedAssignment[],
  ): Promise<void> {
    const { chance } = this.options.runtime;
    await this.options.loop.ask((batch) => {
      for (const { job_id: jobId, index, attempt, token } of assignments) {
        const claim = { jobId, index, attempt, token, workerId };
        const { at } = batch;
        batch.execute({ type: 'release', ...claim, reason: 'released', chance: chance(), at });
      }
      return () => undefined;
    });
  }

  /** False when the attempt was withdrawn meanwhile. */
  private handOut(batch: Batch, session: PullSession, { attempt }: Ready): boolean {
    session.takeOut(attempt);
    if (!this.isLive(attempt)) return false;
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
        const refused = this.refusal(batch, workerId, token);
        if (refused !== undefined) return () => ({ ok: false, rejection: refused });
        const answer = run(batch, this.attach(batch, workerId, asksForWork));
        return () => ({ ok: true, value: answer() });
      },
      { wants, size },
    );
  }

  private refusal(batch: Batch, workerId: string, token: string): Rejection<ErrorCode> | undefined {
    const identity = identify(this.options, batch, workerId, token);
    if (identity.is === 'known') return undefined;
    // Without the right token nobody learns that the worker was removed.
    const isGuess = identity.is === 'removed' && !identity.hasToken;
    return whyNot(isGuess ? 'unknown' : identity.is, workerId);
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

/** Size in the answer, within a kilobyte. */
function bytesOf({ input, checkpoint, program }: Ready['given']): number {
  const state = checkpoint === undefined ? '' : payloadText(checkpoint.state);
  const texts = [programJson(program), payloadText(input), state];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 1000);
}
