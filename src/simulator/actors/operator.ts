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

/** Takes note when the answer accepts. */
type Attempt = (answer: Promise<{ readonly ok: boolean }>, accepted: () => void) => void;

export class Operator {
  private readonly options: OperatorOptions;

  constructor(options: OperatorOptions) {
    this.options = options;
  }

  act(coordinator: RunningCoordinator): void {
    const { prng, log, onRemoved, onBug } = this.options;
    const { workers } = coordinator.state;
    if (workers.size === 0) return;
    const id = prng.pick([...workers.keys()]);
    const attempt: Attempt = (answer, accepted) => {
      // If the coordinator dies first there is no answer, and nothing was promised.
      answer.then(
        ({ ok }) => ok && accepted(),
        (error: unknown) => {
          if (!isDiskFault(error)) onBug(error as Error);
        },
      );
    };
    switch (prng.pick(['drain', 'drain', 'resume', 'remove', 'configure'] as const)) {
      case 'drain':
        return this.drain(coordinator, id, attempt);
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

  /** With or without a deadline; or as before, if it drains already. */
  private drain(coordinator: RunningCoordinator, someId: string, attempt: Attempt): void {
    const { prng, log } = this.options;
    // One that has something to hand over, if there is one.
    const busy = [...coordinator.state.workers.values()].filter(
      ({ activeTasks }) => activeTasks > 0,
    );
    const id = busy.length > 0 && prng.chance(0.8) ? prng.pick(busy).id : someId;
    const deadlineMs = prng.pick([undefined, null, prng.spread(1, 60_000)]);
    attempt(coordinator.workers.drain(id, deadlineMs), () =>
      log(`operator: drained ${id} (${deadlineMs ?? 'no'} ms)`),
    );
  }

  /** Resumes every worker that was drained. */
  async release(coordinator: RunningCoordinator): Promise<void> {
    for (const { id } of await coordinator.reads.workers()) await coordinator.workers.resume(id);
  }
}
