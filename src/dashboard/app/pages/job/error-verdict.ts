// Whose fault an error seems to be, from where it happened: of the inputs, or of a device.

import type { JobErrorKind, JobErrors } from '../../../../protocol/resources.ts';
import { grouped } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';

type Kind = Pick<JobErrorKind, 'type' | 'attempts' | 'tasks' | 'workers' | 'completed_elsewhere'>;

/** They come of time, or of a device that went away. */
const ofOthers: ReadonlySet<string> = new Set([
  'attempt_timeout',
  'progress_timeout',
  'worker_lost',
  'lost',
]);

/** It failed wherever it was tried. */
function isOfInputs({ type, attempts, tasks, workers }: Kind): boolean {
  return !ofOthers.has(type) && workers > 1 && (tasks === 1 || attempts >= 2 * tasks);
}

/** What is told beside the button that retries `failed` tasks; null: they may well go well. */
export function retryWarning(errors: JobErrors | null, failed: number): string | null {
  const kinds = errors?.kinds.filter(isOfInputs) ?? [];
  const inputs = Math.min(
    failed,
    kinds.reduce((sum, { tasks }) => sum + tasks, 0),
  );
  if (inputs === 0) return null;
  const whom = inputs < failed ? `${grouped(inputs)} of them` : failed === 1 ? 'it' : 'they';
  const fails = inputs === 1 ? 'fails' : 'fail';
  return `${whom} ${fails} on every device: look at the inputs first`;
}

/** `fails everywhere: look at the inputs`. */
export function verdictOf(kind: Kind): string {
  const { type, tasks, workers, completed_elsewhere: elsewhere } = kind;
  if (type === 'attempt_timeout')
    return 'too slow for the time limit: raise it, or look at the inputs';
  if (type === 'progress_timeout')
    return 'no progress was told in time: it hangs, or tells too seldom';
  if (type === 'worker_lost' || type === 'lost') return 'the device was lost, not the task';
  if (workers === 1) {
    if (tasks === 1) return 'one input on one device: too little to tell whose fault it is';
    return elsewhere.length > 0
      ? 'on one device only, and others completed the same: look at the device'
      : 'no other device has tried them: it may be the inputs or the device';
  }
  if (tasks === 1) return 'one input fails on every device: look at it';
  return isOfInputs(kind)
    ? 'fails everywhere: look at the inputs'
    : 'some of both: inputs that fail on several devices';
}

/** `9 inputs, on 11 devices`. */
export function whereOf({ tasks, workers }: Pick<JobErrorKind, 'tasks' | 'workers'>): string {
  return `${counted(tasks, 'input')}, on ${counted(workers, 'device')}`;
}

/** Of those that were looked at. */
export function failedAttempts(errors: JobErrors | null): number {
  return (errors?.kinds ?? []).reduce((sum, { attempts }) => sum + attempts, 0);
}
