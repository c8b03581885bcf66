// What came out of the interpreter, judged: it was written by a driver that the program can change.

import { GuestFault, type GuestStep } from '../sandbox/guest.ts';
import { nativeText } from './engine-parts.ts';

type Root = 'result' | 'state';

export type CheckedJson =
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'refused'; readonly errorType: string; readonly message: string };

/** As the coordinator reads them, with those of the message around the value. */
const deepestValue = 990;
const messageLimit = 4000;
const stackLimit = 4000;
const namePattern = /^[A-Za-z_$][\w$.]{0,99}$/;
/** Names that only an executor gives, but for those that a driver gives for it. */
const foreignNames =
  /^(?:attempt_timeout|sandbox_crashed|result_not_stored|program_invalid|input_unavailable|missing_package|file_unavailable)$/;

/** The text of a value that may leave. */
export function checkedJson(text: string, limitBytes: number, root: Root): CheckedJson {
  const whole = wellFormed(text);
  const bytes = whole.length * 3 <= limitBytes ? 0 : byteLength(whole);
  if (bytes > limitBytes) return refused('result_too_large', tooLarge(bytes, limitBytes, root));
  if (!isJson(whole)) return refused('result_not_json', `the ${root} is no JSON`);
  if (whole.length > deepestValue && depthOf(whole) > deepestValue) {
    return refused('result_not_json', `the ${root} is nested deeper than ${deepestValue} levels`);
  }
  return { type: 'json', text: whole };
}

/** A failure if a result of so many bytes is too large. */
export function sizeFault(bytes: number, limitBytes: number, form: string): GuestStep | null {
  if (bytes <= limitBytes) return null;
  const message = `the result has ${bytes} ${form}, the limit is ${limitBytes}`;
  return { type: 'failure', errorType: 'result_too_large', message, stack: '', isRetryable: false };
}

/** A failure as the driver describes it. */
export function readFailure(text: string): GuestStep {
  const said = isJson(text) ? (JSON.parse(text) as Readonly<Record<string, unknown>> | null) : null;
  if (said === null) return { type: 'broken', why: 'the interpreter said no reason' };
  const { type, message, stack, retryable } = said;
  const isName = typeof type === 'string' && namePattern.test(type) && !foreignNames.test(type);
  return {
    type: 'failure',
    errorType: isName ? type : 'Error',
    message: typeof message === 'string' ? wellFormed(message).slice(0, messageLimit) : '',
    stack: typeof stack === 'string' ? wellFormed(stack).slice(0, stackLimit) : '',
    isRetryable: retryable !== false,
  };
}

/** What is wrong with a program, as the driver describes it. */
export function readFault(text: string): GuestFault {
  const said = isJson(text) ? (JSON.parse(text) as Readonly<Record<string, unknown>> | null) : null;
  const { type, message } = said ?? {};
  const sentence = typeof message === 'string' ? wellFormed(message).slice(0, messageLimit) : null;
  return new GuestFault(
    type === 'missing_package' ? type : 'program_invalid',
    sentence ?? 'the program cannot be loaded, and says no reason',
  );
}

function refused(errorType: string, message: string): CheckedJson {
  return { type: 'refused', errorType, message };
}

function tooLarge(bytes: number, limitBytes: number, root: Root): string {
  return `the ${root} has ${bytes} bytes as JSON, the limit is ${limitBytes}`;
}

/** Half of a surrogate pair, which UTF-8 does not have, as an escape. Python has such texts too. */
function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  return text.replaceAll(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

function byteLength(text: string): number {
  return new nativeText.Encoder().encode(text).length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const [quote, backslash] = [0x22, 0x5c];
const openings = new Set([0x5b, 0x7b]);
const closings = new Set([0x5d, 0x7d]);

/** Of a text that is JSON. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) isText = !isText;
    else if (!isText && openings.has(code)) deepest = Math.max(deepest, ++depth);
    else if (!isText && closings.has(code)) depth--;
  }
  return deepest;
}
