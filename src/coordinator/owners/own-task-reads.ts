// What an owner reads of single tasks: those of its jobs. A decision about one is told without what the workers
// measured then.

import type { DecisionExplanation } from '../../protocol/explanations.ts';
import type { RecoveryEvent } from '../../protocol/resources.ts';
import type { TaskReadPort } from '../port/reads.ts';
import type { TaskReads } from '../reads/task-reads.ts';
import type { Ownership } from './ownership.ts';
import { withoutCriteria } from './without-criteria.ts';

export class OwnTaskReads implements TaskReadPort {
  private readonly taskReads: TaskReads;
  private readonly own: Ownership;

  constructor(taskReads: TaskReads, own: Ownership) {
    this.taskReads = taskReads;
    this.own = own;
  }

  findTask(jobId: string, index: number): ReturnType<TaskReadPort['findTask']> {
    return this.own.about(jobId, 'unknown_job', () => this.taskReads.findTask(jobId, index));
  }

  async explainTask(
    jobId: string,
    index: number,
    attempt?: number,
  ): ReturnType<TaskReadPort['explainTask']> {
    const found = await this.own.about(jobId, 'unknown_job' as const, () =>
      this.taskReads.explainTask(jobId, index, attempt, false),
    );
    if (typeof found === 'string') return found;
    return { ...found, decision: found.decision && withoutTable(found.decision) };
  }

  findProgram(jobId: string): ReturnType<TaskReadPort['findProgram']> {
    return this.own.about(jobId, undefined, () => this.taskReads.findProgram(jobId));
  }

  findOutput(
    jobId: string,
    index: number,
    attempt?: number,
  ): ReturnType<TaskReadPort['findOutput']> {
    return this.own.about(jobId, 'unknown_job', () =>
      this.taskReads.findOutput(jobId, index, attempt),
    );
  }

  findCheckpoints(jobId: string): ReturnType<TaskReadPort['findCheckpoints']> {
    return this.own.about(jobId, undefined, () => this.taskReads.findCheckpoints(jobId));
  }

  recoveryEvents(): AsyncIterable<readonly RecoveryEvent[]> {
    return this.taskReads.recoveryEvents(this.own.owner);
  }
}

function withoutTable(decision: DecisionExplanation): DecisionExplanation {
  const workers = decision.workers.map(withoutCriteria);
  return { ...decision, imputed: [], projected: [], workers };
}
