// What the tasks of the jobs that were submitted are: how much work, how many bytes. Devices look here, as they
// would run the program on the input.

import { parseTaskId } from '../../core/task-key.ts';
import type { JobPlan } from '../scenario/plan.ts';

export class Works {
  readonly #jobs = new Map<string, JobPlan>();
  /** Work seconds that devices have done, whatever became of them. */
  doneSeconds = 0;

  add(jobId: string, job: JobPlan): void {
    this.#jobs.set(jobId, job);
  }

  job(jobId: string): JobPlan {
    const job = this.#jobs.get(jobId);
    if (job === undefined) {
      throw new Error(`A device was given a task of ${jobId}, which nobody submitted.`);
    }
    return job;
  }

  task(taskId: string): { readonly job: JobPlan; readonly index: number } {
    const { jobId = taskId, index = 0 } = parseTaskId(taskId) ?? {};
    return { job: this.job(jobId), index };
  }
}
