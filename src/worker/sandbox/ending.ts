// How an attempt ends, in the words in which its agent is told.

import { GuestFault } from './guest.ts';
import type { Host } from './host.ts';
import {
  doneAgain,
  doneBytes,
  doneFailure,
  doneFinalFailure,
  doneResult,
  doneStopped,
  failureText,
} from './messages.ts';
import { toResult } from './result-json.ts';
import { describeThrown, type ThrownContext } from './thrown.ts';

export interface Ending {
  /** See `done` in messages.ts. */
  readonly kind: number;
  readonly text: string | Uint8Array;
}

export const stopped: Ending = { kind: doneStopped, text: '' };
export const again: Ending = { kind: doneAgain, text: '' };

export const isSuccess = ({ kind }: Ending): boolean => kind === doneResult || kind === doneBytes;

export function failed(type: string, message: string, isFinal = false, stack = ''): Ending {
  const text = failureText(type, message, stack);
  return { kind: isFinal ? doneFinalFailure : doneFailure, text };
}

/** Writing the value may run code of its owner, so this may throw or never return. */
export function endingOfValue(value: unknown, limitBytes: number, host: Host): Ending {
  const result = toResult(value, limitBytes, host);
  if (result.type === 'json') return { kind: doneResult, text: result.text };
  if (result.type === 'bytes') return { kind: doneBytes, text: result.bytes };
  return failed(result.errorType, result.message, true);
}

export function endingOfThrown(error: unknown, context: ThrownContext): Ending {
  const { type, message, isRetryable, stack } = describeThrown(error, context);
  return failed(type, message, !isRetryable, stack);
}

/** The program did not come to its first task. */
export function endingOfLoading(error: unknown, context: ThrownContext, isGuest: boolean): Ending {
  if (isFault(error, context)) {
    return failed(error.errorType, error.message, error.errorType !== 'file_unavailable');
  }
  const { type, message, stack } = describeThrown(error, context);
  // Whatever is wrong with a guest is said as a fault: this is about what runs it, here.
  if (isGuest) return failed('sandbox_crashed', message);
  const isForm = type === 'ProgramInvalid' || type === 'SyntaxError';
  if (isForm) return failed('program_invalid', message, true);
  return failed(type, `${message} (at the top level)`, true, stack);
}

/** Asks nothing of a Proxy that task code may have thrown. */
function isFault(error: unknown, { kinds }: ThrownContext): error is GuestFault {
  if (typeof error !== 'object' || error === null || !kinds.isNativeError(error)) return false;
  return error instanceof GuestFault;
}
