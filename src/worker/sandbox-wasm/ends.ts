// How a program ended, in words: what the engine has thrown, and what its exit code says.

import { callSitesOf } from '../sandbox/call-sites.ts';
import type { GuestFailure, GuestStep } from '../sandbox/guest.ts';
import { RuntimeError } from './engine.ts';

/** What runs the program has a mistake of its own. */
export interface Broken {
  readonly type: 'broken';
  readonly why: string;
}

export type Failure = { readonly type: 'failure' } & GuestFailure;

/** Why a program is left in the middle. */
export type Leaving =
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'stopped' }
  | Failure
  | Broken;

const messageMost = 4000;
const framesMost = 20;
/** How a name of a function may look in a stack. */
const framePattern = /^\s*(?:at )?(?:([^\s@(]+)(?: \(|@))?.*wasm-function\[(\d+)\]:0x([0-9a-f]+)/;

export function failure(
  errorType: string,
  message: string,
  {
    isRetryable = true,
    stack = '',
  }: { readonly isRetryable?: boolean; readonly stack?: string } = {},
): Failure {
  return { type: 'failure', errorType, message: cut(message), stack, isRetryable };
}

/** The device has not enough memory for what was asked of it. */
export function noRoom(what: string): Failure {
  return failure('out_of_memory', `the device has no memory for ${what}`);
}

export function tooLarge(limitBytes: number): Failure {
  const limit = limitBytes >= 1024 ? `${Math.round(limitBytes / 1024)} KiB` : `${limitBytes} bytes`;
  return failure('result_too_large', `the result is larger than ${limit}`, { isRetryable: false });
}

/** What was thrown by the host's own code, perhaps with a program below it on the stack. */
export function describeHostError(error: unknown): Failure | Broken {
  if (isAllocation(error)) return noRoom('what the program asked of its host');
  if (isOverflow(error)) {
    return failure('wasm_trap', 'the stack overflowed within a call of the host');
  }
  return { type: 'broken', why: `the runner of the program failed: ${String(error)}` };
}

/** What a program has thrown: a trap, the stack overflow of the engine, or an exception that it did not catch. */
export function describeTrap(error: unknown): Failure {
  if (isAllocation(error)) return noRoom('the program');
  const stack = framesOf(error);
  if (isOverflow(error)) return failure('wasm_trap', 'the stack overflowed', { stack });
  if (error instanceof RuntimeError) return failure('wasm_trap', error.message, { stack });
  return failure('wasm_trap', 'an exception of the program was caught by nobody', { stack });
}

/** The trap of `unreachable`, by which most languages abort. */
export function isAbort(error: unknown): boolean {
  return error instanceof RuntimeError && /unreachable/.test(error.message);
}

/**
 * Growing memory failed inside of the program, which most languages answer by ending it: then that it had used
 * (almost) all that it may have is what its user wants to know.
 */
export function asOutOfMemory(step: Failure, usedBytes: number, mostBytes: number): GuestStep {
  if (mostBytes === 0 || usedBytes < (mostBytes / 8) * 7) return step;
  const used = `it had ${inMb(usedBytes)} of ${inMb(mostBytes)} MB (memory_mb)`;
  return { ...step, errorType: 'out_of_memory', message: cut(`${step.message}; ${used}`) };
}

function inMb(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

function isAllocation(error: unknown): boolean {
  return (
    error instanceof RangeError && /alloc|memory|array (?:buffer )?length/i.test(error.message)
  );
}

/** V8 and WebKit throw a RangeError, Firefox an InternalError. */
function isOverflow(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'InternalError');
}

/** Frames of the program, where the engine tells them: `at total (wasm-function[3]:0x5c)`. */
function framesOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const frames: string[] = [];
  for (const line of linesOf(error)) {
    const [, name, index, place] = framePattern.exec(line) ?? [];
    if (index === undefined) continue;
    const where = `wasm-function[${index}]:0x${place}`;
    frames.push(name === undefined ? `at ${where}` : `at ${name.slice(0, 200)} (${where})`);
    if (frames.length === framesMost) break;
  }
  return frames.join('\n');
}

/** In a locked realm the stack of an error is empty, and kept elsewhere. */
function linesOf(error: Error): readonly string[] {
  const sites = callSitesOf(error);
  if (sites.length > 0) return sites.map(String);
  const text: unknown = error.stack;
  return typeof text === 'string' ? text.split('\n') : [];
}

function cut(message: string): string {
  return message.length > messageMost ? `${message.slice(0, messageMost - 1)}…` : message;
}
