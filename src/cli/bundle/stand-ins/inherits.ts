// Stands in for Node's `util` in a bundle: the part that libraries use.

type Anything = (...args: unknown[]) => unknown;
type Class = { readonly prototype: object };

const tagOf = (value: unknown) => Object.prototype.toString.call(value).slice(8, -1);

export function inherits(child: Class & { super_?: unknown }, parent: Class): void {
  child.super_ = parent;
  Object.setPrototypeOf(child.prototype, parent.prototype);
}

export function promisify(call: Anything): Anything {
  return (...args) =>
    new Promise((resolve, reject) => {
      call(...args, (error: Error | null, value: unknown) => {
        if (error) reject(error);
        else resolve(value);
      });
    });
}

export const deprecate = <T>(call: T): T => call;
export const debuglog = (): (() => void) => () => {};

export function inspect(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null || value instanceof Error) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return `[${tagOf(value)}]`;
  }
}
inspect.custom = Symbol.for('nodejs.util.inspect.custom');

export function format(first: unknown, ...rest: unknown[]): string {
  const shown = (value: unknown) => (typeof value === 'string' ? value : inspect(value));
  if (typeof first !== 'string') return [first, ...rest].map(shown).join(' ');
  const left = [...rest];
  const text = first.replace(/%[sdifjoO%]/g, (mark) => {
    if (mark === '%%') return '%';
    if (left.length === 0) return mark;
    const value = left.shift();
    if (mark === '%s') return shown(value);
    if (mark === '%i') return String(Math.trunc(Number(value)));
    return mark === '%d' || mark === '%f' ? String(Number(value)) : inspect(value);
  });
  return [text, ...left.map(shown)].join(' ');
}

export const types = {
  isDate: (value: unknown) => tagOf(value) === 'Date',
  isRegExp: (value: unknown) => tagOf(value) === 'RegExp',
  isMap: (value: unknown) => tagOf(value) === 'Map',
  isSet: (value: unknown) => tagOf(value) === 'Set',
  isPromise: (value: unknown) => tagOf(value) === 'Promise',
  isTypedArray: (value: unknown) => ArrayBuffer.isView(value) && tagOf(value) !== 'DataView',
  isUint8Array: (value: unknown) => tagOf(value) === 'Uint8Array',
  isAnyArrayBuffer: (value: unknown) => tagOf(value) === 'ArrayBuffer',
};

export const { isArray } = Array;
export const { TextDecoder, TextEncoder } = globalThis;

// oxlint-disable-next-line import/no-default-export -- because Node's module has one
export default {
  TextDecoder,
  TextEncoder,
  debuglog,
  deprecate,
  format,
  inherits,
  inspect,
  isArray,
  promisify,
  types,
};
