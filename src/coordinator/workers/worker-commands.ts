// What operators do with workers: each becomes one command, answered after the commit.

import type { Command } from '../../core/commands.ts';
import type { WorkerRecord } from '../../core/records.ts';
import { leaseOf } from '../../core/lease.ts';
import type { State } from '../../core/state.ts';
import type { WorkerResource } from '../../protocol/workers.ts';
import type { Tokens } from '../access/tokens.ts';
import type { Result } from '../port/rejection.ts';
import type { WorkerPort } from '../port/workers.ts';
import { refused } from '../refused.ts';
import type { Batch } from '../writer/batch.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import { workerResource } from './worker-resource.ts';

export interface WorkerCommandsOptions {
  readonly state: State;
  readonly loop: WriterLoop;
  readonly tokens: Pick<
    Tokens,
    'revokeOfWorker' | 'revokeOfCleared' | 'rowOfWorker' | 'keepOfWorker'
  >;
}

export class WorkerCommands implements WorkerPort {
  private readonly options: WorkerCommandsOptions;

  constructor(options: WorkerCommandsOptions) {
    this.options = options;
  }

  drain(workerId: string, deadlineMs?: number | null): Promise<Result<WorkerResource>> {
    return this.change(workerId, (at) => {
      const drain = { type: 'drain_worker', workerId, at } as const;
      if (deadlineMs === undefined) return drain;
      return { ...drain, deadline: deadlineMs === null ? null : at + deadlineMs };
    });
  }

  resume(workerId: string): Promise<Result<WorkerResource>> {
    return this.change(workerId, (at) => ({ type: 'resume_worker', workerId, at }));
  }

  isWaiting(workerId: string): boolean {
    return (this.options.state.workers.get(workerId)?.waitsUntil ?? null) !== null;
  }

  approve(workerId: string): Promise<Result<WorkerResource>> {
    return this.keep(workerId, (at) => ({ type: 'approve_worker', workerId, at }));
  }

  rename(workerId: string, name: string): Promise<Result<WorkerResource>> {
    return this.keep(workerId, (at) => ({ type: 'rename_worker', workerId, name, at }));
  }

  async refuse(workerId: string): Promise<Result<null>> {
    const removed = await this.remove(workerId, 'refuse_worker');
    return removed.ok ? { ok: true, value: null } : removed;
  }

  /** Its token is revoked with it; of a worker that was cleared away the token alone. */
  async deregister(workerId: string): Promise<Result<{ readonly requeuedTasks: number }>> {
    const removed = await this.remove(workerId, 'deregister_worker');
    if (removed.ok || !(await this.options.tokens.revokeOfCleared(workerId))) return removed;
    return { ok: true, value: { requeuedTasks: 0 } };
  }

  private remove(
    workerId: string,
    type: 'deregister_worker' | 'refuse_worker',
  ): Promise<Result<{ readonly requeuedTasks: number }>> {
    const { state, loop, tokens } = this.options;
    return loop.ask<Result<{ readonly requeuedTasks: number }>>((batch) => {
      const worker = state.workers.get(workerId);
      const requeuedTasks = worker?.attempts.size ?? 0;
      const { at } = batch;
      const { rejection } = batch.execute({ type, workerId, at });
      if (rejection !== undefined) return () => refused(rejection);
      tokens.revokeOfWorker(batch, worker!.tokenHash);
      return () => ({ ok: true, value: { requeuedTasks } });
    });
  }

  /** A change that is kept with the token of the worker too. */
  private async keep(
    workerId: string,
    command: (at: number) => Command,
  ): Promise<Result<WorkerResource>> {
    const { state, tokens } = this.options;
    const hash = state.workers.get(workerId)?.tokenHash;
    const row = hash === undefined ? undefined : await tokens.rowOfWorker(hash);
    return this.change(workerId, command, (batch, worker) => {
      // It may have been removed meanwhile, and its token revoked.
      if (row?.hash !== worker.tokenHash) return;
      const { givenName, waitsUntil } = worker;
      tokens.keepOfWorker(batch, row, { givenName, needsApproval: waitsUntil !== null });
    });
  }

  private change(
    workerId: string,
    command: (at: number) => Command,
    done: (batch: Batch, worker: WorkerRecord) => void = () => undefined,
  ): Promise<Result<WorkerResource>> {
    const { state, loop } = this.options;
    return loop.ask<Result<WorkerResource>>((batch) => {
      const { rejection } = batch.execute(command(batch.at));
      if (rejection !== undefined) return () => refused(rejection);
      const worker = state.workers.get(workerId)!;
      done(batch, worker);
      return () => ({ ok: true, value: workerResource(worker, leaseOf(state, worker)) });
    });
  }
}
