// A client in the simulation: submits, cancels, retries, and remembers what was acknowledged. What
// was not (the coordinator died first) may or may not have happened; both are right.

import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { Prng } from './prng.ts';
import { drawJob, type PlannedJob } from './workload.ts';

export interface AcknowledgedJob {
  readonly id: string;
  readonly plan: PlannedJob;
  isCancelled: boolean;
}

export class ClientActor {
  readonly jobs: AcknowledgedJob[] = [];
  /** Jobs whose retry was asked for, acknowledged or not. */
  readonly askedRetry = new Set<string>();
  private readonly prng: Prng;
  private readonly log: (line: string) => void;

  constructor(prng: Prng, log: (line: string) => void) {
    this.prng = prng;
    this.log = log;
  }

  /** Does one thing at a coordinator that is up. */
  act(coordinator: RunningCoordinator): void {
    const { prng } = this;
    const job = this.jobs.length > 0 ? prng.pick(this.jobs) : undefined;
    if (job === undefined || prng.chance(0.7)) return this.submit(coordinator);
    if (prng.chance(0.4)) {
      return this.change(coordinator.cancelJob(job.id), () => {
        job.isCancelled = true;
        this.log(`client: cancelled ${job.id}`);
      });
    }
    this.askedRetry.add(job.id);
    this.change(coordinator.retryJob(job.id), () => {
      job.isCancelled = false;
      this.log(`client: retried ${job.id}`);
    });
  }

  private submit(coordinator: RunningCoordinator): void {
    const plan = drawJob(this.prng);
    const answer = coordinator.submitJob(plan.submission, plan.inputs);
    answer.then(
      (result) => {
        if (!result.ok) return;
        this.jobs.push({ id: result.value.id, plan, isCancelled: false });
        this.log(`client: submitted ${result.value.id}`);
      },
      // Not acknowledged: nothing was promised.
      () => undefined,
    );
  }

  private change(answer: Promise<{ readonly ok: boolean }>, accepted: () => void): void {
    answer.then(
      (result) => {
        if (result.ok) accepted();
      },
      () => undefined,
    );
  }
}
