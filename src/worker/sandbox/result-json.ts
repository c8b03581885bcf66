// Writes a task's result or state as JSON text, or says in a sentence why it cannot. A result that is bytes as a whole stays so. JSON itself loses
// most values silently: NaN becomes null, a function or a Map vanishes. Here they are refused, with
// their path.

import type { Host } from './host.ts';
import type { ObjectKinds } from './object-kinds.ts';
import { copyOfBytes, wholeBytesLength } from './whole-bytes.ts';

export type Result =
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | {
      readonly type: 'refused';
      readonly errorType: 'result_not_json' | 'result_too_large';
      readonly message: string;
    };

export type StateJson =
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'refused'; readonly message: string };

/** The bound that `thrown.ts` has for messages of errors. */
const messageLimit = 4000;

/**
 * Levels of a value, at most: the coordinator reads 1000 levels, those of the message around the value
 * included.
 */
const deepestValue = 990;
const tooDeep = Symbol('too deep');

type Engine = Pick<Host, 'kinds' | 'byteLength'>;
type Root = 'result' | 'state';
type Written =
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'refused'; readonly isTooLarge: boolean; readonly message: string };

/** Runs code of the value's owner (`toJSON`, getters), so it may throw or never return. */
export function toResult(value: unknown, limitBytes: number, host: Engine): Result {
  const length = isObject(value) ? wholeBytesLength(value) : null;
  if (length !== null) return wholeBytes(value as object, length, limitBytes);
  const written = write(value, 'result', limitBytes, host);
  if (written.type === 'json') return written;
  const errorType = written.isTooLarge ? 'result_too_large' : 'result_not_json';
  return { type: 'refused', errorType, message: written.message };
}

function wholeBytes(value: object, length: number, limitBytes: number): Result {
  if (length <= limitBytes) return { type: 'bytes', bytes: copyOfBytes(value, length) };
  const message = `the result has ${length} bytes, the limit is ${limitBytes}`;
  return { type: 'refused', errorType: 'result_too_large', message };
}

/** The same for the state of a checkpoint, which is always JSON. */
export function toStateJson(value: unknown, limitBytes: number, host: Engine): StateJson {
  return write(value, 'state', limitBytes, host);
}

function write(value: unknown, root: Root, limitBytes: number, host: Engine): Written {
  if (value === undefined || value === null) return { type: 'json', text: 'null' };
  if (typeof value !== 'object') return writePrimitive(value, root, limitBytes, host);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    // The engine writes a value by calling itself for its parts.
    const loss = error instanceof RangeError ? findLoss(value, root, host.kinds, 1) : null;
    if (loss !== null) return lossy(loss, root);
    return notJson(`the ${root} cannot be written as JSON: ${messageOf(error)}`);
  }
  if (text === undefined) return notJson(`the ${root} has no JSON form`);
  const loss = findLoss(value, root, host.kinds, 1);
  if (loss !== null) return lossy(loss, root);
  return withinLimit(text, root, limitBytes, host);
}

function writePrimitive(value: unknown, root: Root, limitBytes: number, host: Engine): Written {
  const loss = lossOf(value, root);
  return loss === null ? withinLimit(JSON.stringify(value), root, limitBytes, host) : notJson(loss);
}

/** Finds a value that JSON would drop silently. The value is known to be free of cycles. */
function findLoss(
  value: object,
  path: string,
  kinds: ObjectKinds,
  depth: number,
): string | typeof tooDeep | null {
  if (depth > deepestValue) return tooDeep;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return null;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (isPlain(item)) continue;
      const place = `${path}[${i}]`;
      const loss = isObject(item) ? findLoss(item, place, kinds, depth + 1) : lossOf(item, place);
      if (loss !== null) return loss;
    }
    return null;
  }
  const loss = lossOfContainer(value, path, kinds);
  if (loss !== null) return loss;
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (isPlain(item)) continue;
    const place = `${path}.${key}`;
    const found = isObject(item) ? findLoss(item, place, kinds, depth + 1) : lossOf(item, place);
    if (found !== null) return found;
  }
  return null;
}

/** A path of so many steps would tell nobody anything. */
function lossy(loss: string | typeof tooDeep, root: Root): Written {
  const message =
    loss === tooDeep ? `the ${root} is nested deeper than ${deepestValue} levels` : loss;
  return notJson(message);
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

function lossOfContainer(value: object, path: string, kinds: ObjectKinds): string | null {
  if (Object.getPrototypeOf(value) === Object.prototype) return null;
  if (ArrayBuffer.isView(value)) return `${path} is a typed array: use Array.from(it)`;
  if (kinds.isMap(value) || kinds.isSet(value)) {
    return `${path} is a ${kinds.isMap(value) ? 'Map' : 'Set'}: use Array.from(it)`;
  }
  if (kinds.isAnyArrayBuffer(value)) return `${path} is an ArrayBuffer`;
  if (kinds.isPromise(value)) return `${path} is a promise that nobody awaited`;
  return null;
}

/** The text is known to be JSON. */
export function withinLimit(text: string, root: Root, limitBytes: number, host: Engine): Written {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= limitBytes) return { type: 'json', text };
  const bytes = host.byteLength(text);
  if (bytes <= limitBytes) return { type: 'json', text };
  const message = `the ${root} has ${bytes} bytes as JSON, the limit is ${limitBytes}`;
  return { type: 'refused', isTooLarge: true, message };
}

/** Cuts the message: it contains names of properties, which may be long. */
function notJson(message: string): Written {
  const isLong = message.length > messageLimit;
  const text = isLong ? `${message.slice(0, messageLimit - 1)}…` : message;
  return { type: 'refused', isTooLarge: false, message: text };
}

/** The error may come from code of the value's owner, so its message may be anything. */
function messageOf(error: unknown): string {
  const message: unknown = error instanceof Error ? error.message : null;
  return typeof message === 'string' ? message.slice(0, messageLimit).split('\n')[0]! : 'an error';
}
