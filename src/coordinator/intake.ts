// What workers say becomes commands. A frame is one piece of work: its reports are decided one by
// one, one bad report does not spoil the others, and its answer leaves after the commit.

import type { AttemptClaim, Command } from '../core/commands.ts';
import type { State } from '../core/state.ts';
import { payloadText } from '../protocol/codec.ts';
import type { ErrorCode } from '../protocol/errors.ts';
import type {
  AcceptedReport,
  AttemptRef,
  HeartbeatAnswer,
  HeartbeatMessage,
  HelloMessage,
  RejectedReport,
  ReportKind,
  WorkerMessage,
} from '../protocol/messages.ts';
import { protocolVersion } from '../protocol/messages.ts';
import { claimOf, stopOrders } from './claims.ts';
import { greet, type GreetingOptions, refuseHello } from './hello.ts';
import type { Session, SessionIntake } from './sessions.ts';
import { readTelemetry } from './telemetry.ts';
import { wantTask, type Wanted } from './visitors.ts';
import type { Batch, Work, WriterLoop } from './writer-loop.ts';

export interface IntakeOptions extends GreetingOptions {
  readonly loop: () => WriterLoop;
}

export class Intake implements SessionIntake {
  readonly options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.options = options;
  }

  receive(session: Session, messages: readonly WorkerMessage[]): void {
    this.options.loop().submit(new Frame(this.options, session, messages));
  }

  closed(session: Session): void {
    const { sessions, loop } = this.options;
    const workerId = session.workerId;
    if (!sessions.unbind(session) || workerId === null) return;
    loop().submit({
      size: 1,
      abandon: () => undefined,
      run: (batch) => {
        const { at } = batch;
        batch.execute({ type: 'disconnect_worker', workerId, connectionId: session.id, at });
      },
    });
  }
}

class Frame implements Work {
  readonly size: number;
  private readonly options: IntakeOptions;
  private readonly session: Session;
  private readonly messages: readonly WorkerMessage[];
  private readonly accepted: AcceptedReport[] = [];
  private readonly rejected: RejectedReport[] = [];
  private heartbeat: HeartbeatAnswer | undefined;

  constructor(options: IntakeOptions, session: Session, messages: readonly WorkerMessage[]) {
    this.options = options;
    this.session = session;
    this.messages = messages;
    this.size = messages.reduce((sum, message) => sum + 1 + reportsOf(message).length, 0);
  }

  abandon(): void {
    this.session.end('the coordinator stops');
  }

  wants(state: State, wanted: Wanted): void {
    for (const message of this.messages) {
      if (message.type === 'hello' && message.worker_id !== undefined) {
        if (!state.workers.has(message.worker_id)) wanted.workers.add(message.worker_id);
      }
      // Only an end can count for a task that is not live.
      if (message.type !== 'result' && message.type !== 'failure') continue;
      for (const ref of reportsOf(message)) {
        const claim = claimOf(ref);
        if (claim !== undefined) wantTask(state, wanted, claim.jobId, claim.index);
      }
    }
  }

  run(batch: Batch): void {
    const { session } = this;
    for (const message of this.messages) {
      // What arrived before the connection closed still counts; only a greeting is too late then.
      if (message.type === 'hello') {
        if (session.isOpen) this.hello(batch, message);
      } else if (session.workerId === null) {
        refuseHello(batch, session, notGreeted);
        return;
      } else {
        this.take(batch, message, session.workerId);
      }
    }
    if (session.workerId !== null) {
      batch.execute({ type: 'hear_worker', workerId: session.workerId, at: batch.at });
    }
    batch.afterCommit(() => this.answer());
  }

  private hello(batch: Batch, message: HelloMessage): void {
    if (message.protocol !== protocolVersion) {
      refuseHello(batch, this.session, {
        code: 'protocol_mismatch',
        detail: `This coordinator speaks protocol ${protocolVersion}, the worker ${message.protocol}; use the same version of both.`,
      });
      return;
    }
    greet(this.options, batch, this.session, message);
  }

  private take(batch: Batch, message: WorkerMessage, workerId: string): void {
    const { at } = batch;
    const { chance } = this.options.runtime;
    switch (message.type) {
      case 'result':
        for (const report of message.results) {
          const resultJson = payloadText(report.value);
          const isTooLarge = resultJson.length > this.options.limits.resultBytes;
          this.report(batch, 'result', report, (claim) =>
            isTooLarge
              ? this.oversized(claim, workerId, resultJson.length, at)
              : {
                  type: 'complete',
                  ...claim,
                  workerId,
                  resultJson,
                  runMs: report.run_ms ?? null,
                  energyJoules: report.energy_joules ?? null,
                  at,
                },
          );
        }
        return;
      case 'failure':
        for (const report of message.failures) {
          this.report(batch, 'failure', report, (claim) => ({
            type: 'fail',
            ...claim,
            workerId,
            errorType: report.error_type,
            errorMessage: report.error_message,
            retryable: report.retryable ?? true,
            runMs: report.run_ms ?? null,
            chance: chance(),
            at,
          }));
        }
        return;
      case 'started':
        for (const ref of message.started) {
          this.report(batch, 'started', ref, (claim) => ({
            type: 'start',
            ...claim,
            workerId,
            at,
          }));
        }
        return;
      case 'progress':
        for (const report of message.progress) {
          const { progress } = report;
          this.report(batch, 'progress', report, (claim) => ({
            type: 'progress',
            ...claim,
            workerId,
            progress,
            message: report.message ?? null,
            at,
          }));
        }
        return;
      case 'refusal':
      case 'release': {
        const kind = message.type;
        const reason = kind === 'refusal' ? 'refused' : 'released';
        for (const ref of reportsOf(message)) {
          this.report(batch, kind, ref, (claim) => ({
            type: 'give_back',
            ...claim,
            workerId,
            reason,
            chance: chance(),
            at,
          }));
        }
        return;
      }
      case 'heartbeat':
        return this.beat(batch, message, workerId);
      case 'bye':
        batch.execute({ type: 'leave_worker', workerId, at });
        batch.afterCommit(() => this.session.end('bye'));
        return;
      case 'checkpoint':
        for (const report of message.checkpoints) {
          this.refuse('checkpoint', report, {
            code: 'not_supported_yet',
            detail: 'Checkpoints are not stored yet.',
          });
        }
        return;
      case 'hello':
        return;
    }
  }

  private report(
    batch: Batch,
    kind: ReportKind,
    ref: AttemptRef,
    toCommand: (claim: AttemptClaim) => Command,
  ): void {
    const claim = claimOf(ref);
    if (claim === undefined) {
      this.refuse(kind, ref, { code: 'not_yours', detail: 'No task has this id.' });
      return;
    }
    const { rejection } = batch.execute(toCommand(claim));
    if (rejection !== undefined) this.refuse(kind, ref, rejection);
    // Volatile reports are not acknowledged one by one: nothing is kept for them.
    else if (kind !== 'started' && kind !== 'progress') {
      this.accepted.push({ task_id: ref.task_id, attempt: ref.attempt, kind });
    }
  }

  private oversized(claim: AttemptClaim, workerId: string, size: number, at: number): Command {
    const limit = this.options.limits.resultBytes;
    return {
      type: 'fail',
      ...claim,
      workerId,
      errorType: 'result_too_large',
      errorMessage: `The result has ${size} bytes of JSON; the limit is ${limit}.`,
      retryable: false,
      runMs: null,
      chance: 0,
      at,
    };
  }

  private refuse(
    kind: ReportKind,
    ref: AttemptRef,
    rejection: { readonly code: string; readonly detail: string },
  ): void {
    const { task_id, attempt } = ref;
    this.rejected.push({ task_id, attempt, kind, code: rejection.code, detail: rejection.detail });
  }

  private beat(batch: Batch, message: HeartbeatMessage, workerId: string): void {
    const telemetry = readTelemetry(message.telemetry);
    const executed = batch.execute({
      type: 'heartbeat',
      workerId,
      measured: telemetry.measured,
      telemetryJson: telemetry.json,
      assignSequence: message.assign_sequence,
      leaving: message.draining ?? false,
      held: message.running.flatMap((ref) => {
        const claim = claimOf(ref);
        return claim === undefined ? [] : [{ ...claim, progress: ref.progress ?? null }];
      }),
      at: batch.at,
    });
    const { state } = this.options;
    this.heartbeat = {
      heartbeat_id: message.heartbeat_id,
      stop: stopOrders(executed),
      heartbeat_interval_seconds: state.settings.heartbeatIntervalMs / 1000,
      drain: state.workers.get(workerId)?.draining ?? false,
      warnings: telemetry.warnings,
    };
  }

  private answer(): void {
    const { session, accepted, rejected, heartbeat } = this;
    if (accepted.length > 0 || heartbeat !== undefined) {
      session.post({ type: 'ack', accepted, ...(heartbeat === undefined ? {} : { heartbeat }) });
    }
    if (rejected.length > 0) session.post({ type: 'reject', rejected });
    this.options.sessions.touch(session);
  }
}

const notGreeted: { code: ErrorCode | 'protocol_error'; detail: string } = {
  code: 'protocol_error',
  detail: 'The first message on a connection must be "hello".',
};

function reportsOf(message: WorkerMessage): readonly AttemptRef[] {
  switch (message.type) {
    case 'result':
      return message.results;
    case 'failure':
      return message.failures;
    case 'started':
      return message.started;
    case 'progress':
      return message.progress;
    case 'refusal':
      return message.refusals;
    case 'release':
      return message.releases;
    case 'checkpoint':
      return message.checkpoints;
    case 'heartbeat':
      return message.running;
    case 'hello':
      return message.attempts;
    case 'bye':
      return [];
  }
}
