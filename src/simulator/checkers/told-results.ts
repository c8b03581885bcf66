// The results that a follower of a job got up to its end: one for every task, and after a retry the
// newest one last.

import { taskId } from '../../core/task-key.ts';
import type { TaskResult } from '../../protocol/resources.ts';
import type { JobFolder } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';
import type { AcknowledgedJob } from '../actors/client-actor.ts';

export class ToldResults {
  private readonly job: AcknowledgedJob;
  /** Status of the newest result, by index. */
  private readonly told = new Map<number, TaskResult['status']>();

  constructor(job: AcknowledgedJob) {
    this.job = job;
  }

  hear({ index, status }: TaskResult, mayBeAgain: boolean): void {
    if (this.told.has(index) && !mayBeAgain) {
      throw this.broken(index, 'is told twice to who follows');
    }
    this.told.set(index, status);
  }

  /** The stream has ended by itself. */
  compare({ tasks }: JobFolder): void {
    for (let index = 0; index < this.job.taskCount; index++) {
      const stored = tasks.get(index)?.status;
      const right = stored === 'completed' || stored === 'failed' ? stored : 'cancelled';
      const told = this.told.get(index) ?? 'nothing';
      if (told === right) continue;
      throw this.broken(index, `is ${right} at its end, and who followed was told ${told}`);
    }
  }

  private broken(index: number, what: string): BrokenPromise {
    return new BrokenPromise(`The result of ${taskId(this.job.id, index)} ${what}.`);
  }
}
