// JSON text from outside, before it becomes a payload. Two things are legal JSON and still not
// taken: nesting so deep that walking it would exhaust a stack, and numbers that are not finite.

import { isUtf8 } from 'node:buffer';

const deepestNesting = 1000;

/** Could a number in this text be larger than any double? Rarely true, then looked at closely. */
const hugeNumber = /\d[eE]\+?0*[1-9]\d{2}|\d{308}/;

export type ParsedText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Parses; a problem reads well after "is" or "line 3 is". */
export function parseJson(text: string): ParsedText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, problem: `not valid JSON (${reason(error)})` };
  }
  if (isTooDeep(text)) {
    return { ok: false, problem: `nested deeper than ${deepestNesting} levels` };
  }
  if (hugeNumber.test(text) && hasInfinity(value)) {
    return { ok: false, problem: 'out of range: it holds a number that is not finite' };
  }
  return { ok: true, value };
}

/** Null when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | null {
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}

function isTooDeep(text: string): boolean {
  if (text.length < 2 * deepestNesting) return false;
  let depth = 0;
  let isInText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInText) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isInText = false;
    } else if (code === 0x22) isInText = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > deepestNesting) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

/** Only for values whose text `isTooDeep` has let pass. */
function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasInfinity);
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.length <= 120 ? message : `${message.slice(0, 120)}…`;
}
