// Whose fault an error seems to be, from where it happened: of the inputs, or of a device.

import type { JobErrorKind } from '../../../../protocol/resources.ts';
import { counted } from '../../text/words.ts';

/** `fails everywhere: look at the inputs`. */
export function verdictOf(
  kind: Pick<JobErrorKind, 'type' | 'attempts' | 'tasks' | 'workers'>,
): string {
  const { type, attempts, tasks, workers } = kind;
  if (type === 'attempt_timeout')
    return 'too slow for the time limit: raise it, or look at the inputs';
  if (type === 'progress_timeout')
    return 'no progress was told in time: it hangs, or tells too seldom';
  if (type === 'worker_lost' || type === 'lost') return 'the device was lost, not the task';
  if (workers === 1) {
    return tasks > 1
      ? 'on one device only: look at it'
      : 'one input on one device: too little to tell whose fault it is';
  }
  if (tasks === 1) return 'one input fails on every device: look at it';
  return attempts >= 2 * tasks
    ? 'fails everywhere: look at the inputs'
    : 'some of both: inputs that fail on several devices';
}

/** `9 inputs, on 11 devices`. */
export function whereOf({ tasks, workers }: Pick<JobErrorKind, 'tasks' | 'workers'>): string {
  return `${counted(tasks, 'input')}, on ${counted(workers, 'device')}`;
}
