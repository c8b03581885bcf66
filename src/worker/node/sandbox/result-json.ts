// A task's result or state as JSON text, or a sentence that says why it cannot be. JSON itself is
// silent about most losses: NaN becomes null, a function or a Map vanishes. Here they are refused with
// their path.

import { types } from 'node:util';

export type ResultJson =
  | { readonly type: 'json'; readonly text: string }
  | {
      readonly type: 'refused';
      readonly errorType: 'result_not_json' | 'result_too_large';
      readonly message: string;
    };

export type StateJson =
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'refused'; readonly message: string };

/** What is told about an error elsewhere has the same bound. */
const messageLimit = 4000;

type Root = 'result' | 'state';
type Written =
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'refused'; readonly isTooLarge: boolean; readonly message: string };

/** Runs code of the value's owner (`toJSON`, getters): it may throw, or never return. */
export function toResultJson(value: unknown, limitBytes: number): ResultJson {
  const written = write(value, 'result', limitBytes);
  if (written.type === 'json') return written;
  const errorType = written.isTooLarge ? 'result_too_large' : 'result_not_json';
  return { type: 'refused', errorType, message: written.message };
}

/** Of a checkpoint. Runs code of the value's owner, too. */
export function toStateJson(value: unknown, limitBytes: number): StateJson {
  return write(value, 'state', limitBytes);
}

function write(value: unknown, root: Root, limitBytes: number): Written {
  if (value === undefined || value === null) return { type: 'json', text: 'null' };
  if (typeof value !== 'object') return writePrimitive(value, root, limitBytes);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    return notJson(`the ${root} cannot be written as JSON: ${messageOf(error)}`);
  }
  if (text === undefined) return notJson(`the ${root} has no JSON form`);
  const loss = findLoss(value, root);
  if (loss !== null) return notJson(loss);
  return withinLimit(text, root, limitBytes);
}

function writePrimitive(value: unknown, root: Root, limitBytes: number): Written {
  const loss = lossOf(value, root);
  return loss === null ? withinLimit(JSON.stringify(value), root, limitBytes) : notJson(loss);
}

/** What JSON would drop without a word. The value is known to be free of cycles. */
function findLoss(value: object, path: string): string | null {
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return null;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (isPlain(item)) continue;
      const loss = isObject(item) ? findLoss(item, `${path}[${i}]`) : lossOf(item, `${path}[${i}]`);
      if (loss !== null) return loss;
    }
    return null;
  }
  const loss = lossOfContainer(value, path);
  if (loss !== null) return loss;
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (isPlain(item)) continue;
    const place = `${path}.${key}`;
    const found = isObject(item) ? findLoss(item, place) : lossOf(item, place);
    if (found !== null) return found;
  }
  return null;
}

function isPlain(item: unknown): boolean {
  return typeof item === 'string' || typeof item === 'boolean' || Number.isFinite(item);
}

function isObject(item: unknown): item is object {
  return typeof item === 'object' && item !== null;
}

function lossOf(value: unknown, path: string): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return `${path} is ${value}, which JSON does not have`;
  }
  if (typeof value === 'function') return `${path} is a function`;
  if (typeof value === 'symbol') return `${path} is a symbol`;
  if (typeof value === 'bigint') return `${path} is a BigInt: use String(it)`;
  return null;
}

function lossOfContainer(value: object, path: string): string | null {
  if (Object.getPrototypeOf(value) === Object.prototype) return null;
  if (ArrayBuffer.isView(value)) return `${path} is a typed array: use Array.from(it)`;
  if (types.isMap(value) || types.isSet(value)) {
    return `${path} is a ${types.isMap(value) ? 'Map' : 'Set'}: use Array.from(it)`;
  }
  if (types.isAnyArrayBuffer(value)) return `${path} is an ArrayBuffer`;
  if (types.isPromise(value)) return `${path} is a promise that nobody awaited`;
  return null;
}

function withinLimit(text: string, root: Root, limitBytes: number): Written {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= limitBytes) return { type: 'json', text };
  const bytes = Buffer.byteLength(text);
  if (bytes <= limitBytes) return { type: 'json', text };
  const message = `the ${root} has ${bytes} bytes as JSON, the limit is ${limitBytes}`;
  return { type: 'refused', isTooLarge: true, message };
}

/** The names of properties are a part of it, and they may be long. */
function notJson(message: string): Written {
  const isLong = message.length > messageLimit;
  const text = isLong ? `${message.slice(0, messageLimit - 1)}…` : message;
  return { type: 'refused', isTooLarge: false, message: text };
}

/** The error may be of the value's owner, its message anything. */
function messageOf(error: unknown): string {
  const message: unknown = error instanceof Error ? error.message : null;
  return typeof message === 'string' ? message.slice(0, messageLimit).split('\n')[0]! : 'an error';
}
