// Devices that could run a job and are given nothing now: drained, in quarantine or at rest.

import type { JobRequirements } from '../../../protocol/job-options.ts';
import { restText } from '../../../protocol/resting.ts';
import { listed, nameOf } from '../text/words.ts';
import { stateInWords, stateOf } from '../text/worker-states.ts';
import type { Worker } from './cluster.ts';
import { meets } from './meets.ts';

const states: ReadonlySet<string> = new Set(['quarantined', 'draining', 'out', 'resting']);

export function heldBack(
  workers: readonly Worker[],
  asked: JobRequirements | null | undefined,
): readonly Worker[] {
  return workers.filter((worker) => states.has(stateOf(worker)) && meets(worker, asked));
}

/** `kestrel is out of service` */
export function whyHeldBack(worker: Worker): string {
  const state = stateOf(worker);
  const why =
    state === 'resting' ? `rests: ${restText(worker.rests_because!)}` : `is ${stateInWords(state)}`;
  return `${nameOf(worker)} ${why}`;
}

/** `Give kestrel work again`; what comes back by itself needs nobody. */
export function cureOf(workers: readonly Worker[]): string {
  const drained = workers.filter(({ status }) => status === 'draining').map(nameOf);
  if (drained.length > 0) return `Give ${listed(drained)} work again`;
  return workers.length === 1 ? 'It goes on by itself' : 'They go on by themselves';
}
