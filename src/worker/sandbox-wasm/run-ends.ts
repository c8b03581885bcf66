// The last step of an attempt, when its program has not simply returned: it was left, has exited, or has thrown.

import type { GuestStep } from '../sandbox/guest.ts';
import { asOutOfMemory, describeTrap, type Failure, failure, isAbort } from './ends.ts';
import { LinkError } from './engine.ts';
import type { Surroundings } from './surroundings.ts';

/** A program that has left a state and wants to be run again from there. */
const againCode = 85;

/** How code of a program ended that was called. */
export type CallEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'thrown'; readonly error: unknown };

export function call(host: Surroundings, run: () => unknown): CallEnd {
  try {
    const value = run();
    // It may have caught the trap that ended one of its calls, or an overflow in one.
    if (host.calls.leaving !== null) return { type: 'thrown', error: null };
    host.memory.refresh();
    return { type: 'returned', value };
  } catch (error) {
    return { type: 'thrown', error };
  }
}

/** Null: the program has exited with code 0. */
export function endOf(
  error: unknown,
  host: Surroundings,
  memoryMostBytes: number,
): GuestStep | null {
  const { leaving } = host.calls;
  const used = () => host.memory.size;
  if (leaving === null) {
    if (error instanceof LinkError) {
      return failure('program_invalid', `the module cannot be linked: ${error.message}`, {
        isRetryable: false,
      });
    }
    const trap = describeTrap(error);
    if (!isAbort(error)) return trap;
    return asOutOfMemory(withLastLine(trap, host), used(), memoryMostBytes);
  }
  if (leaving.type === 'stopped') return stopped(host);
  if (leaving.type !== 'exit') return leaving;
  if (leaving.code === 0) return null;
  if (leaving.code === againCode) return endedForNow(host);
  return asOutOfMemory(exited(leaving.code, host), used(), memoryMostBytes);
}

export function stopped(host: Surroundings): GuestStep {
  host.offerLast();
  return { type: 'stopped' };
}

/** The files that it has open count as closed. */
function endedForNow(host: Surroundings): GuestStep {
  host.descriptors.closeAll();
  if (host.stop.isSeen || host.task.isStopped()) return stopped(host);
  if (host.offerLast()) return { type: 'again' };
  return failure(
    'exit_code',
    'exit code 85 (run me again), and no state was left in /muster/state',
  );
}

function exited(code: number, host: Surroundings): Failure {
  // A negative number comes without its sign.
  return withLastLine(failure('exit_code', `exit code ${code | 0}`), host);
}

/** The program itself has often said what was wrong. */
function withLastLine(step: Failure, host: Surroundings): Failure {
  const line = host.printed.lastLine();
  return line === '' ? step : { ...step, message: `${step.message}: ${line}`.slice(0, 4_000) };
}
