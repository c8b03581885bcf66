// Describes what task code threw in words. It may be any value, even with getters that throw.

import type { ObjectKinds } from './object-kinds.ts';
import { type Place, stackText } from './stack-text.ts';

export interface Thrown {
  readonly type: string;
  readonly message: string;
  /** False when the error says so itself: `error.retryable === false`. */
  readonly isRetryable: boolean;
  /** Frames of the program, then those of its causes; empty when there are none. */
  readonly stack: string;
}

export interface ThrownContext {
  readonly kinds: Pick<ObjectKinds, 'isNativeError'>;
  /** Where a place of the script stands in the program. */
  readonly toOriginal: (place: Place) => Place;
}

const messageLimit = 4000;
const causesMost = 3;
const causeCharacters = 300;
const stackCharacters = 4000;
const namePattern = /^[A-Za-z_$][\w$.]{0,99}$/;
/** Names that only the executor gives. */
const ownNames =
  /^(?:out_of_memory|attempt_timeout|sandbox_crashed|result_not_json|result_too_large|result_not_stored|program_invalid|input_unavailable|file_unavailable|missing_package)$/;

export function describeThrown(thrown: unknown, context: ThrownContext): Thrown {
  return { ...describe(thrown), stack: withCauses(thrown, context) };
}

/**
 * The stack, and behind it a line `caused by RangeError: too deep` with its frames for each cause: only errors of
 * the engine, whose causes are read without running code of the task.
 */
function withCauses(thrown: unknown, context: ThrownContext): string {
  let stack = stackOf(thrown, context);
  let cause = causeOf(thrown, context);
  for (let count = 0; cause !== undefined && count < causesMost; count++) {
    const { type, message } = describe(cause);
    const line = `caused by ${type}: ${message}`.replaceAll(/\s+/g, ' ').slice(0, causeCharacters);
    const more = [stack, line, stackOf(cause, context)].filter((text) => text !== '').join('\n');
    if (more.length > stackCharacters) break;
    stack = more;
    cause = causeOf(cause, context);
  }
  return stack;
}

function causeOf(thrown: unknown, { kinds }: ThrownContext): object | undefined {
  try {
    if (typeof thrown !== 'object' || thrown === null || !kinds.isNativeError(thrown))
      return undefined;
    const cause: unknown = Object.getOwnPropertyDescriptor(thrown, 'cause')?.value;
    const isError = typeof cause === 'object' && cause !== null && kinds.isNativeError(cause);
    return isError ? cause : undefined;
  } catch {
    return undefined;
  }
}

function stackOf(thrown: unknown, { kinds, toOriginal }: ThrownContext): string {
  try {
    return stackText(thrown, kinds, toOriginal);
  } catch {
    // The stack may be nearly full. The error itself is told all the same.
    return '';
  }
}

function describe(thrown: unknown): Omit<Thrown, 'stack'> {
  try {
    if (typeof thrown !== 'object' || thrown === null) {
      return { type: 'Error', message: cut(`thrown: ${String(thrown)}`), isRetryable: true };
    }
    const { name, message, retryable } = thrown as Record<string, unknown>;
    const isName = typeof name === 'string' && namePattern.test(name) && !ownNames.test(name);
    const text = typeof message === 'string' ? message : JSON.stringify(thrown);
    return {
      type: isName ? name : 'Error',
      message: cut(explain(text ?? '')),
      isRetryable: retryable !== false,
    };
  } catch {
    return { type: 'Error', message: 'thrown: something that cannot be read', isRetryable: true };
  }
}

/** Replaces a message in which the hardened realm speaks of itself by one about the task. */
function explain(message: string): string {
  if (message.includes('%SharedDate%')) {
    return 'tasks are not told the time of their device: Date.now() is when the job was submitted';
  }
  return message;
}

function cut(message: string): string {
  return message.length > messageLimit ? `${message.slice(0, messageLimit - 1)}…` : message;
}
