// What operators do with workers: each becomes one command, answered after the commit.

import type { Command } from '../../core/commands.ts';
import { leaseOf } from '../../core/lease.ts';
import type { State } from '../../core/state.ts';
import type { WorkerResource } from '../../protocol/resources.ts';
import type { Result } from '../port/rejection.ts';
import type { WorkerPort } from '../port/workers.ts';
import { refused } from '../refused.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import { workerResource } from './worker-resource.ts';

export class WorkerCommands implements WorkerPort {
  private readonly state: State;
  private readonly loop: WriterLoop;

  constructor(state: State, loop: WriterLoop) {
    this.state = state;
    this.loop = loop;
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

  deregister(workerId: string): Promise<Result<{ readonly requeuedTasks: number }>> {
    return this.loop.ask<Result<{ readonly requeuedTasks: number }>>((batch) => {
      const requeuedTasks = this.state.workers.get(workerId)?.attempts.size ?? 0;
      const { at } = batch;
      const { rejection } = batch.execute({ type: 'deregister_worker', workerId, at });
      if (rejection !== undefined) return () => refused(rejection);
      return () => ({ ok: true, value: { requeuedTasks } });
    });
  }

  private change(
    workerId: string,
    command: (at: number) => Command,
  ): Promise<Result<WorkerResource>> {
    return this.loop.ask<Result<WorkerResource>>((batch) => {
      const { rejection } = batch.execute(command(batch.at));
      if (rejection !== undefined) return () => refused(rejection);
      const worker = this.state.workers.get(workerId)!;
      return () => ({ ok: true, value: workerResource(worker, leaseOf(this.state, worker)) });
    });
  }
}
