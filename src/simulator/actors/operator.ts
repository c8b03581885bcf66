// The operator of the coordinator, who acts at the worst moments: drains, resumes and removes
// workers, and changes the algorithm.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import { algorithmIds } from '../../core/snapshot.ts';
import { isDiskFault } from '../disk-fault.ts';
import type { Prng } from '../prng.ts';

export interface OperatorOptions {
  readonly prng: Prng;
  /** Called when the removal of a worker was acknowledged. */
  readonly onRemoved: (workerId: string) => void;
  readonly onBug: (error: Error) => void;
  readonly log: (line: string) => void;
}

export class Operator {
  private readonly options: OperatorOptions;

  constructor(options: OperatorOptions) {
    this.options = options;
  }

  act(coordinator: RunningCoordinator): void {
    const { prng, log, onRemoved, onBug } = this.options;
    const workers = [...coordinator.state.workers.keys()];
    if (workers.length === 0) return;
    const id = prng.pick(workers);
    const attempt = (answer: Promise<{ readonly ok: boolean }>, accepted: () => void) => {
      // If the coordinator dies first there is no answer, and nothing was promised.
      answer.then(
        ({ ok }) => ok && accepted(),
        (error: unknown) => {
          if (!isDiskFault(error)) onBug(error as Error);
        },
      );
    };
    switch (prng.pick(['drain', 'resume', 'remove', 'configure'] as const)) {
      case 'drain':
        return attempt(coordinator.workers.drain(id), () => log(`operator: drained ${id}`));
      case 'resume':
        return attempt(coordinator.workers.resume(id), () => log(`operator: resumed ${id}`));
      case 'remove':
        return attempt(coordinator.workers.deregister(id), () => {
          log(`operator: removed ${id}`);
          onRemoved(id);
        });
      case 'configure': {
        const algorithm = prng.pick(algorithmIds);
        return attempt(coordinator.scheduler.configure({ algorithm }), () =>
          log(`operator: ${algorithm}`),
        );
      }
    }
  }

  /** Resumes every worker that was drained. */
  async release(coordinator: RunningCoordinator): Promise<void> {
    for (const { id } of await coordinator.reads.workers()) await coordinator.workers.resume(id);
  }
}
