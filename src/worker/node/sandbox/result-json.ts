// A task's value as JSON text, or a sentence that says why it cannot be. JSON itself is silent about
// most losses: NaN becomes null, a function or a Map vanishes. Here they are refused with their path.

import { types } from 'node:util';

export type ResultJson =
  | { readonly type: 'json'; readonly text: string }
  | {
      readonly type: 'refused';
      readonly errorType: 'result_not_json' | 'result_too_large';
      readonly message: string;
    };

/** Runs code of the value's owner (`toJSON`, getters): it may throw, or never return. */
export function toResultJson(value: unknown, limitBytes: number): ResultJson {
  if (value === undefined || value === null) return { type: 'json', text: 'null' };
  if (typeof value !== 'object') return primitiveJson(value, limitBytes);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    return notJson(`the result cannot be written as JSON: ${messageOf(error)}`);
  }
  if (text === undefined) return notJson('the result has no JSON form');
  const loss = findLoss(value, 'result');
  if (loss !== null) return notJson(loss);
  return withinLimit(text, limitBytes);
}

function primitiveJson(value: unknown, limitBytes: number): ResultJson {
  const loss = lossOf(value, 'result');
  return loss === null ? withinLimit(JSON.stringify(value), limitBytes) : notJson(loss);
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
  if (typeof value === 'bigint') return `${path} is a BigInt: return String(it)`;
  return null;
}

function lossOfContainer(value: object, path: string): string | null {
  if (Object.getPrototypeOf(value) === Object.prototype) return null;
  if (ArrayBuffer.isView(value)) return `${path} is a typed array: return Array.from(it)`;
  if (types.isMap(value) || types.isSet(value)) {
    return `${path} is a ${types.isMap(value) ? 'Map' : 'Set'}: return Array.from(it)`;
  }
  if (types.isAnyArrayBuffer(value)) return `${path} is an ArrayBuffer`;
  if (types.isPromise(value)) return `${path} is a promise that nobody awaited`;
  return null;
}

function withinLimit(text: string, limitBytes: number): ResultJson {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= limitBytes) return { type: 'json', text };
  const bytes = Buffer.byteLength(text);
  if (bytes <= limitBytes) return { type: 'json', text };
  const message = `the result has ${bytes} bytes as JSON, the limit is ${limitBytes}`;
  return { type: 'refused', errorType: 'result_too_large', message };
}

function notJson(message: string): ResultJson {
  return { type: 'refused', errorType: 'result_not_json', message };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.split('\n')[0]! : 'an error';
}
