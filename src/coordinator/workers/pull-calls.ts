// What every call of a worker over plain HTTP has in common: who calls proves who it is, and has a session
// from then on. Each call renews the lease.

import { leaseOf } from '../../core/lease.ts';
import type { State } from '../../core/state.ts';
import type { ErrorCode } from '../../protocol/error-codes.ts';
import type { WorkerMessage } from '../../protocol/messages.ts';
import type { Rejection, Result } from '../port/rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Batch } from '../writer/batch.ts';
import type { Wanted } from '../writer/wanted.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import { identify, whyNot } from './identity.ts';
import { PullSession } from './pull-session.ts';
import { wantReported } from './reports.ts';
import type { SessionIntake, Sessions } from './sessions.ts';

export interface PullCallOptions {
  readonly runtime: Runtime;
  readonly state: State;
  readonly loop: WriterLoop;
  readonly sessions: Sessions;
  readonly intake: SessionIntake;
}

export class PullCalls {
  private readonly options: PullCallOptions;

  constructor(options: PullCallOptions) {
    this.options = options;
  }

  /** An authenticated call of a worker, in the next batch. */
  call<T>(
    workerId: string,
    token: string,
    messages: readonly WorkerMessage[],
    size: number,
    run: (batch: Batch, session: PullSession) => () => T,
    asksForWork = false,
  ): Promise<Result<T>> {
    return this.callInPassing(workerId, token, messages, size, (batch) =>
      run(batch, this.attach(batch, workerId, asksForWork)),
    );
  }

  /** An authenticated call that says nothing of where its worker is. */
  callInPassing<T>(
    workerId: string,
    token: string,
    messages: readonly WorkerMessage[],
    size: number,
    run: (batch: Batch) => () => T,
  ): Promise<Result<T>> {
    const { state, loop } = this.options;
    const wants = (wanted: Wanted) => {
      if (!state.workers.has(workerId)) wanted.workers.add(workerId);
      wantReported(state, wanted, messages, workerId);
    };
    return loop.ask<Result<T>>(
      (batch) => {
        const refused = this.refusal(batch, workerId, token);
        if (refused !== undefined) return () => ({ ok: false, rejection: refused });
        const answer = run(batch);
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

  attach(batch: Batch, workerId: string, asksForWork: boolean): PullSession {
    const { sessions, intake } = this.options;
    const found = sessions.find(workerId);
    const session =
      found instanceof PullSession ? found : new PullSession(sessions.nextId(), intake);
    if (session !== found) sessions.bind(session, workerId);
    const { id: connectionId } = session;
    batch.execute({ type: 'attach_worker', workerId, connectionId, asksForWork, at: batch.at });
    return session;
  }

  leaseMs(workerId: string): number {
    const { state } = this.options;
    return leaseOf(state, state.workers.get(workerId) ?? { leaseMs: null });
  }
}
